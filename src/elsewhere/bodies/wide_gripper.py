"""A two-jaw gripper in the manner of the Robotiq 2F-140: 140 mm stroke, up to 125 N, one motor.

The jaws stay parallel. They run on slides here, not on four-bar links: the opening is the same and
the grasp centre does not wander while they close. A tendon drives both; an equality keeps them
symmetric. Stroke, force and mass are the manufacturer's (2F-140 data sheet).
"""

from __future__ import annotations

import mujoco

from elsewhere.bodies.hand import HandPart
from elsewhere.bodies.jaws import drive_jaws, rubber
from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import (
    ACCENT,
    GRAPHITE,
    RUBBER,
    SHELL,
    STEEL,
    box,
    capsule,
    cylinder,
    feel_box,
    feel_capsule,
    inertia,
    new_spec,
)

STROKE = 0.140
FORCE = 125.0
MASS, FINGER_MASS = 0.78, 0.12
PALM_X = 0.195  # grasp centre, from the face that is screwed to the bracket
_FULL_FORCE_ERROR = 0.008  # jaw opening error at which the motor pushes with all its force
_PAD_X, _PAD_Z, _PAD_T = 0.028, 0.0135, 0.005  # half sizes of a pad
_PAD_BACK = 0.006  # the grasp centre is so much nearer to the tips than to the roots of the pads


@part("hand", "wide-gripper")
def wide_gripper(side: int) -> HandPart:
    """A wide two-jaw gripper. Both sides are alike."""
    spec = new_spec("wide_gripper")
    root = spec.worldbody.add_body(name="root")
    inertia(root, MASS, (0.055, 0, 0), (0.055, 0.05, 0.035))
    cylinder(root, (0, 0, 0), (0.016, 0, 0), 0.0375, STEEL)
    capsule(root, (0.045, -0.022, 0), (0.045, 0.022, 0), 0.036, SHELL)
    cylinder(root, (0.0795, 0, 0), (0.083, 0, 0), 0.0385, ACCENT)
    box(root, (0.095, 0, 0), (0.014, 0.083, 0.0165), GRAPHITE)
    feel_capsule(root, (0.045, -0.03, 0), (0.045, 0.03, 0), 0.04)
    feel_box(root, (0.095, 0, 0), (0.014, 0.083, 0.018))
    root.add_site(name="palm", pos=[PALM_X, 0, 0], group=4)
    for index, sign in enumerate((1.0, -1.0)):
        _add_finger(spec, root, index, sign)
    drive_jaws(spec, FORCE, STROKE, _FULL_FORCE_ERROR)
    return HandPart(
        name="wide-gripper",
        spec=spec,
        root="root",
        palm="palm",
        motors=("motor1",),
        drive=(1,),
        fingertips=("fingertip1", "fingertip2"),
        depth=0.04,
    )


def _add_finger(spec: mujoco.MjSpec, root: mujoco.MjsBody, index: int, sign: float) -> None:
    """A finger whose joint value is its way from fully open towards the middle."""
    name = f"finger{index + 1}"
    # The body's origin is on the inner face of the pad, at the height of the grasp centre.
    finger = root.add_body(name=name, pos=[PALM_X, sign * STROKE / 2.0, 0.0])
    inertia(finger, FINGER_MASS, (-0.03, sign * 0.012, 0), (0.06, 0.008, 0.014))
    finger.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[0.0, -sign, 0.0],
        range=[0.0, STROKE / 2.0],
        limited=True,
        armature=0.1,
        damping=4.0,
    )
    y = sign * _PAD_T
    box(finger, (-_PAD_BACK, y, 0), (_PAD_X, _PAD_T, _PAD_Z), RUBBER)
    # The blade stands behind the pad and leans back to its carriage on the rail.
    capsule(finger, (0.012, sign * 0.016, 0), (-0.05, sign * 0.018, 0), 0.0095, SHELL)
    capsule(finger, (-0.05, sign * 0.018, 0), (-0.098, sign * 0.012, 0), 0.0115, GRAPHITE)
    pad = feel_box(finger, (-_PAD_BACK, y, 0), (_PAD_X, _PAD_T, _PAD_Z))
    pad.name = f"pad{index + 1}"
    rubber(pad)
    feel_capsule(finger, (0.01, sign * 0.0165, 0), (-0.085, sign * 0.0165, 0), 0.011)
    finger.add_site(
        name=f"fingertip{index + 1}",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[-_PAD_BACK, y, 0],
        size=[_PAD_X + 0.002, _PAD_T + 0.002, _PAD_Z + 0.002],
        group=4,
    )
