"""A pose as position and unit quaternion, and its 4 x 4 matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.spatial._kernels import matrix_from_quat, quat_from_matrix
from elsewhere.spatial.minimum_jerk import difference, turned

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pose:
    """`p` (3,) [m] and `q` (4,), w, x, y, z."""

    p: Array
    q: Array

    @classmethod
    def of(cls, T: ArrayLike) -> Pose:
        """The pose of a rigid 4 x 4 matrix."""
        matrix, q = np.array(T, np.float64), np.zeros(4)
        quat_from_matrix(np.ascontiguousarray(matrix[:3, :3]), q)
        return cls(matrix[:3, 3].copy(), q / np.linalg.norm(q))

    @property
    def T(self) -> Array:
        """The 4 x 4 matrix."""
        T = np.eye(4)
        R = np.zeros((3, 3))
        matrix_from_quat(self.q, R)
        T[:3, :3], T[:3, 3] = R, self.p
        return T

    def minus(self, other: Pose) -> Array:
        """(6,): how far to shift [m] and turn [rad] `other`, in the axes of the world, to come here."""
        return np.concatenate([self.p - other.p, difference(self.q, other.q)])

    def plus(self, change: Array) -> Pose:
        """This pose, shifted and turned in the world's axes: `a.plus(b.minus(a))` is b."""
        q = turned(self.q, change[3:6])
        return Pose(self.p + change[:3], q / np.linalg.norm(q))

    def distance(self, other: Pose) -> tuple[float, float]:
        """Metres and radians to another pose."""
        change = self.minus(other)
        return float(np.linalg.norm(change[:3])), float(np.linalg.norm(change[3:]))


def inverse(T: Array) -> Array:
    """The inverse of a rigid 4 x 4 matrix: `inverse(T_a_b)` is T_b_a."""
    out = np.eye(4)
    out[:3, :3] = T[:3, :3].T
    out[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return out
