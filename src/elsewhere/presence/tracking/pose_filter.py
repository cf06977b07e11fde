"""Poses that jitter, made steady: the form of a filter, what it remembers, and what it refuses.

ONIA (section II) filters the robot's base pose against jitter and gives no filter; a low-pass trades jitter
for lag. `ExponentialFilter` is the plain one, `AdaptiveFilter` the one that is used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from elsewhere.presence.tracking.pose import Pose

Array = NDArray[np.float64]


class Outcome(Enum):
    """What a filter made of a pose that it was given."""

    STARTED = "started"  # the first, or the first after a gap
    FOLLOWED = "followed"
    REFUSED = "refused"  # too far from all before, and not confirmed: a flipped marker, a wrong one
    MOVED = "moved"  # far from all before, but confirmed: taken as it is
    LATE = "late"  # not after the last one


@dataclass(frozen=True)
class JumpGate:
    """Decides whether a pose far from the expected one is an error or a real move.

    Within `metres` and `degrees` of the expectation (and four of its standard deviations) a pose is
    believed. One outside is refused, until poses that agree with each other have come for `confirm_s`: then
    the robot was really moved. So an error of a single picture never shows, and a move is believed
    `confirm_s` and one picture later.
    """

    metres: float = 0.08
    degrees: float = 20.0
    confirm_s: float = 0.15
    SIGMAS = 4.0

    def near(self, one: Pose, other: Pose, covariance: Array) -> bool:
        """Whether two poses agree as well as they can."""
        far, turn = one.distance(other)
        metres = self.metres + self.SIGMAS * float(np.sqrt(np.trace(covariance[:3, :3])))
        angle = np.radians(self.degrees) + self.SIGMAS * float(np.sqrt(np.trace(covariance[3:, 3:])))
        # Near half a turn a frontal marker's tilt would be believed whatever it is.
        return far <= metres and turn <= min(angle, np.radians(3.0 * self.degrees))


@dataclass(frozen=True, eq=False)
class Remembered:
    """What every filter remembers: when it last believed a pose, and a far one that is not confirmed."""

    time_s: float = -np.inf
    pose: Pose | None = None
    rival: Pose | None = None
    rival_since_s: float = 0.0


S = TypeVar("S", bound=Remembered)


@dataclass(frozen=True)
class PoseFilter(ABC, Generic[S]):
    """`init()` gives a state; `step` takes a pose and gives the next state and the outcome.

    Time is an argument; a state is never changed, so an old one may be taken up again. After a gap of
    `longest_gap_s` the filter starts anew.
    """

    gate: JumpGate = JumpGate()
    longest_gap_s: float = 1.0

    @abstractmethod
    def init(self) -> S:
        """Nothing is known."""

    def step(self, state: S, time_s: float, pose: Pose, covariance: Array) -> tuple[S, Outcome]:
        """Take a pose, measured at `time_s` with this (6, 6) covariance in the axes of the world."""
        gap = time_s - state.time_s
        if state.pose is None or gap > self.longest_gap_s:
            return self._start(time_s, pose, covariance), Outcome.STARTED
        if gap <= 0.0:
            return state, Outcome.LATE
        if self.gate.near(pose, self.expected(state, time_s), covariance):
            return replace(self._follow(state, gap, pose, covariance), rival=None), Outcome.FOLLOWED
        if state.rival is None or not self.gate.near(pose, state.rival, covariance):
            return replace(state, rival=pose, rival_since_s=time_s), Outcome.REFUSED
        if time_s - state.rival_since_s < self.gate.confirm_s - 1e-9:
            return replace(state, rival=pose), Outcome.REFUSED
        return self._start(time_s, pose, covariance), Outcome.MOVED

    @abstractmethod
    def expected(self, state: S, time_s: float) -> Pose:
        """Where the pose would be at `time_s`. The state knows at least one pose."""

    @abstractmethod
    def _start(self, time_s: float, pose: Pose, covariance: Array) -> S:
        """Take this pose as it is."""

    @abstractmethod
    def _follow(self, state: S, dt: float, pose: Pose, covariance: Array) -> S:
        """Blend in a pose that is believed, `dt` seconds after the last one."""


@dataclass(frozen=True)
class ExponentialFilter(PoseFilter[Remembered]):
    """Exponential smoothing with time constant `tau_s`: position by lerp, rotation by slerp.

    x += (1 - exp(-dt / tau)) (z - x). It lags by tau behind a steady motion, whatever the noise.
    """

    tau_s: float = 0.2

    def init(self) -> Remembered:
        """Nothing is known."""
        return Remembered()

    def expected(self, state: Remembered, time_s: float) -> Pose:
        """Where it was last."""
        assert state.pose is not None
        return state.pose

    def _start(self, time_s: float, pose: Pose, covariance: Array) -> Remembered:
        return Remembered(time_s, pose)

    def _follow(self, state: Remembered, dt: float, pose: Pose, covariance: Array) -> Remembered:
        assert state.pose is not None
        share = 1.0 - float(np.exp(-dt / self.tau_s))
        return Remembered(state.time_s + dt, state.pose.plus(share * pose.minus(state.pose)))
