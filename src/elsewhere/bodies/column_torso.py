"""A fixed column with shoulders: carries two arms and a head at the height of a standing person."""

from __future__ import annotations

from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import (
    ACCENT,
    GRAPHITE,
    SHELL,
    capsule,
    cylinder,
    ellipsoid,
    feel_capsule,
    inertia,
    new_spec,
)
from elsewhere.bodies.trunk import TorsoPart

# Above the top of the base [m].
SHOULDER_X, SHOULDER_Y, SHOULDER_Z = 0.02, 0.17, 0.90
NECK_Z = 1.10
MASS = 22.0


@part("torso", "column")
def column_torso() -> TorsoPart:
    """A column with shoulders."""
    spec = new_spec("column_torso")
    torso = spec.worldbody.add_body(name="torso")
    inertia(torso, MASS, (0, 0, 0.5), (0.09, 0.12, 0.5))
    z = SHOULDER_Z
    cylinder(torso, (-0.02, 0, -0.06), (-0.02, 0, 0.02), 0.13, GRAPHITE)
    capsule(torso, (-0.02, 0, 0.0), (-0.02, 0, 0.7), 0.085, GRAPHITE)
    # Chest, shoulders and a collar that carries the neck.
    ellipsoid(torso, (-0.03, 0, z - 0.13), (0.11, 0.15, 0.26), SHELL)
    capsule(torso, (-0.045, -0.145, z), (-0.045, 0.145, z), 0.085, SHELL)
    ellipsoid(torso, (-0.03, 0, z + 0.05), (0.075, 0.1, 0.11), SHELL)
    cylinder(torso, (0.066, 0, z - 0.03), (0.078, 0, z - 0.028), 0.022, ACCENT)
    cylinder(torso, (-0.03, 0, z), (-0.03, 0, NECK_Z - 0.01), 0.046, GRAPHITE)
    feel_capsule(torso, (-0.02, 0, 0.0), (-0.02, 0, 0.8), 0.09)
    feel_capsule(torso, (-0.045, -0.14, z), (-0.045, 0.14, z), 0.085)
    torso.add_site(name="neck", pos=[-0.03, 0, NECK_Z], group=4)
    for name, sign in (("left", 1.0), ("right", -1.0)):
        torso.add_site(name=f"shoulder_{name}", pos=[SHOULDER_X, sign * SHOULDER_Y, z], group=4)
    return TorsoPart(
        name="column",
        spec=spec,
        neck="neck",
        shoulders=("shoulder_left", "shoulder_right"),
    )
