"""A surface of triangles with the joints that move it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import ModelError

Array = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True)
class Material:
    """How triangles look besides their vertex colours: a factor, and a picture where a scan has one."""

    name: str = "body"
    colour: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    image: bytes | None = None
    mime: str = "image/png"


@dataclass(frozen=True, eq=False)
class SkinnedMesh:
    """Vertices [m] in the rest pose; each follows up to four joints. Triangles turn left seen from outside.

    `colours` are linear RGB. `uv` belongs to the pictures of `materials`; `material_of` says which one a
    triangle has. Skin weights are not negative and sum to one at each vertex.
    """

    vertices: Array  # (n, 3)
    normals: Array  # (n, 3)
    triangles: Integers  # (m, 3)
    skin_joints: Integers  # (n, 4)
    skin_weights: Array  # (n, 4)
    colours: Array  # (n, 3)
    uv: Array | None = None  # (n, 2)
    materials: tuple[Material, ...] = (Material(),)
    material_of: Integers = field(default_factory=lambda: np.zeros(0, np.int32))  # (m,)

    def __post_init__(self) -> None:
        n = len(self.vertices)
        if not len(self.material_of):
            object.__setattr__(self, "material_of", np.zeros(len(self.triangles), np.int32))
        if len(self.triangles) and int(self.triangles.max()) >= n:
            raise ModelError(f"A triangle of the mesh names a vertex beyond the last of {n}.")
        for name in ("vertices", "normals", "skin_weights", "colours"):
            if not np.isfinite(getattr(self, name)).all():
                raise ModelError(f"The {name} of the mesh are not all finite numbers.")


def vertex_normals(vertices: Array, triangles: Integers) -> Array:
    """Unit normals: the mean over the triangles at a vertex, weighted by their area."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for i in range(3):
        np.add.at(normals, triangles[:, i], faces)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 1e-15, normals / np.maximum(length, 1e-15), [0.0, 0.0, 1.0])


def signed_volume(vertices: Array, triangles: Integers) -> float:
    """Volume inside a closed surface; negative where the triangles face inwards."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def unpaired_edges(triangles: Integers) -> int:
    """How many directed edges lack exactly one opposite: 0 for a watertight, well oriented surface."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(
        np.int64
    )
    size = int(triangles.max()) + 1
    forward, backward = edges[:, 0] * size + edges[:, 1], edges[:, 1] * size + edges[:, 0]
    keys, counts = np.unique(forward, return_counts=True)
    return int((~np.isin(keys, backward)).sum() + (counts > 1).sum())
