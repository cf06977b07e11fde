"""What every torque law is: from a wanted joint motion to joint torques."""

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
    def step(self, q: Array, dq: Array, q_wanted: Array, dq_wanted: Array, tau: Array) -> None:
        """Write the torques for measured (q, dq) and wanted (q_wanted, dq_wanted) into `tau`."""
