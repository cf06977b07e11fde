"""A hand with six motors in the manner of the Psyonic Ability hand.

Motors: flexion of thumb, index, middle, ring and little finger, and rotation of the thumb. The
distal joint of each finger is coupled to the proximal one by a linkage, here by an equality. Size
and mass (0.49 kg) are those of the hand's data sheet; the shape is our own.
"""

from __future__ import annotations

import mujoco

from elsewhere.bodies.hand import HandPart
from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import (
    ACCENT,
    GRAPHITE,
    SHELL,
    STEEL,
    capsule,
    cylinder,
    ellipsoid,
    feel_box,
    feel_capsule,
    inertia,
    new_spec,
)
from elsewhere.status import LEFT

MASS = 0.38
PALM = (0.125, 0.0, -0.038)
FLEXION = 1.55  # rad, proximal joint of a finger when closed
COUPLING = (0.12, 1.05)  # distal = 0.12 + 1.05 proximal [rad]
THUMB_FLEXION, THUMB_ROTATION = 0.95, 1.75
_TORQUE = 1.2  # N m at a proximal joint: about 15 N at the tip
_FULL_TORQUE_ERROR = 0.2  # rad

# Knuckle x, y (towards the thumb), z and the lengths of the two links [m].
FINGERS = (
    ("index", 0.121, 0.0335, 0.002, 0.043, 0.040),
    ("middle", 0.126, 0.0115, 0.005, 0.047, 0.043),
    ("ring", 0.123, -0.0105, 0.003, 0.043, 0.040),
    ("little", 0.115, -0.032, -0.001, 0.036, 0.034),
)


@part("hand", "six-motor-hand")
def six_motor_hand(side: int) -> HandPart:
    """A hand with six motors; the thumb is on the inner side."""
    s = -1.0 if side == LEFT else 1.0
    spec = new_spec("six_motor_hand")
    root = spec.worldbody.add_body(name="root")
    inertia(root, MASS, (0.065, 0, 0), (0.055, 0.04, 0.015))
    cylinder(root, (0, 0, 0), (0.014, 0, 0), 0.03, STEEL)
    cylinder(root, (0.014, 0, 0), (0.034, 0, 0), 0.026, GRAPHITE)
    ellipsoid(root, (0.076, 0, 0.001), (0.05, 0.048, 0.021), SHELL)
    capsule(root, (0.115, -0.031 * s, 0), (0.121, 0.033 * s, 0.002), 0.0115, GRAPHITE)
    ellipsoid(root, (0.08, 0, 0.019), (0.02, 0.006, 0.005), ACCENT)
    feel_box(root, (0.07, 0, 0), (0.05, 0.042, 0.016))
    root.add_site(name="palm", pos=list(PALM), group=4)
    _add_thumb(spec, root, s)
    for index, finger in enumerate(FINGERS):
        _add_finger(spec, root, s, index, finger)
    _add_servo(spec, "motor6", "thumb_rotation", THUMB_ROTATION)
    return HandPart(
        name="six-motor-hand",
        spec=spec,
        root="root",
        palm="palm",
        motors=tuple(f"motor{index + 1}" for index in range(6)),
        drive=(0, 1, 2, 3, 4, 5),
        fingertips=tuple(f"fingertip{index + 1}" for index in range(5)),
        depth=0.022,
    )


