"""A joint of an arm with its motor."""

from __future__ import annotations

import mujoco

from elsewhere.bodies.limits import JointLimits


def add_motor_joint(
    spec: mujoco.MjSpec,
    link: mujoco.MjsBody,
    index: int,
    limits: JointLimits,
    armature: float,
    damping: float,
) -> None:
    """A hinge about the link's z and a motor of the same name that gives torque, both within `limits`."""
    name, torque = f"joint{index + 1}", float(limits.torque[index])
    link.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0.0, 0.0, 1.0],
        range=[limits.lower[index], limits.upper[index]],
        limited=True,
        armature=armature,
        damping=damping,
    )
    spec.add_actuator(
        name=name,
        target=name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        ctrllimited=True,
        ctrlrange=[-torque, torque],
        forcelimited=True,
        forcerange=[-torque, torque],
    )
