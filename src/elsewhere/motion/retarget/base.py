"""What every retargeter is: from an operator's frame to palm targets of the avatar."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from elsewhere.records import Views


class Retargeter(ABC):
    """Turns operator frames into palm targets in the base frame. Its state is one record."""

    STATE: np.dtype[np.void]

    @abstractmethod
    def step(
        self,
        state: Views,
        frame: Views,
        valid: bool,
        gain: float,
        moving: NDArray[np.int64],
        palm_p: NDArray[np.float64],
        palm_q: NDArray[np.float64],
    ) -> None:
        """Advance `state` in place by one outer tick.

        `valid`: the frame passed the watchdog. `gain`: 0..1 while fading in. `moving[side]`: the
        commanded arm is not at rest. `palm_p`, `palm_q`: palms of the commanded joints.
        Afterwards `state.engaged`, `state.target_p`, `state.target_q` hold the result.
        """
