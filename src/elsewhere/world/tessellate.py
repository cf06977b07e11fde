"""The visible shapes of a model as triangles, once: what a renderer without a graphics card draws.

Each geom keeps its own frame, so that moving it is one rotation and one translation.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
Mesh = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]
"""Points (n, 3), unit normals (n, 3), texture coordinates (n, 2), faces (m, 3), counter-clockwise."""

HIDDEN_GROUP = 3  # from this group on: collision shapes, and sites
ENDLESS = 10.0  # m, half size of a plane that has none
_G = mujoco.mjtGeom


@dataclass(frozen=True)
class Triangles:
    """All visible geoms, one after the other: geom `k` owns points and faces `first[k]` to `first[k+1]`."""

    geoms: Integers
    points: Floats
    normals: Floats
    uv: Floats
    faces: Integers
    first_point: Integers
    first_face: Integers

    @property
    def count(self) -> int:
        """How many triangles."""
        return len(self.faces)


def tessellate(model: mujoco.MjModel) -> Triangles:
    """The triangles of every geom that is meant to be seen."""
    parts: list[Mesh] = []
    geoms = []
    for index in range(model.ngeom):
        if int(model.geom_group[index]) < HIDDEN_GROUP:
            mesh = _mesh(model, index)
            if mesh is not None:
                parts.append(mesh)
                geoms.append(index)
    first_point = np.cumsum([0, *(len(part[0]) for part in parts)])
    first_face = np.cumsum([0, *(len(part[3]) for part in parts)])
    faces = [part[3] + start for part, start in zip(parts, first_point, strict=False)]
    return Triangles(
        geoms=np.array(geoms, np.int32),
        points=_stack([part[0] for part in parts], 3),
        normals=_stack([part[1] for part in parts], 3),
        uv=_stack([part[2] for part in parts], 2),
        faces=np.concatenate([np.zeros((0, 3)), *faces]).astype(np.int32),
        first_point=first_point.astype(np.int32),
        first_face=first_face.astype(np.int32),
    )


def _stack(arrays: list[NDArray[np.float64]], width: int) -> Floats:
    return np.concatenate([np.zeros((0, width)), *arrays]).astype(np.float32)


def _mesh(model: mujoco.MjModel, geom: int) -> Mesh | None:
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    if kind == _G.mjGEOM_BOX:
        return box(size)
    if kind == _G.mjGEOM_PLANE:
        return plane(size)
    if kind == _G.mjGEOM_SPHERE:
        return ellipsoid(np.full(3, size[0]))
    if kind == _G.mjGEOM_ELLIPSOID:
        return ellipsoid(size)
    if kind == _G.mjGEOM_CYLINDER:
        return turned(*_cylinder_profile(size[0], size[1]), slices(size[0]))
    if kind == _G.mjGEOM_CAPSULE:
        return turned(*_capsule_profile(size[0], size[1]), slices(size[0]))
    if kind == _G.mjGEOM_MESH:
        return _own_mesh(model, int(model.geom_dataid[geom]))
    return None


def slices(radius: float) -> int:
    """How many sides a round shape gets: as many as can be told from a circle across a room."""
    return int(np.clip(8 + 120 * radius, 8, 20)) // 2 * 2


def box(half: NDArray[np.float64]) -> Mesh:
    """Six faces with normals of their own. A texture is projected along z, as OpenGL's are here."""
    points: list[NDArray[np.float64]] = []
    normals: list[NDArray[np.float64]] = []
    faces: list[tuple[int, int, int]] = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            a, b = (axis + 1) % 3, (axis + 2) % 3
            first = len(points)
            for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner = np.zeros(3)
                corner[axis], corner[a], corner[b] = sign, sign * s, t
                points.append(corner)
                normals.append(normal)
            faces += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    corners = np.array(points)
    return corners * half, np.array(normals), _projected(corners), np.array(faces)


