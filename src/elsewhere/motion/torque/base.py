"""What every torque law is: from wanted joint velocities to joint torques."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm

Array = NDArray[np.float64]


class TorqueLaw(ABC):
    """Torques for one arm, every inner tick."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm

    @abstractmethod
    def step(
        self,
        bounds: Array,
        velocity: Array,
        q: Array,
        dq: Array,
        dt: float,
        q_wanted: Array,
        dq_wanted: Array,
        tau: Array,
    ) -> int:
        """Advance the wanted joints by `_kernels.advance`, and write the torques that bring them along.

        Both in one compiled call, since the call costs more than the work. `bounds` (4, n): lower and
        upper end, speed and acceleration; q, dq are measured. Returns REST, MOVING or DISPLACED.
        """
