"""What a stream shows when a frame has no pose: the last good one, and for how long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.motion.align.pose import ArmPose
from elsewhere.motion.align.status import AlignStatus

HIDE_AFTER = 1.0
"""A pose held longer than this [s] says nothing about the robot any more."""


@dataclass
class HoldState:
    """The last good pose and when it was [s]; None before the first."""

    good: ArmPose | None = None
    seen: float = 0.0
    held_for: float = 0.0
    """How long the shown pose has been held [s]; 0 while poses are good."""


@dataclass(frozen=True)
class Hold:
    """Repeats the last good pose, with status HELD, while frames are degenerate or not finite.

    Invariant: what it gives is finite and was, but for the status, given by a solver; so no limb flies.
    Before the first good pose there is none to hold: the default pose comes with DEGENERATE.
    """

    hide_after: float = HIDE_AFTER

    def init(self) -> HoldState:
        """Nothing seen yet."""
        return HoldState()

    def step(self, state: HoldState, pose: ArmPose, now: float) -> ArmPose:
        """The pose to show at time `now` [s]; `state` is changed."""
        if pose.status not in (AlignStatus.DEGENERATE, AlignStatus.HELD) and np.isfinite(pose.packed).all():
            # Copied: a caller may solve every frame into the same array.
            state.good, state.seen, state.held_for = ArmPose.unpack(pose.packed.copy()), now, 0.0
            return pose
        state.held_for = now - state.seen
        if state.good is None:
            rest = ArmPose.rest()
            rest.packed[29] = AlignStatus.DEGENERATE
            return rest
        held = ArmPose.unpack(state.good.packed.copy())
        held.packed[29] = AlignStatus.HELD
        return held

    def visible(self, state: HoldState) -> bool:
        """Whether the arm is worth showing: a pose was seen, and not too long ago."""
        return state.good is not None and state.held_for <= self.hide_after