def plane(half: NDArray[np.float64]) -> Mesh:
    """A rectangle that faces +z."""
    corners = np.array([(-1.0, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
    extent = np.array([size if size > 0 else ENDLESS for size in half[:2]] + [0.0])
    normals = np.tile((0.0, 0.0, 1.0), (4, 1))
    return corners * extent, normals, _projected(corners), np.array([(0, 1, 2), (0, 2, 3)])


def ellipsoid(radii: NDArray[np.float64]) -> Mesh:
    """A sphere, stretched; normals are those of the stretched surface."""
    around = slices(float(radii.max()))
    angles = np.linspace(-np.pi / 2, np.pi / 2, around // 2 + 1)
    profile = np.stack([np.cos(angles), np.sin(angles)], 1)
    profile[[0, -1], 0] = 0.0  # not 6e-17, which would make slivers at the poles
    points, _, uv, faces = turned(profile, profile, around)
    normals = points / radii
    return points * radii, normals / np.linalg.norm(normals, axis=1, keepdims=True), uv, faces


def turned(profile: NDArray[np.float64], normals: NDArray[np.float64], around: int) -> Mesh:
    """A surface turned around z from a profile (radius, height) with its normals, bottom to top.

    Two equal profile points in a row make a sharp edge: each keeps the normal of its own side.
    """
    angle = 2 * np.pi * np.arange(around) / around
    c, s = np.cos(angle), np.sin(angle)
    points = np.stack([np.outer(profile[:, 0], c), np.outer(profile[:, 0], s)], 2)
    points = np.concatenate([points, np.repeat(profile[:, 1], around).reshape(-1, around, 1)], 2)
    outward = np.stack([np.outer(normals[:, 0], c), np.outer(normals[:, 0], s)], 2)
    outward = np.concatenate([outward, np.repeat(normals[:, 1], around).reshape(-1, around, 1)], 2)
    faces = []
    for ring in range(len(profile) - 1):
        if np.allclose(profile[ring], profile[ring + 1]):
            continue
        for k in range(around):
            a, b = ring * around + k, ring * around + (k + 1) % around
            if profile[ring, 0] > 0.0:
                faces.append((a, b, b + around))
            if profile[ring + 1, 0] > 0.0:
                faces.append((a, b + around, a + around))
    flat = points.reshape(-1, 3)
    reach = np.maximum(np.abs(flat).max(axis=0), 1e-9)
    return flat, outward.reshape(-1, 3), _projected(flat / reach), np.array(faces)


def _cylinder_profile(radius: float, half: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    profile = [(0, -half), (radius, -half), (radius, -half), (radius, half), (radius, half), (0, half)]
    normals = [(0, -1), (0, -1), (1, 0), (1, 0), (0, 1), (0, 1)]
    return np.array(profile, float), np.array(normals, float)


def _capsule_profile(radius: float, half: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    steps = slices(radius) // 4
    low = np.linspace(-np.pi / 2, 0.0, steps + 1)
    angles = np.concatenate([low, -low[::-1]])
    normals = np.stack([np.cos(angles), np.sin(angles)], 1)
    normals[[0, -1], 0] = 0.0
    shift = np.concatenate([np.full(steps + 1, -half), np.full(steps + 1, half)])
    return normals * radius + np.stack([np.zeros_like(shift), shift], 1), normals


def _own_mesh(model: mujoco.MjModel, mesh: int) -> Mesh:
    """A mesh of the model: corners with the same point and the same normal are shared."""
    face, faces = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    point_of = model.mesh_face[face : face + faces].reshape(-1)
    normal_of = model.mesh_facenormal[face : face + faces].reshape(-1)
    uv_start = int(model.mesh_texcoordadr[mesh])
    uv_of = model.mesh_facetexcoord[face : face + faces].reshape(-1) if uv_start >= 0 else 0 * point_of
    corners, index = np.unique(np.stack([point_of, normal_of, uv_of], 1), axis=0, return_inverse=True)
    points = model.mesh_vert[model.mesh_vertadr[mesh] + corners[:, 0]]
    normals = model.mesh_normal[model.mesh_normaladr[mesh] + corners[:, 1]]
    uv = model.mesh_texcoord[uv_start + corners[:, 2]] if uv_start >= 0 else np.zeros((len(corners), 2))
    return points, normals, uv, index.reshape(-1, 3)


def _projected(unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Texture coordinates of points in -1..1: u along x, v against y, since images start at the top."""
    return np.stack([0.5 + 0.5 * unit[:, 0], 0.5 - 0.5 * unit[:, 1]], 1)
