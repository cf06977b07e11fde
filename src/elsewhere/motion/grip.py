"""Fingers follow the operator's, at a bounded rate, and never by surprise.

After a hold, an absence or a change of session a hand keeps its grip until the operator's fingers
move: an operator who comes back with open fingers must not drop what the avatar holds. A moment
without tracking is no absence: the fingers then go on where the operator's are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.hand import Hand
from elsewhere.motion._kernels import grip_step
from elsewhere.records import FINGERS, MAX_MOTORS, Views

WAKE = 0.05
"""How far a finger must move before a hand that kept its grip follows again."""
PATIENCE_S = 0.5
"""How long a hand may be lost to the tracking without counting as an absence."""


class Grip:
    """Finger commands (0 open .. 1 closed) for the motors of both hands."""

    STATE = np.dtype(
        [
            ("motors", "f8", (2, MAX_MOTORS)),
            ("following", "i8", (2,)),
            ("away", "i8", (2,)),  # outer ticks without the operator's hand
            ("first", "f8", (2, FINGERS)),  # operator's fingers when they came (back)
            ("session", "u8"),
        ]
    )
    RATE = 2.5
    """Full strokes a second."""

    def __init__(self, hands: tuple[Hand | None, Hand | None], dt: float) -> None:
        self._most = self.RATE * dt
        self._patience = round(PATIENCE_S / dt)
        self._drive = np.full((2, MAX_MOTORS), -1, np.int64)
        for side, hand in enumerate(hands):
            if hand:
                self._drive[side, : len(hand.drive)] = hand.drive

    def init(self, state: Views, motors: NDArray[np.float64]) -> None:
        """Keep the fingers where they are."""
        state.motors[:], state.following[:], state.away[:] = motors, 0, self._patience + 1

    def step(self, state: Views, frame: Views, valid: bool) -> None:
        """Advance `state.motors` by one outer tick."""
        if frame.session[0] != state.session[0]:
            state.session[0], state.following[:], state.away[:] = frame.session[0], 0, self._patience + 1
        grip_step(
            valid,
            frame.tracked,
            frame.fingers,
            self._drive,
            self._most,
            WAKE,
            self._patience,
            state.motors,
            state.following,
            state.away,
            state.first,
        )
