"""Clutched relative mapping in a frozen body-yaw frame (AVATRINA, section 4.3, eq. 8-11).

While the clutch is held, every increment of the operator's hand moves the target:

    p <- p + s Rz(-yaw) dp          R <- exp(s Rz(-yaw) log dR) R,    dR = R_c(t) R_c(t-1)^T

with `yaw` the heading of the operator's head when the clutch was pressed. This is the corrected
form: printed eq. 10 would spin the target of a motionless hand, printed eq. 11 would turn about the
tool's axes. The hand is the smoothed one (`_smoothing_kernels`). Invariants: pressing the clutch moves no
target; a released hand moves nothing; a hand at rest leaves its target unchanged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.motion.retarget._kernels import clutched_step
from elsewhere.motion.retarget.base import Array, Retargeter
from elsewhere.records import Views


class Clutched(Retargeter):
    """The default retargeter: relative motion while a clutch is held, at the given scale."""

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
        """See `Retargeter.step`. The increments count by `gain` while the avatar fades in."""
        clutched_step(
            state.whole,
            frame.whole,
            valid,
            gain * self.settings.scale,
            now_ns,
            self._one_clutch,
            moving,
            palm_p,
            palm_q,
            self._work,
        )
