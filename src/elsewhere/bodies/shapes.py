"""The few shapes that bodies are drawn and felt with, in one palette.

Visual geoms are in group 2 and touch nothing; collision geoms are in group 3 and are hidden when
rendering. Neither has mass: each body's inertia is given as numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco

Point = Sequence[float]
Colour = tuple[float, float, float, float]

SHELL: Colour = (0.93, 0.92, 0.89, 1.0)  # warm white
SHADE: Colour = (0.80, 0.79, 0.76, 1.0)  # the same in shade: seams and lower shells
GRAPHITE: Colour = (0.17, 0.18, 0.20, 1.0)
STEEL: Colour = (0.55, 0.57, 0.60, 1.0)
ACCENT: Colour = (0.06, 0.58, 0.57, 1.0)  # teal
GLASS: Colour = (0.03, 0.04, 0.06, 1.0)
RUBBER: Colour = (0.10, 0.10, 0.11, 1.0)

VISUAL_GROUP, COLLISION_GROUP = 2, 3

_CAPSULE, _CYLINDER = mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER
_BOX, _ELLIPSOID = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_ELLIPSOID
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def new_spec(name: str) -> mujoco.MjSpec:
    """An empty model with angles in radians."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    return spec


def inertia(body: mujoco.MjsBody, mass: float, centre: Point, box: Point) -> None:
    """Give a body the mass and inertia of a homogeneous box (half sizes) around `centre`."""
    x, y, z = (2.0 * half for half in box)
    body.explicitinertial = True
    body.mass, body.ipos = mass, list(centre)
    body.inertia = [mass / 12.0 * s for s in (y * y + z * z, x * x + z * z, x * x + y * y)]


def capsule(body: mujoco.MjsBody, start: Point, end: Point, radius: float, colour: Colour = SHELL) -> None:
    """Draw a tube with round ends."""
    _draw(body, _CAPSULE, [radius, 0.0, 0.0], colour, fromto=[*start, *end])


def cylinder(body: mujoco.MjsBody, start: Point, end: Point, radius: float, colour: Colour = SHELL) -> None:
    """Draw a tube with flat ends."""
    _draw(body, _CYLINDER, [radius, 0.0, 0.0], colour, fromto=[*start, *end])


def box(
    body: mujoco.MjsBody, centre: Point, half: Point, colour: Colour = SHELL, quat: Point = _UPRIGHT
) -> None:
    """Draw a box."""
    _draw(body, _BOX, list(half), colour, pos=list(centre), quat=list(quat))


def ellipsoid(
    body: mujoco.MjsBody, centre: Point, half: Point, colour: Colour = SHELL, quat: Point = _UPRIGHT
) -> None:
    """Draw an ellipsoid."""
    _draw(body, _ELLIPSOID, list(half), colour, pos=list(centre), quat=list(quat))


def feel_capsule(body: mujoco.MjsBody, start: Point, end: Point, radius: float) -> mujoco.MjsGeom:
    """A capsule that touches."""
    return _feel(body, type=_CAPSULE, size=[radius, 0.0, 0.0], fromto=[*start, *end])


def feel_cylinder(body: mujoco.MjsBody, start: Point, end: Point, radius: float) -> mujoco.MjsGeom:
    """A cylinder that touches."""
    return _feel(body, type=_CYLINDER, size=[radius, 0.0, 0.0], fromto=[*start, *end])


def feel_box(body: mujoco.MjsBody, centre: Point, half: Point) -> mujoco.MjsGeom:
    """A box that touches."""
    return _feel(body, type=_BOX, size=list(half), pos=list(centre))


def _draw(body: mujoco.MjsBody, kind: int, size: list[float], colour: Colour, **place: list[float]) -> None:
    body.add_geom(
        type=kind, size=size, rgba=colour, group=VISUAL_GROUP, contype=0, conaffinity=0, mass=0.0, **place
    )


def _feel(body: mujoco.MjsBody, **shape: object) -> mujoco.MjsGeom:
    return body.add_geom(group=COLLISION_GROUP, mass=0.0, rgba=(0.9, 0.4, 0.3, 0.4), **shape)
