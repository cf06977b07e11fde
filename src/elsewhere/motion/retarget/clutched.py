"""Clutched relative mapping in a frozen body-yaw frame (AVATRINA, section 4.3, eq. 8-11).

While the clutch is held, every increment of the operator's hand moves the target:

    p <- p + s Rz(-yaw) dp          R <- exp(s Rz(-yaw) log dR) R,    dR = R_c(t) R_c(t-1)^T

with `yaw` the heading of the operator's head when the clutch was pressed. This is the corrected
form: printed eq. 10 would spin the target of a motionless hand, printed eq. 11 would turn about the
tool's axes. Invariants: pressing the clutch moves no target; a released hand moves nothing; a hand
at rest leaves its target unchanged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.motion.retarget._kernels import clutched_step
from elsewhere.motion.retarget.base import Retargeter
from elsewhere.records import Views

TOP_SPEED = 12.0  # m/s: paths of AVATRINA reach 8 m/s; what is faster is a jump of the tracking
TOP_TURN = 60.0  # rad/s


class Clutched(Retargeter):
    """The default retargeter: relative motion while a clutch is held, at the given scale."""

    STATE = np.dtype(
        [
            ("engaged", "i8", (2,)),
            ("session", "u8"),
            ("seq", "u8"),
            ("sampled_ns", "i8"),
            ("yaw", "f8", (2,)),
            ("last_p", "f8", (2, 3)),
            ("last_q", "f8", (2, 4)),
            ("target_p", "f8", (2, 3)),
            ("target_q", "f8", (2, 4)),
        ]
    )

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        self._work = np.zeros((3, 4))

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
        """See `Retargeter.step`."""
        if frame.session[0] != state.session[0]:  # hand poses of another session are not comparable
            state.session[0], state.engaged[:] = frame.session[0], 0
        fresh = valid and frame.seq[0] != state.seq[0]
        dt = 0.0
        if fresh:
            dt = max(0.005, 1e-9 * float(frame.sampled_ns[0] - state.sampled_ns[0]))
            state.seq[0], state.sampled_ns[0] = frame.seq[0], frame.sampled_ns[0]
        clutched_step(
            valid,
            fresh,
            dt,
            gain * self.scale,
            TOP_SPEED,
            TOP_TURN,
            (frame.tracked, frame.clutch, frame.hand_p, frame.hand_q, frame.head_q),
            (moving, palm_p, palm_q),
            (state.engaged, state.yaw, state.last_p, state.last_q, state.target_p, state.target_q),
            self._work,
        )
