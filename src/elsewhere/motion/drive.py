"""The base follows the wanted twist through a trapezoid profile (AVATRINA, section 4.4).

Rotation excludes translation: while a turn is wanted or still going on, the translation is brought to
zero, and the turn waits for it; so the two are never commanded together. Up to the normal top speed the
operator is trusted. Wanting more is the fast mode, in which the range finders have the last word: the
base drives no faster towards what they see than it can stop `CLEARANCE` before it,

    v = sqrt((a r)^2 + 2 a s) - a r,     s = range - clearance,

with a share of the deceleration `a` and the reaction time `r`. Closer in only the normal mode leads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.motion._kernels import drive_step
from elsewhere.records import Views

Array = NDArray[np.float64]

ACCELERATION = np.array([0.5, 0.5, 2.5])  # AVATRINA: m/s^2, m/s^2, rad/s^2
DECELERATION = np.array([1.0, 1.0, 2.5])
CLEARANCE = 0.4  # m: what a fast base keeps from what it sees; arms reach further than the base
REACTION_S = 0.15  # of range finders (50 ms) and wheels
BRAKING = 0.8  # share of the deceleration that slowing down by the ranges uses


class Drive:
    """Wanted twist (vx, vy, wz in the base frame) to commanded twist. Its state is that twist.

    `speed`, `fast` [m/s] bound the length of the translation in the normal and in the fast mode, `turn`
    [rad/s] the rotation. A base without range finders has no fast mode.
    """

    STATE = np.dtype([("twist", "f8", (3,))])

    def __init__(self, speed: float, turn: float, dt: float, *, fast: float = 0.0) -> None:
        self.speed, self.turn, self.fast = speed, turn, max(fast, speed)
        self._top = np.array([speed, self.fast, turn])
        self._near = np.array([CLEARANCE, REACTION_S, BRAKING * DECELERATION[0]])
        self.dt = dt

    def step(self, state: Views, wanted: Array, ranges: Array) -> None:
        """Advance `state.twist` by one outer tick towards `wanted`, within speed and acceleration.

        `ranges` [m]: front, left, back, right; not positive means nothing seen.
        """
        drive_step(wanted, ranges, self._top, self._near, ACCELERATION, DECELERATION, self.dt, state.twist)
