"""The smart gripper of the ABB YuMi: two parallel fingers, 50 mm stroke, 20 N, one motor.

Stroke, force and weight (0.23 kg with the servo module) are the manufacturer's; where the fingers start
is from the URDF of Örebro University (github.com/OrebroUniversity/yumi, 83.7 mm ahead of the flange).
One finger is broad like a hand's four, the other narrow like a thumb (ONIA, section II).
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
    SHADE,
    SHELL,
    box,
    capsule,
    cylinder,
    feel_box,
    feel_capsule,
    inertia,
    new_spec,
)
from elsewhere.status import LEFT

STROKE = 0.05
FORCE = 20.0
MASS, FINGER_MASS = 0.19, 0.02
RAIL_X = 0.0837
PALM_X = 0.118  # grasp centre
_FULL_FORCE_ERROR = 0.004
_PAD_X, _PAD_T = 0.018, 0.003


@part("hand", "yumi-gripper")
def yumi_gripper(side: int) -> HandPart:
    """A YuMi's gripper. The thumb is where the thumb of that hand is: towards the body, palm down."""
    spec = new_spec("yumi_gripper")
    root = spec.worldbody.add_body(name="root")
    inertia(root, MASS, (0.045, 0, 0), (0.04, 0.035, 0.025))
    cylinder(root, (0, 0, 0), (0.012, 0, 0), 0.029, SHADE)
    capsule(root, (0.036, -0.014, 0), (0.036, 0.014, 0), 0.0305, SHELL)
    box(root, (0.066, 0, 0), (0.0165, 0.041, 0.0225), SHELL)
    box(root, (RAIL_X, 0, 0), (0.0015, 0.039, 0.02), GRAPHITE)
    cylinder(root, (0.036, 0, 0.0305), (0.036, 0, 0.0318), 0.008, ACCENT)
    feel_capsule(root, (0.04, -0.015, 0), (0.04, 0.015, 0), 0.032)
    feel_box(root, (0.066, 0, 0), (0.0185, 0.043, 0.0235))
    root.add_site(name="palm", pos=[PALM_X, 0, 0], group=4)
    thumb = -1.0 if side == LEFT else 1.0
    _add_finger(spec, root, 0, thumb, 0.009)
    _add_finger(spec, root, 1, -thumb, 0.0155)
    drive_jaws(spec, FORCE, STROKE, _FULL_FORCE_ERROR)
    return HandPart(
        name="yumi-gripper",
        spec=spec,
        root="root",
        palm="palm",
        motors=("motor1",),
        drive=(1,),
        fingertips=("fingertip1", "fingertip2"),
        depth=0.03,
    )


def _add_finger(spec: mujoco.MjSpec, root: mujoco.MjsBody, index: int, sign: float, width: float) -> None:
    """A finger of half width `width` whose joint value is its way from open towards the middle."""
    name = f"finger{index + 1}"
    # The body's origin is on the inner face of the pad, at the grasp centre.
    finger = root.add_body(name=name, pos=[PALM_X, sign * STROKE / 2.0, 0.0])
    inertia(finger, FINGER_MASS, (-0.01, sign * 0.006, 0), (0.03, 0.006, 0.01))
    finger.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[0.0, -sign, 0.0],
        range=[0.0, STROKE / 2.0],
        limited=True,
        armature=0.05,
        damping=2.0,
    )
    box(finger, (0.004, sign * _PAD_T, 0), (_PAD_X, _PAD_T, width), RUBBER)
    box(finger, (-0.012, sign * 0.0095, 0), (0.0215, 0.004, width), GRAPHITE)
    capsule(
        finger, (0.012, sign * 0.009, -0.5 * width), (0.012, sign * 0.009, 0.5 * width), 0.0055, GRAPHITE
    )
    pad = feel_box(finger, (0.004, sign * _PAD_T, 0), (_PAD_X, _PAD_T, width))
    pad.name = f"pad{index + 1}"
    rubber(pad)
    feel_capsule(finger, (0.014, sign * 0.0105, 0), (-0.024, sign * 0.0105, 0), 0.008)
    finger.add_site(
        name=f"fingertip{index + 1}",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[0.004, sign * _PAD_T, 0],
        size=[_PAD_X + 0.002, _PAD_T + 0.002, width + 0.002],
        group=4,
    )
