"""The watchdog: nothing stale, repeated, out of order or from the future moves the avatar.

NimbRo, section 2.7 and its state machine: no valid frame for 100 ms, then HOLD; back through FADE,
during which the operator's motion counts from 0 to 1 over 3 s; then TRACK. STOPPED on request.
"""

from __future__ import annotations

import numpy as np

from elsewhere.records import FRAME, Views
from elsewhere.status import Mode, Status

FUTURE_NS = 20_000_000
"""How far in the future a frame may seem to be: what the measured clock offset may be wrong by."""


class Watchdog:
    """Decides each tick which frame counts, and in which mode the avatar is."""

    STATE = np.dtype(
        [
            ("mode", "i8"),
            ("fade_ns", "i8"),  # when the fade began
            ("stop", "u8"),
            ("resume", "u8"),
            ("frame", FRAME),  # the last frame that was accepted
        ]
    )

    def __init__(self, limit_ms: float = 100.0, fade_s: float = 3.0) -> None:
        self.limit_ns = round(limit_ms * 1e6)
        self.fade_ns = round(fade_s * 1e9)

    def step(self, state: Views, frame: Views, request: Views, now_ns: int) -> tuple[bool, float, Status]:
        """Advance `state`; (`state.frame` counts, share of the operator's motion, status).

        Invariant: (session, seq) of `state.frame` rises strictly whenever that frame changes.
        """
        mode = int(state.mode[0])
        if request.stop[0] != state.stop[0]:
            state.stop[0] = request.stop[0]
            mode = Mode.STOPPED
        if request.resume[0] != state.resume[0]:
            state.resume[0] = request.resume[0]
            if mode == Mode.STOPPED:
                mode = Mode.HOLD
        # A new session begins with a hold of one tick: its hand poses have nothing to do with the old.
        broken = self._accept(state.frame, frame, now_ns)
        age_ns = now_ns - int(state.frame.sampled_ns[0])
        valid = state.frame.seq[0] > 0 and age_ns <= self.limit_ns and not broken

        if mode == Mode.STOPPED:
            valid, gain, status = False, 0.0, Status.STOPPED
        elif not valid:
            mode, gain, status = Mode.HOLD, 0.0, Status.NO_FRAME
        else:
            if mode == Mode.HOLD:
                mode, state.fade_ns[0] = Mode.FADE, now_ns
            gain, status = 1.0, Status.OK
            if mode == Mode.FADE:
                gain = (now_ns - int(state.fade_ns[0])) / max(self.fade_ns, 1)
                status = Status.FADING
                if gain >= 1.0:
                    mode, gain, status = Mode.TRACK, 1.0, Status.OK
        state.mode[0] = mode
        return bool(valid), gain, status

    def _accept(self, accepted: Views, frame: Views, now_ns: int) -> bool:
        """Take `frame` if it is newer than all before it, timely and sound; whether it opens a session."""
        seq, session, before = int(frame.seq[0]), int(frame.session[0]), int(accepted.session[0])
        if seq == 0 or (session, seq) <= (before, int(accepted.seq[0])):
            return False
        timely = -FUTURE_NS <= now_ns - int(frame.sampled_ns[0]) <= self.limit_ns
        if not (timely and _sound(frame)):
            return False
        for name in FRAME.names or ():
            getattr(accepted, name)[:] = getattr(frame, name)
        return session != before


def _sound(frame: Views) -> bool:
    """Whether every number is finite and every quaternion a rotation."""
    if not all(np.isfinite(values).all() for values in (frame.hand_p, frame.fingers, frame.base_twist)):
        return False
    hands, head = (frame.hand_q**2).sum(axis=1), (frame.head_q**2).sum()
    return bool((abs(hands - 1.0) < 1e-3).all() and abs(head - 1.0) < 1e-3)
