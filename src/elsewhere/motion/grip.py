"""Fingers follow the operator's, at a bounded rate, and never by surprise.

After a hold or a change of session a hand keeps its grip until the operator's fingers move: an
operator who comes back with open fingers must not drop what the avatar holds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.hand import Hand
from elsewhere.motion._kernels import grip_step
from elsewhere.records import FINGERS, MAX_MOTORS, Views

WAKE = 0.05
"""How far a finger must move before a hand that kept its grip follows again."""


class Grip:
    """Finger commands (0 open .. 1 closed) for the motors of both hands."""

    STATE = np.dtype(
        [
            ("motors", "f8", (2, MAX_MOTORS)),
            ("following", "i8", (2,)),
            ("waiting", "i8", (2,)),
            ("first", "f8", (2, FINGERS)),  # operator's fingers when the wait began
        ]
    )
    RATE = 2.5
    """Full strokes a second."""

    def __init__(self, hands: tuple[Hand | None, Hand | None], dt: float) -> None:
        self._most = self.RATE * dt
        self._drive = np.full((2, MAX_MOTORS), -1, np.int64)
        for side, hand in enumerate(hands):
            if hand:
                self._drive[side, : len(hand.drive)] = hand.drive

    def init(self, state: Views, motors: NDArray[np.float64]) -> None:
        """Keep the fingers where they are."""
        state.motors[:], state.following[:], state.waiting[:] = motors, 0, 0

    def step(self, state: Views, frame: Views, valid: bool) -> None:
        """Advance `state.motors` by one outer tick."""
        grip_step(
            valid,
            frame.tracked,
            frame.fingers,
            self._drive,
            self._most,
            WAKE,
            state.motors,
            state.following,
            state.waiting,
            state.first,
        )
