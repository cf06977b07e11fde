"""Minimum-jerk reaches: how people move a hand from one place to another (Flash and Hogan, 1985)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.spatial._kernels import quat_exp, quat_log, quat_multiply

Array = NDArray[np.float64]

PEAK = 1.875
"""Peak speed over mean speed of a minimum-jerk reach: 15/8."""


def progress(share: float) -> float:
    """Way done after a share of the time: 10 s^3 - 15 s^4 + 6 s^5, from 0 to 1 at rest at both ends."""
    s = min(max(share, 0.0), 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def difference(q_to: Array, q_from: Array) -> Array:
    """Rotation vector, in common axes, that turns q_from into q_to."""
    inverse = np.array([q_from[0], -q_from[1], -q_from[2], -q_from[3]])
    turn, vector = np.zeros(4), np.zeros(3)
    quat_multiply(np.asarray(q_to, float), inverse, turn)
    quat_log(turn, vector)
    return vector


def turned(q: Array, vector: Array) -> Array:
    """The orientation q, turned by a rotation vector in common axes."""
    turn, out = np.zeros(4), np.zeros(4)
    quat_exp(np.asarray(vector, float), turn)
    quat_multiply(turn, np.asarray(q, float), out)
    return out


class Reach:
    """A minimum-jerk motion between two poses, no faster than `speed` [m/s] and `turn` [rad/s]."""

    def __init__(
        self, p_from: Array, q_from: Array, p_to: Array, q_to: Array, speed: float, turn: float = 1.0
    ) -> None:
        self.p_from, self.q_from = np.array(p_from, float), np.array(q_from, float)
        self.way = np.asarray(p_to, float) - self.p_from
        self.turn = difference(q_to, q_from)
        longest = max(np.linalg.norm(self.way) / speed, np.linalg.norm(self.turn) / turn)
        self.duration = max(0.3, PEAK * float(longest))

    def at(self, t: float) -> tuple[Array, Array]:
        """Position and orientation t seconds after the start."""
        s = progress(t / self.duration)
        return self.p_from + s * self.way, turned(self.q_from, s * self.turn)
