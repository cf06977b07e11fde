"""What the joints of an arm may do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class JointLimits:
    """Limits of `n` joints, each an array of shape (n,): rad, rad/s, rad/s^2, rad/s^3, N m, N m/s.

    Velocity, acceleration, jerk, torque and torque rate hold in both directions.
    """

    lower: Vector
    upper: Vector
    velocity: Vector
    acceleration: Vector
    jerk: Vector
    torque: Vector
    torque_rate: Vector

    @property
    def middle(self) -> Vector:
        """The pose with every joint in the middle of its range."""
        return 0.5 * (self.lower + self.upper)

    def margin(self, q: Vector) -> float:
        """Distance [rad] of the joint that is nearest to a limit; negative when one is beyond."""
        return float(np.min(np.minimum(q - self.lower, self.upper - q)))
