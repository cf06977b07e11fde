"""The body of the ABB YuMi (IRB 14000): a white trunk that stands on a table and carries two arms.

Where the arms sit is from the URDF of Örebro University (github.com/OrebroUniversity/yumi):
(0.05355, -+0.0725, 0.41492) m. The foot of 399 x 497 mm and the weight of 38 kg with both arms are the
manufacturer's; the shape is ours.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco

from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import (
    ACCENT,
    GRAPHITE,
    SHADE,
    SHELL,
    box,
    capsule,
    cylinder,
    ellipsoid,
    feel_box,
    feel_capsule,
    inertia,
    new_spec,
)
from elsewhere.bodies.trunk import TorsoPart
from elsewhere.bodies.yumi_meshes import draw_mesh

SHOULDER = (0.05355, 0.0725, 0.41492)
NECK = (-0.035, 0.0, 0.53)
MASS = 19.0  # 38 kg less two arms of 9.5 kg
_FOOT_X = (-0.215, 0.184)  # 0.399 m deep; the arms work ahead of it


@part("torso", "yumi")
def yumi_torso() -> TorsoPart:
    """The trunk of a YuMi."""
    return build_torso(lambda spec, torso: draw(torso))


@part("torso", "yumi-meshes")
def yumi_torso_meshes() -> TorsoPart:
    """The same trunk in its true shape, of the optional extra `models`. Raises ModelError without it."""
    return build_torso(lambda spec, torso: draw_mesh(spec, torso, "body"))


def build_torso(draw_torso: Callable[[mujoco.MjSpec, mujoco.MjsBody], None]) -> TorsoPart:
    """The trunk, drawn by a function that gets its model and body."""
    spec = new_spec("yumi_torso")
    torso = spec.worldbody.add_body(name="torso")
    inertia(torso, MASS, (-0.03, 0, 0.2), (0.13, 0.15, 0.22))
    draw_torso(spec, torso)
    feel_box(torso, (-0.03, 0, 0.05), (0.16, 0.16, 0.05))
    feel_capsule(torso, (-0.055, 0, 0.14), (-0.02, 0, 0.40), 0.105)
    feel_capsule(torso, (-0.015, -0.035, 0.43), (-0.015, 0.035, 0.43), 0.085)
    torso.add_site(name="neck", pos=list(NECK), group=4)
    x, y, z = SHOULDER
    for name, sign in (("left", 1.0), ("right", -1.0)):
        torso.add_site(name=f"shoulder_{name}", pos=[x, sign * y, z], group=4)
    return TorsoPart(name="yumi", spec=spec, neck="neck", shoulders=("shoulder_left", "shoulder_right"))


def draw(torso: mujoco.MjsBody) -> None:
    """A foot with round corners, a waist, and a chest that widens to the shoulders."""
    low, high = _FOOT_X
    middle, r = 0.5 * (low + high), 0.05
    for x in (low + r, high - 0.06 - r):
        for y in (-0.16, 0.16):
            cylinder(torso, (x, y, 0.0), (x, y, 0.052), r, SHELL)
    box(torso, (middle - 0.03, 0, 0.026), (0.5 * (high - low) - 0.03 - r, 0.21, 0.0255), SHELL)
    box(torso, (middle - 0.03, 0, 0.0265), (0.5 * (high - low) - 0.03, 0.16, 0.026), SHELL)
    ellipsoid(torso, (-0.04, 0, 0.05), (0.15, 0.185, 0.10), SHELL)
    # One smooth trunk from the foot to the shoulders.
    ellipsoid(torso, (-0.045, 0, 0.23), (0.108, 0.132, 0.30), SHELL)
    capsule(torso, (-0.01, -0.055, 0.435), (-0.01, 0.055, 0.435), 0.082, SHELL)
    ellipsoid(torso, (-0.025, 0, 0.465), (0.085, 0.115, 0.062), SHELL)
    # A dark collar, and a light on the chest.
    cylinder(torso, (-0.035, 0, 0.50), (-0.035, 0, 0.53), 0.032, GRAPHITE)
    cylinder(torso, (0.055, 0, 0.31), (0.063, 0, 0.309), 0.017, ACCENT)
    capsule(torso, (0.072, -0.045, 0.245), (0.072, 0.045, 0.245), 0.006, SHADE)
