"""The base follows the wanted twist through a trapezoid profile (AVATRINA, section 4.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.motion._kernels import drive_step
from elsewhere.records import Views

Array = NDArray[np.float64]

ACCELERATION = np.array([0.5, 0.5, 2.5])  # AVATRINA: m/s^2, m/s^2, rad/s^2
DECELERATION = np.array([1.0, 1.0, 2.5])


class Drive:
    """Wanted twist (vx, vy, wz in the base frame) to commanded twist. Its state is that twist."""

    STATE = np.dtype([("twist", "f8", (3,))])

    def __init__(self, speed: float, turn: float, dt: float) -> None:
        self.top = np.array([speed, speed, turn])
        self.dt = dt

    def step(self, state: Views, wanted: Array) -> None:
        """Advance `state.twist` by one outer tick towards `wanted`, within speed and acceleration."""
        drive_step(wanted, self.top, ACCELERATION, DECELERATION, self.dt, state.twist)
