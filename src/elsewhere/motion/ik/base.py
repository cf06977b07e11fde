"""What every differential solver is: from a palm target to joint velocities."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.status import Status

Array = NDArray[np.float64]


class Solver(ABC):
    """Joint velocities that bring the palm of one arm to its target, within the arm's limits."""

    def __init__(self, arm: Arm, dt: float) -> None:
        self.arm, self.dt = arm, dt

    @abstractmethod
    def step(self, q: Array, target_p: Array, target_q: Array, feed: Array, velocity: Array) -> Status:
        """Write the wanted joint velocities for commanded joints `q` into `velocity`.

        `feed` is the target's own twist, linear first: what the hand must do even without any error.
        Invariant: |velocity| is within the arm's limits, and keeping it for `dt` leaves no joint
        range. Returns OK or UNREACHABLE.
        """
