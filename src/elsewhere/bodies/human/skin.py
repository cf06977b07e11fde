"""The skin of a posed human."""

from __future__ import annotations

import numpy as np

from elsewhere.bodies.human import _skin_kernels as kernels
from elsewhere.bodies.human.human import Human
from elsewhere.bodies.human.mesh import Array


def skinned(human: Human, matrices: Array, out: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
    """Vertices (n, 3) and unit normals (n, 3) after linear blend skinning: x' = sum_k w_k M_k x.

    `matrices` (joints, 4, 4) take points of the rest pose to the posed ones, as `dress` gives them.
    `out` may hold arrays to write into, so that a loop allocates nothing.
    """
    mesh = human.mesh
    vertices, normals = out or (np.empty_like(mesh.vertices), np.empty_like(mesh.normals))
    kernels.skin(
        mesh.vertices, mesh.normals, mesh.skin_joints, mesh.skin_weights,
        np.ascontiguousarray(matrices, np.float64), vertices, normals,
    )  # fmt: skip
    return vertices, normals
