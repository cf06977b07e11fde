"""The pose server of one arm: joints, gripper and hand from the newest tick (ONIA, section II)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.bodies.hand import Hand
from elsewhere.records import Record

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ArmSample:
    """One arm at one instant. `hand` is the palm's rotation (3, 3) in the base frame; points are (3,) [m].

    `opening` of the gripper is 0 closed .. 1 open. `closed` are its motors, 0 open .. 1 closed.
    """

    sampled_ns: int
    q: Array
    closed: Array
    opening: float
    shoulder: Array
    elbow: Array
    wrist: Array
    hand: Array


class PoseServer:
    """Reads one arm out of the ticks."""

    def __init__(self, arm: Arm, hand: Hand | None) -> None:
        """Raises ModelError for an arm without reference points."""
        arm.reference_points(arm.home)
        self.arm, self._motors = arm, len(hand.motors) if hand else 0

    def sample(self, tap: Record) -> ArmSample:
        """The arm as a tick (TAP) measured it."""
        state, side, arm = tap["state"], self.arm.side, self.arm
        q = np.array(state["q"][side, : arm.chain.n])
        closed = np.array(state["motors"][side, : self._motors])
        opening = 1.0 - float(closed.mean()) if self._motors else 1.0
        shoulder, elbow, wrist = arm.reference_points(q)
        return ArmSample(
            sampled_ns=int(state["sampled_ns"]),
            q=q,
            closed=closed,
            opening=min(max(opening, 0.0), 1.0),
            shoulder=shoulder,
            elbow=elbow,
            wrist=wrist,
            hand=arm.palm(q)[0],
        )
