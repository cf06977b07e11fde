"""Compiled skinning: every vertex moved by the weighted matrices of its joints."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Array = NDArray[np.float64]
Integers = NDArray[np.int32]


@kernel
def skin(
    vertices: Array, normals: Array, joints: Integers, weights: Array, matrices: Array,
    out: Array, out_normals: Array,
) -> None:  # fmt: skip
    """out = sum_k w_k M_k x; normals by the blended matrix's cofactors, which a stretch leaves square.

    `matrices` (joints, 4, 4) take rest-pose points to posed ones.
    """
    for i in range(vertices.shape[0]):
        a00 = a01 = a02 = a10 = a11 = a12 = a20 = a21 = a22 = 0.0
        tx = ty = tz = 0.0
        for k in range(4):
            w = weights[i, k]
            if w == 0.0:
                continue
            j = joints[i, k]
            a00 += w * matrices[j, 0, 0]
            a01 += w * matrices[j, 0, 1]
            a02 += w * matrices[j, 0, 2]
            a10 += w * matrices[j, 1, 0]
            a11 += w * matrices[j, 1, 1]
            a12 += w * matrices[j, 1, 2]
            a20 += w * matrices[j, 2, 0]
            a21 += w * matrices[j, 2, 1]
            a22 += w * matrices[j, 2, 2]
            tx += w * matrices[j, 0, 3]
            ty += w * matrices[j, 1, 3]
            tz += w * matrices[j, 2, 3]
        x, y, z = vertices[i, 0], vertices[i, 1], vertices[i, 2]
        out[i, 0] = a00 * x + a01 * y + a02 * z + tx
        out[i, 1] = a10 * x + a11 * y + a12 * z + ty
        out[i, 2] = a20 * x + a21 * y + a22 * z + tz
        x, y, z = normals[i, 0], normals[i, 1], normals[i, 2]
        nx = (a11 * a22 - a12 * a21) * x + (a12 * a20 - a10 * a22) * y + (a10 * a21 - a11 * a20) * z
        ny = (a02 * a21 - a01 * a22) * x + (a00 * a22 - a02 * a20) * y + (a01 * a20 - a00 * a21) * z
        nz = (a01 * a12 - a02 * a11) * x + (a02 * a10 - a00 * a12) * y + (a00 * a11 - a01 * a10) * z
        length = math.sqrt(nx * nx + ny * ny + nz * nz)
        if length < 1e-12:
            out_normals[i, 0], out_normals[i, 1], out_normals[i, 2] = x, y, z
        else:
            out_normals[i, 0], out_normals[i, 1], out_normals[i, 2] = nx / length, ny / length, nz / length
