"""Fingers of the model from the opening of a gripper (ONIA, section II: linear)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import ModelError

Array = NDArray[np.float64]

LOST = 0.5
"""Opening that is shown while the true one is unknown: a hand at rest is half open."""


@dataclass(frozen=True)
class FingerRange:
    """Flexion of thumb, index and the other fingers, with the gripper closed and wide open [rad].

    The gripper's two fingers are thumb and index: closed, these meet. The other fingers go with the
    index, further closed, as in a pinch. The angles are annotation data of a model; these are a default.
    """

    closed: tuple[float, float, float] = (0.75, 2.2, 2.4)
    wide: tuple[float, float, float] = (0.05, 0.10, 0.25)

    def __post_init__(self) -> None:
        if not np.isfinite([*self.closed, *self.wide]).all():
            raise ModelError("The finger angles of a human model must be finite numbers.")

    def angles(self, opening: float) -> Array:
        """Angles (3,) of thumb, index, others at this opening, 0 (closed) to 1; clamped, and NaN is `LOST`.

            phi = phi_closed + g (phi_wide - phi_closed)

        Invariant: always between the two ends.
        """
        g = LOST if math.isnan(opening) else min(max(opening, 0.0), 1.0)
        low, high = np.array(self.closed), np.array(self.wide)
        return (1.0 - g) * low + g * high
