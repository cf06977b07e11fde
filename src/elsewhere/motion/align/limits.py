"""How far a human arm goes, for the solvers that mind it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from elsewhere.errors import ModelError


@dataclass(frozen=True)
class ArmLimits:
    """Limits of ONIA's two baselines (section III-A), relative to the T-pose."""

    swing: float = math.radians(85.0)
    """Greatest angle of the upper arm from its default direction, to any side [rad]."""
    twist: float = math.radians(75.0)
    """Greatest turn of the upper arm about itself, either way [rad]."""
    hinge: tuple[float, float] = (0.0, math.radians(150.0))
    """Angles of the elbow, inward [rad]."""
    stretch: tuple[float, float] = (0.8, 1.3)

    def __post_init__(self) -> None:
        if not (0.0 < self.swing < math.pi and 0.0 <= self.twist <= math.pi):
            raise ModelError("An arm's swing must be in (0, pi) and its twist in [0, pi].")
        if not -math.pi < self.hinge[0] < self.hinge[1] < math.pi:
            raise ModelError(f"An elbow's range must increase within half a turn, not be {self.hinge}.")
        if not 0.0 < self.stretch[0] <= self.stretch[1]:
            raise ModelError(f"The stretch must be a positive interval, not {self.stretch}.")

    @property
    def packed(self) -> tuple[float, ...]:
        """In the order of the kernels."""
        return (self.swing, self.twist, *self.hinge, *self.stretch)
