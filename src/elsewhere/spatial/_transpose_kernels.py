"""Compiled pseudo-inverse of a transposed Jacobian: from joint torques to a wrench."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Array = NDArray[np.float64]

EPSILON = 1e-4  # AVATRINA, eq. 13: keeps the inverse bounded where the arm is singular


@kernel
def solve_positive(A: Array, b: Array) -> None:
    """b <- A^-1 b for a symmetric positive definite A, by Cholesky; A is overwritten."""
    n = b.shape[0]
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            A[i, j] = math.sqrt(s) if i == j else s / A[j, j]
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= A[i, k] * b[k]
        b[i] = s / A[i, i]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for k in range(i + 1, n):
            s -= A[k, i] * b[k]
        b[i] = s / A[i, i]


@kernel
def transposed_inverse(J: Array, n: int, torque: Array, A: Array, wrench: Array) -> None:
    """wrench = (J J^T + eps I)^-1 J torque, the damped pseudo-inverse of J^T (AVATRINA, eq. 13).

    `J` is (6, n or more), `A` is (6, 6) scratch.
    """
    for i in range(6):
        s = 0.0
        for k in range(n):
            s += J[i, k] * torque[k]
        wrench[i] = s
        for j in range(i + 1):
            s = 0.0
            for k in range(n):
                s += J[i, k] * J[j, k]
            A[i, j] = s
        A[i, i] += EPSILON
    solve_positive(A, wrench)
