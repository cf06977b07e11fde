"""What grippers with two sliding jaws share: one motor for both, and pads of rubber."""

from __future__ import annotations

import mujoco


def drive_jaws(spec: mujoco.MjSpec, force: float, stroke: float, full_force_error: float) -> None:
    """One motor, `motor1`, for the joints `finger1` and `finger2`, which stay symmetric.

    It pushes with all its `force` [N] when the opening is `full_force_error` [m] off; `stroke` [m] is the
    way of both jaws together.
    """
    spec.add_exclude(name="fingers", bodyname1="finger1", bodyname2="finger2")
    equality = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT,
        name="symmetry",
        name1="finger1",
        name2="finger2",
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        solref=[0.004, 1.0],
        solimp=[0.98, 0.999, 0.0005, 0.5, 2.0],
    )
    equality.data[:5] = [0.0, 1.0, 0.0, 0.0, 0.0]
    tendon = spec.add_tendon(name="drive")
    tendon.wrap_joint("finger1", 1.0)
    tendon.wrap_joint("finger2", 1.0)
    stiffness = force / full_force_error * stroke**2
    actuator = spec.add_actuator(
        name="motor1",
        target="drive",
        trntype=mujoco.mjtTrn.mjTRN_TENDON,
        ctrllimited=True,
        ctrlrange=[0.0, 1.0],
        forcelimited=True,
        forcerange=[-force * stroke, force * stroke],
    )
    # The gear makes the actuator's length the share that is closed: 0 .. 1, as its control is.
    actuator.gear[0] = 1.0 / stroke
    actuator.set_to_position(kp=stiffness, kv=stiffness * 0.06)


def rubber(pad: mujoco.MjsGeom) -> None:
    """Soft rubber on wood: high friction, also against turning about the contact normal."""
    pad.friction = [1.4, 0.02, 0.0005]
    pad.condim, pad.priority = 4, 1
    pad.solref, pad.solimp = [0.006, 1.0], [0.95, 0.99, 0.001, 0.5, 2.0]