def _add_finger(
    spec: mujoco.MjSpec,
    root: mujoco.MjsBody,
    s: float,
    index: int,
    finger: tuple[str, float, float, float, float, float],
) -> None:
    name, x, y, z, length, tip = finger
    first = root.add_body(name=f"{name}_proximal", pos=[x, s * y, z])
    inertia(first, 0.014, (length / 2, 0, 0), (length / 2, 0.008, 0.008))
    # Flexion turns the fingers towards the palm: about +y, from +x to -z, on both sides.
    _add_joint(first, f"{name}_proximal", (0, 1, 0), FLEXION)
    capsule(first, (0.004, 0, 0), (length, 0, 0), 0.0092, SHELL)
    _soft(feel_capsule(first, (0.006, 0, 0), (length, 0, 0), 0.009))
    second = first.add_body(name=f"{name}_distal", pos=[length, 0, 0])
    inertia(second, 0.01, (tip / 2, 0, 0), (tip / 2, 0.007, 0.007))
    _add_joint(second, f"{name}_distal", (0, 1, 0), COUPLING[0] + COUPLING[1] * FLEXION + 0.2)
    capsule(second, (0.002, 0, 0), (tip, 0, 0), 0.0084, GRAPHITE)
    _soft(feel_capsule(second, (0.002, 0, 0), (tip, 0, 0), 0.0085))
    _add_fingertip(second, index + 2, tip)
    equality = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT,
        name=f"{name}_coupling",
        name1=f"{name}_distal",
        name2=f"{name}_proximal",
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        solref=[0.01, 1.0],
    )
    equality.data[:5] = [*COUPLING, 0.0, 0.0, 0.0]
    _add_servo(spec, f"motor{index + 2}", f"{name}_proximal", FLEXION)


def _add_thumb(spec: mujoco.MjSpec, root: mujoco.MjsBody, s: float) -> None:
    """A thumb that lies beside the palm, swings below it (rotation) and closes on it (flexion)."""
    base = root.add_body(name="thumb_base", pos=[0.046, s * 0.03, -0.008])
    inertia(base, 0.02, (0.004, s * 0.008, 0), (0.01, 0.01, 0.008))
    _add_joint(base, "thumb_rotation", (-s, 0, 0), THUMB_ROTATION)
    capsule(base, (-0.004, 0, 0), (0.012, s * 0.016, 0), 0.0125, GRAPHITE)
    thumb = base.add_body(name="thumb", pos=[0.012, s * 0.018, 0])
    inertia(thumb, 0.025, (0.03, s * 0.02, 0), (0.03, 0.02, 0.009))
    _add_joint(thumb, "thumb_flexion", (0, 0, -s), THUMB_FLEXION)
    capsule(thumb, (0, 0, 0), (0.024, s * 0.026, 0), 0.0105, SHELL)
    capsule(thumb, (0.024, s * 0.026, 0), (0.058, s * 0.034, 0), 0.0092, GRAPHITE)
    _soft(feel_capsule(thumb, (0, 0, 0), (0.024, s * 0.026, 0), 0.0105))
    _soft(feel_capsule(thumb, (0.024, s * 0.026, 0), (0.058, s * 0.034, 0), 0.0092))
    _add_fingertip(thumb, 1, 0.058, s * 0.034)
    _add_servo(spec, "motor1", "thumb_flexion", THUMB_FLEXION)


def _add_joint(body: mujoco.MjsBody, name: str, axis: tuple[float, float, float], upper: float) -> None:
    body.add_joint(
        name=name,
        axis=list(axis),
        range=[0.0, upper],
        limited=True,
        armature=0.002,
        damping=0.03,
    )


def _add_fingertip(body: mujoco.MjsBody, number: int, x: float, y: float = 0.0) -> None:
    body.add_site(
        name=f"fingertip{number}",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        pos=[x - 0.004, y, 0],
        size=[0.016, 0, 0],
        group=4,
    )


def _add_servo(spec: mujoco.MjSpec, name: str, joint: str, travel: float) -> None:
    stiffness = _TORQUE / _FULL_TORQUE_ERROR * travel**2
    actuator = spec.add_actuator(
        name=name,
        target=joint,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        ctrllimited=True,
        ctrlrange=[0.0, 1.0],
        forcelimited=True,
        forcerange=[-_TORQUE * travel, _TORQUE * travel],
    )
    # The gear makes the actuator's length the share that is closed: 0 .. 1, as its control is.
    actuator.gear[0] = 1.0 / travel
    actuator.set_to_position(kp=stiffness, kv=stiffness * 0.04)


def _soft(geom: mujoco.MjsGeom) -> None:
    geom.friction = [1.2, 0.01, 0.0003]
    geom.condim, geom.priority = 4, 1
    geom.solref, geom.solimp = [0.008, 1.0], [0.93, 0.98, 0.002, 0.5, 2.0]
