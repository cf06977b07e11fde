"""What the joints of an arm may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class JointLimits:
    """Limits of `n` joints, each an array of shape (n,): rad, rad/s, rad/s^2, rad/s^3, N m, N m/s, W.

    Velocity, acceleration, jerk, torque and torque rate hold in both directions. Power is what a motor
    may put into its joint; taking power out, by braking, is not limited.
    """

    POWER_SHARE: ClassVar[float] = 0.6
    """Where the data sheet tells no power: this share of full torque at full velocity. Well above the
    load of gravity (AVATRINA, eq. 7, limits that too), and a joint never needs both at once."""

    lower: Vector
    upper: Vector
    velocity: Vector
    acceleration: Vector
    jerk: Vector
    torque: Vector
    torque_rate: Vector
    power: Vector = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if not len(self.power):
            object.__setattr__(self, "power", self.POWER_SHARE * self.torque * self.velocity)

    @property
    def middle(self) -> Vector:
        """The pose with every joint in the middle of its range."""
        return 0.5 * (self.lower + self.upper)

    def margin(self, q: Vector) -> float:
        """Distance [rad] of the joint that is nearest to a limit; negative when one is beyond."""
        return float(np.min(np.minimum(q - self.lower, self.upper - q)))
