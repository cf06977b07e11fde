"""Absolute mapping in the common palm frame (NimbRo, section 4): the hand's pose is the palm's target.

Both sides describe a hand by the same frame at the centre of its palm. When the operator comes home
(the first tracked hand of a session, and every re-homing) a place in the operator's room is laid on
a place at the avatar: the middle of the tracked hands on the middle of the same palms at home, the
heading of the operator's head on the avatar's forward. From then on

    p = p_home + s Rz(-yaw) (p_hand - p_room)          R = Rz(-yaw) R_hand

so that two hands keep their distance and an object between them fits. Orientation is not scaled.

Engaging moves no target: it fades from where it is to the absolute one over the watchdog's fade time,
position linear, rotation by slerp. So it does after re-homing and after a jump of the tracking.
A clutch enables the motion, as NimbRo's station does by being active.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.motion.retarget._kernels import absolute_step
from elsewhere.motion.retarget.base import Array, Retargeter, Settings
from elsewhere.records import Views


class Absolute(Retargeter):
    """The avatar's hand is where the operator's is. It fades in by itself, not by the watchdog's gain."""

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__(settings)
        own = self.settings
        self._fade = own.dt / max(own.fade_s, own.dt)
        self._home_p = np.ascontiguousarray(own.home_p, dtype=np.float64)
        self._arms = np.array(own.has_arm, np.int64)

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
        """See `Retargeter.step`."""
        absolute_step(
            state.whole,
            frame.whole,
            request.whole,
            valid,
            self.settings.scale,
            self._fade,
            now_ns,
            self._one_clutch,
            (self._arms, self._home_p),
            moving,
            palm_p,
            palm_q,
            self._work,
        )
