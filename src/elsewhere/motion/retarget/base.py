"""What every retargeter is: from an operator's frames to palm targets of the avatar."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elsewhere.records import Views

Array = NDArray[np.float64]

STATE = np.dtype(
    [
        ("engaged", "i8", (2,)),
        ("session", "u8"),
        ("seq", "u8"),
        # The operator's hands between frames: see `_smoothing_kernels`. The first axis is the side.
        ("period", "f8"),  # measured time from frame to frame [s]
        ("lag", "f8"),  # age of the freshest frames when they arrive [s]
        ("known", "i8", (2,)),  # whether frames of the hand are remembered
        ("jumped", "i8", (2,)),  # the hand is elsewhere than it was: start again from there
        ("frame_ns", "i8", (2, 2)),  # the older and the newest frame
        ("frame_p", "f8", (2, 2, 3)),
        ("frame_q", "f8", (2, 2, 4)),
        ("trust", "f8", (2, 2)),  # share of the newest velocity that is believed: way, turn
        ("rest_ns", "i8", (2,)),  # when the newest frame corrected the hand ...
        ("rest", "f8", (2, 6)),  # ... and by what; fades within a period
        ("hand_p", "f8", (2, 3)),  # the hand now, in the operator's room
        ("hand_q", "f8", (2, 4)),
        # Clutched mapping.
        ("yaw", "f8", (2,)),
        ("last_p", "f8", (2, 3)),
        ("last_q", "f8", (2, 4)),
        # Absolute mapping.
        ("homed", "i8"),
        ("rehome", "u8"),
        ("home_yaw", "f8"),
        ("home_hand", "f8", (3,)),  # a place in the operator's room ...
        ("home_palm", "f8", (3,)),  # ... and the same place at the avatar
        ("blend", "f8", (2,)),
        ("start_p", "f8", (2, 3)),
        ("start_q", "f8", (2, 4)),
        ("target_p", "f8", (2, 3)),
        ("target_q", "f8", (2, 4)),
    ]
)
"""The memory of any retargeter: one record for all, so that a snapshot has one form for every rig."""


@dataclass(frozen=True)
class Settings:
    """What a retargeter is made for. `home_p` (2, 3): the palms of the arms' homes [m]."""

    scale: float = 1.0
    clutches: int = 2
    dt: float = 0.004
    fade_s: float = 3.0
    home_p: Array = field(default_factory=lambda: np.zeros((2, 3)))
    has_arm: tuple[bool, bool] = (True, True)


class Retargeter(ABC):
    """Turns operator frames into palm targets in the base frame. Its state is one record.

    Invariants: engaging moves no target, a released or lost hand moves nothing, a hand at rest leaves
    its target unchanged.
    """

    STATE = STATE

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._one_clutch = self.settings.clutches == 1
        self._work = np.zeros((8, 4))

    @abstractmethod
    def step(
        self,
        state: Views,
        frame: Views,
        request: Views,
        valid: bool,
        gain: float,
        now_ns: int,
        moving: NDArray[np.int64],
        palm_p: Array,
        palm_q: Array,
    ) -> None:
        """Advance `state` in place by one outer tick.

        `valid`: the frame passed the watchdog. `gain`: 0..1 while fading in. `moving[side]`: the
        commanded arm is not at rest. `palm_p`, `palm_q`: palms of the commanded joints.
        Afterwards `state.engaged`, `state.target_p`, `state.target_q` hold the result.
        """
