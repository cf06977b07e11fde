"""A mapping under frames and outer ticks, for the tests of both mappings."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from elsewhere.motion.retarget.base import STATE, Settings
from elsewhere.motion.retarget.clutched import Clutched
from elsewhere.records import FRAME, REQUEST, Views, zeros

MS = 1_000_000


def quat(rotation):
    return rotation.as_quat(scalar_first=True)


class Bench:
    """A mapping under frames of 100 Hz and outer ticks of 250 Hz, in virtual time."""

    def __init__(self, scale=1.0, mapping=Clutched, **settings):
        self.map = mapping(Settings(scale=scale, **settings))
        self.record = np.zeros((), STATE)
        self.state = Views(self.record)
        self.frame, self.request = Views(zeros(FRAME)), Views(zeros(REQUEST))
        self.moving = np.zeros(2, np.int64)
        self.palm_p, self.palm_q = np.zeros((2, 3)), np.zeros((2, 4))
        self.palm_q[:, 0] = 1.0
        self.state.target_p[:] = [[0.5, 0.2, 1.0], [0.5, -0.2, 1.0]]
        self.state.target_q[:] = quat(Rotation.from_euler("xyz", [0.3, 1.2, -0.4]))
        self.frame.tracked[:] = 1
        self.now_ns = 1000 * MS

    def step(self, valid=True, gain=1.0, fresh=True):
        """One frame with what is in `frame` now, and the first tick that sees it."""
        if fresh:
            self.now_ns += 10 * MS
            self.frame.seq[0] += np.uint64(1)
            self.frame.sampled_ns[0] = self.now_ns - 2 * MS
        self.tick(valid, gain)

    def tick(self, valid=True, gain=1.0):
        palms = self.moving, self.palm_p, self.palm_q
        self.map.step(self.state, self.frame, self.request, valid, gain, self.now_ns, *palms)

    def settle(self, gain=1.0):
        """Frames and ticks with the hand at rest, until the smoothing has arrived."""
        for _ in range(8):
            self.step(gain=gain)
            for _ in range(2):
                self.now_ns += 4 * MS
                self.tick(gain=gain)

    def face(self, yaw, pitch=0.0):
        self.frame.head_q[:] = quat(Rotation.from_euler("ZY", [yaw, pitch]))

    def press(self, on=1):
        self.frame.clutch[:] = on
        self.step()
