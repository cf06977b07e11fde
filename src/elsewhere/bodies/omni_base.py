"""A rolling base that moves in every direction: 0.62 m wide, about 100 kg."""

from __future__ import annotations

import mujoco
import numpy as np

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
    ellipsoid,
    feel_box,
    feel_cylinder,
    inertia,
    new_spec,
)
from elsewhere.bodies.trunk import BasePart

MASS = 100.0
HALF_X, HALF_Y, CORNER = 0.33, 0.30, 0.12
TOP = 0.30
# Servos so strong that the arms' reaction moves the base by less than 0.5 mm/s.
_GAIN, _FORCE = (1.0e5, 1.0e5, 3.0e4), (1500.0, 1500.0, 600.0)
RANGE_LIMITS = (0.02, 5.0)  # m, MaxBotix MB1604 as on AVATRINA


@part("base", "omni")
def omni_base() -> BasePart:
    """An omnidirectional base with round corners."""
    spec = new_spec("omni_base")
    base = spec.worldbody.add_body(name="base")
    inertia(base, MASS, (0, 0, 0.16), (0.28, 0.26, 0.12))
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    axes = (("base_x", slide, [1, 0, 0]), ("base_y", slide, [0, 1, 0]), ("base_yaw", hinge, [0, 0, 1]))
    for index, (name, kind, axis) in enumerate(axes):
        base.add_joint(name=name, type=kind, axis=axis)
        actuator = spec.add_actuator(
            name=name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            forcelimited=True,
            forcerange=[-_FORCE[index], _FORCE[index]],
        )
        actuator.set_to_velocity(kv=_GAIN[index])
    _draw(base)
    x, y = HALF_X - CORNER, HALF_Y - CORNER
    feel_box(base, (0, 0, 0.17), (HALF_X, y, 0.13))
    feel_box(base, (0, 0, 0.17), (x, HALF_Y, 0.13))
    for i, j in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        feel_cylinder(base, (i * x, j * y, 0.04), (i * x, j * y, 0.30), CORNER)
    ranges = _add_ranges(base)
    base.add_site(name="base_top", pos=[-0.12, 0, TOP], group=4)
    return BasePart(name="omni", spec=spec, top="base_top", ranges=ranges)


def _draw(base: mujoco.MjsBody) -> None:
    x, y, r = HALF_X - CORNER, HALF_Y - CORNER, CORNER
    for i, j in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        cylinder(base, (i * x, j * y, 0.075), (i * x, j * y, 0.25), r, SHELL)
    for i in (1, -1):
        # Wheels in pairs: only their rims show below the skirt.
        cylinder(base, (i * x, -y - 0.08, 0.075), (i * x, y + 0.08, 0.075), 0.075, RUBBER)
    # Slightly different heights, so that no two faces lie in one plane and flicker.
    box(base, (0, 0, 0.163), (HALF_X, y, 0.0885), SHELL)
    box(base, (0, 0, 0.164), (x, HALF_Y, 0.089), SHELL)
    ellipsoid(base, (0, 0, 0.245), (HALF_X - 0.03, HALF_Y - 0.03, 0.035), SHADE)
    capsule(base, (HALF_X - 0.012, -y, 0.17), (HALF_X - 0.012, y, 0.17), 0.018, ACCENT)
    capsule(base, (-HALF_X + 0.012, -y, 0.17), (-HALF_X + 0.012, y, 0.17), 0.018, GRAPHITE)


def _add_ranges(base: mujoco.MjsBody) -> tuple[str, ...]:
    names = []
    places = (
        ("front", HALF_X, 0.0),
        ("left", HALF_Y, 90.0),
        ("back", HALF_X, 180.0),
        ("right", HALF_Y, -90.0),
    )
    for name, distance, turn in places:
        yaw = np.radians(turn)
        # Looking outwards: z of the site is the beam.
        z = np.array([np.cos(yaw), np.sin(yaw), 0.0])
        x = np.array([0.0, 0.0, -1.0])
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.column_stack([x, np.cross(z, x), z]).ravel())
        names.append(f"range_{name}")
        base.add_site(name=names[-1], pos=[*(z[:2] * distance), 0.22], quat=quat, group=4)
    return tuple(names)
