"""The watchdog: nothing stale, repeated, out of order or from the future moves the avatar.

NimbRo, section 2.7 and its state machine: no valid frame for 100 ms, then HOLD; back through FADE,
during which the operator's motion counts from 0 to 1 over 3 s; then TRACK. STOPPED by the operator,
who alone ends it, or by a limit that was exceeded: then the arms give way and restart by themselves
after a pause, through HOLD and FADE. The reason of every transition is kept.
"""

from __future__ import annotations

import numpy as np

from elsewhere.records import FRAME, Views
from elsewhere.safety import _kernels
from elsewhere.status import STOP_STATUS, Mode, Reason, Status

FUTURE_NS = 20_000_000
"""How far in the future a frame may seem to be: what the measured clock offset may be wrong by."""


class Watchdog:
    """Decides each tick which frame counts, and in which mode the avatar is."""

    STATE = np.dtype(
        [
            ("mode", "i8"),
            ("reason", "i8"),  # status.Reason of the last transition
            ("fade_ns", "i8"),  # when the fade began
            ("stopped_ns", "i8"),  # when a limit was exceeded last
            ("stop", "u8"),
            ("resume", "u8"),
            ("frame", FRAME),  # the last frame that was accepted
        ]
    )

    def __init__(self, limit_ms: float = 100.0, fade_s: float = 3.0, restart_s: float = 2.0) -> None:
        self.limit_ns = round(limit_ms * 1e6)
        self.fade_ns = round(fade_s * 1e9)
        self.restart_ns = round(restart_s * 1e9)

    def step(
        self, state: Views, frame: Views, request: Views, now_ns: int, trip: int = 0
    ) -> tuple[bool, float, Status]:
        """Advance `state`; (`state.frame` counts, share of the operator's motion, status).

        `trip`: the `Reason` for which the guard wants a stop, or 0. Invariant: (session, seq) of
        `state.frame` rises strictly whenever that frame changes.
        """
        mode, gain = _kernels.decide(
            state.whole,
            state.frame.whole,
            frame.whole,
            request.whole,
            now_ns,
            self.limit_ns,
            FUTURE_NS,
            self.fade_ns,
            self.restart_ns,
            trip,
        )
        if mode == Mode.TRACK:
            return True, 1.0, Status.OK
        if mode == Mode.FADE:
            return True, gain, Status.FADING
        if mode == Mode.HOLD:
            return False, 0.0, Status.NO_FRAME
        return False, 0.0, STOP_STATUS.get(Reason(int(state.reason[0])), Status.STOPPED)

    def hold(self, state: Views, reason: Reason) -> None:
        """Hold, if not stopped: the robot is not where it was."""
        if int(state.mode[0]) != Mode.STOPPED:
            state.mode[0], state.reason[0] = Mode.HOLD, reason
