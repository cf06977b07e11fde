"""Short words for building scenes with MjSpec: materials, boxes, cylinders, turned and leafy meshes.

Everything for the eye only has no contact and belongs to group 2; what can be touched is in group 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.world.textures import Colour

Point = tuple[float, float, float]
BOX = mujoco.mjtGeom.mjGEOM_BOX
CYLINDER = mujoco.mjtGeom.mjGEOM_CYLINDER
CAPSULE = mujoco.mjtGeom.mjGEOM_CAPSULE
SPHERE = mujoco.mjtGeom.mjGEOM_SPHERE
ELLIPSOID = mujoco.mjtGeom.mjGEOM_ELLIPSOID
MESH = mujoco.mjtGeom.mjGEOM_MESH


def material(
    spec: mujoco.MjSpec, name: str, colour: Colour, *, specular: float = 0.1, emission: float = 0.0
) -> None:
    """Add a plain material."""
    made = spec.add_material(name=name)
    made.rgba = (*colour, 1.0)
    made.specular, made.shininess, made.emission = specular, 0.4, emission


def geom(
    body: Any,
    kind: Any,
    position: Point,
    size: Sequence[float],
    paint: str,
    *,
    touch: bool = False,
    **more: Any,
) -> Any:
    """Add a geom of a kind; `touch` makes it solid."""
    solid = int(touch)
    padded = (*size, *([0.0] * (3 - len(size))))
    return body.add_geom(
        type=kind,
        pos=position,
        size=padded,
        material=paint,
        contype=solid,
        conaffinity=solid,
        group=0 if touch else 2,
        **more,
    )


def box(body: Any, position: Point, half: Point, paint: str, *, touch: bool = False, **more: Any) -> Any:
    """Add a box with these half sizes."""
    return geom(body, BOX, position, half, paint, touch=touch, **more)


def hull(body: Any, position: Point, half: Point) -> Any:
    """Add an invisible solid box around something that is drawn in more detail."""
    return body.add_geom(type=BOX, pos=position, size=half, group=3)


def rod(body: Any, position: Point, radius: float, half: float, paint: str, **more: Any) -> Any:
    """Add an upright cylinder, for the eye unless `touch` is given."""
    return geom(body, CYLINDER, position, (radius, half), paint, **more)


def turned(spec: mujoco.MjSpec, name: str, profile: Sequence[tuple[float, float]], edges: int = 14) -> None:
    """Add a mesh turned around z from a profile of (radius, height), as on a lathe."""
    angles = np.linspace(0.0, 2 * np.pi, edges, endpoint=False)
    rings = [[(r * cos(a), r * sin(a), z) for a in angles] for r, z in profile]
    faces: list[tuple[int, int, int]] = []
    for ring in range(len(profile) - 1):
        for edge in range(edges):
            a, b = ring * edges + edge, ring * edges + (edge + 1) % edges
            faces += [(a, b, b + edges), (a, b + edges, a + edges)]
    add_mesh(spec, name, np.asarray(rings).reshape(-1, 3), faces)


def foliage(spec: mujoco.MjSpec, name: str, leaves: int, length: float, seed: int) -> None:
    """Add a mesh of arching leaves that spring from one point, as of a small indoor plant."""
    rng = np.random.default_rng(seed)
    points: list[Point] = []
    faces: list[tuple[int, int, int]] = []
    stations = 5
    for leaf in range(leaves):
        heading = 2.4 * leaf + rng.uniform(-0.3, 0.3)  # the golden angle spreads leaves evenly
        reach = length * rng.uniform(0.75, 1.1)
        lift = 1.35 - 0.75 * leaf / leaves + rng.uniform(-0.1, 0.1)
        bend = rng.uniform(0.5, 1.0)
        first, r, z = len(points), 0.01, 0.0
        for i in range(stations):
            s = i / (stations - 1)
            half = 0.17 * reach * np.sin(np.pi * min(0.98, 0.12 + 0.88 * s)) ** 0.8
            x, y = r * cos(heading), r * sin(heading)
            px, py = -sin(heading) * half, cos(heading) * half
            points += [(x + px, y + py, z + 0.25 * half), (x, y, z), (x - px, y - py, z + 0.25 * half)]
            slope = lift - bend * 1.7 * s
            r, z = r + reach / stations * cos(slope), z + reach / stations * sin(slope)
        for i in range(stations - 1):
            for k in (0, 1):
                a, b = first + 3 * i + k, first + 3 * i + k + 1
                faces += [(a, b, b + 3), (a, b + 3, a + 3)]
    add_mesh(spec, name, np.asarray(points), faces)


def add_mesh(
    spec: mujoco.MjSpec, name: str, points: NDArray[np.float64], faces: Sequence[tuple[int, int, int]]
) -> None:
    """Add a surface mesh. The renderer drops back faces, so each face is given twice."""
    doubled = np.concatenate([points, points])
    count = len(points)
    back = [(c + count, b + count, a + count) for a, b, c in faces]
    made = spec.add_mesh(name=name)
    made.uservert = doubled.ravel().tolist()
    made.userface = np.asarray([*faces, *back]).ravel().tolist()
    made.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
