"""A hostile operator: every kind of frame that must not hurt, from a seed.

Smooth motions up to 8 m/s, jumps of metres, numbers that are not finite, stale and future stamps,
repeated and falling sequence numbers, sessions that change, clutches that chatter, rotations by pi,
quaternions that are none. It writes raw records, past all checks of the link.
"""

from __future__ import annotations

import numpy as np

from elsewhere.records import FRAME, Record, zeros

MS = 1_000_000


class HostileOperator:
    """Call `step` once a millisecond of the avatar's clock; the slot's content after it is returned."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.frame = zeros(FRAME)
        self.frame["session"] = 1
        self._velocity = np.zeros((2, 3))
        self._spin = np.zeros((2, 3))
        self._calm = 0

    def step(self, now_ns: int) -> Record:
        """What lies in the slot at `now_ns`."""
        rng, frame = self.rng, self.frame
        # A new frame every few milliseconds: more often than any headset sends.
        if rng.random() < 0.85 and rng.random() > 0.15:
            return frame
        frame["seq"] += np.uint64(1)
        frame["sampled_ns"] = now_ns - int(rng.integers(0, 20)) * MS
        self._move()
        self._switch()
        if self._calm > 0:
            self._calm -= 1
        elif rng.random() < 0.08:
            self._spoil(now_ns)
            self._calm = int(rng.integers(0, 60))
        return frame

    def _move(self) -> None:
        """Go on as a fast hand does, and put right what was spoilt before."""
        rng, frame, dt = self.rng, self.frame, 0.008
        if rng.random() < 0.03:
            self._velocity = rng.normal(size=(2, 3)) * rng.choice([0.05, 0.5, 2.0, 8.0])
            self._spin = rng.normal(size=(2, 3)) * rng.choice([0.1, 1.0, 6.0])
        positions = np.nan_to_num(frame["hand_p"], nan=0.0, posinf=0.0, neginf=0.0) + self._velocity * dt
        frame["hand_p"] = np.clip(positions, -3.0, 3.0)
        q = np.nan_to_num(frame["hand_q"], nan=0.5, posinf=0.5, neginf=0.5)
        q[:, 1:] += 0.5 * dt * self._spin
        norms = np.linalg.norm(q, axis=1, keepdims=True)
        frame["hand_q"] = np.where(norms > 0.1, q / np.maximum(norms, 0.1), [1.0, 0.0, 0.0, 0.0])
        head = np.nan_to_num(frame["head_q"], nan=0.5) + rng.normal(size=4) * 0.01
        frame["head_q"] = head / max(np.linalg.norm(head), 1e-6)
        frame["fingers"] = np.clip(
            np.nan_to_num(frame["fingers"]) + rng.normal(size=(2, 6)) * 0.1, 0.0, 1.0
        )
        frame["base_twist"] = np.clip(np.nan_to_num(frame["base_twist"]), -1.0, 1.0)

    def _switch(self) -> None:
        rng, frame = self.rng, self.frame
        for name, chance in (("clutch", 0.02), ("tracked", 0.01)):
            for side in (0, 1):
                if rng.random() < chance:
                    frame[name][side] = rng.random() < 0.85
        frame["head_tracked"] = rng.random() < 0.95
        if rng.random() < 0.01:
            frame["base_twist"] = rng.normal(size=3) * 0.3

    def _spoil(self, now_ns: int) -> None:
        """One thing that no honest device sends."""
        rng, frame = self.rng, self.frame
        bad = rng.choice([np.nan, np.inf, -np.inf])
        match int(rng.integers(0, 12)):
            case 0:
                frame["hand_p"] += rng.normal(size=(2, 3)) * 2.0
            case 1:
                frame["hand_p"][rng.integers(2), rng.integers(3)] = bad
            case 2:
                frame["hand_q"][rng.integers(2), rng.integers(4)] = bad
            case 3:
                frame["hand_q"] = 0.0
            case 4:
                frame["sampled_ns"] = now_ns - int(rng.integers(101, 5000)) * MS
            case 5:
                frame["sampled_ns"] = now_ns + int(rng.integers(21, 5000)) * MS
            case 6:
                frame["seq"] = max(1, int(frame["seq"]) - int(rng.integers(0, 50)))
            case 7:
                frame["session"] = int(frame["session"]) + 1
            case 8:
                frame["session"] = max(1, int(frame["session"]) - 1)
            case 9:
                frame["base_twist"] = bad if rng.random() < 0.5 else 1e6
            case 10:
                frame["fingers"] = bad if rng.random() < 0.5 else 7.0
            case _:
                flip = np.array([0.0, 1.0, 0.0, 0.0])
                frame["hand_q"] = flip  # turned by pi in one frame
