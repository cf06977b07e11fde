"""One hand of a scripted operator: it reaches, presses, grips and feels, through the clutched mapping.

Every motion is a generator that is advanced once a frame and yields until it is over. It knows the
avatar by its state messages alone. The mapping is relative: the palm's target moves as the hand
does, so only differences of the hand's poses mean anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from elsewhere.messages import AvatarState, HandInput, HandState, Quaternion
from elsewhere.spatial.minimum_jerk import PEAK, Reach, difference, progress, turned

Array = NDArray[np.float64]
Script = Generator[None]
Feeling = Generator[None, None, bool]

SPEED, CAREFUL = 0.25, 0.10  # m/s
NEAR, ALIGNED = 0.006, 0.06  # m, rad: arrived
PATIENCE_S = 1.5  # how long to wait for a hand that does not quite arrive
ATTEMPTS = 4  # at one motion
EMPTY = 0.94  # a gripper closed further than this holds nothing
_CORRECTION = 0.008  # m: how far beyond its goal a palm is led in one more attempt
SETTLED = 2e-4  # m: a target that moves less from state to state stands
TOUCH = 4.0  # N: something is there
_PINCH_RATE = 0.15  # shares a second
_RESISTS = 0.09  # share: fingers so far behind have met something, also where no fingertip feels
_WAKE = 0.12  # share: a motion of the fingers that a hand which kept its grip does not overlook
_FOLLOWED = 0.03  # share: fingers so near are where they should be
_PRESSED = 1.0  # N on a fingertip
_SETTLE_S = 0.1
_LONGEST_SETTLE_S = 0.6


class Motion(Protocol):
    """A way of the palm in the base frame, at rest at both ends."""

    duration: float

    def at(self, t: float) -> tuple[Array, Array]:
        """Position and orientation t seconds after the start."""


class Swing:
    """A minimum-jerk turn of a point about an axle, the palm keeping its orientation."""

    def __init__(self, p: Array, q: Array, pivot: Array, axis: Array, angle: float, speed: float) -> None:
        self._arm, self._q, self._pivot = p - pivot, q, pivot
        self._axis, self._angle = axis, angle
        self.duration = max(0.3, PEAK * abs(angle) * float(np.linalg.norm(self._arm)) / speed)

    def at(self, t: float) -> tuple[Array, Array]:
        """Position and orientation t seconds after the start."""
        angle = self._angle * progress(t / self.duration)
        along = self._axis * np.dot(self._axis, self._arm)
        across = self._arm - along
        swung = np.cos(angle) * across + np.sin(angle) * np.cross(self._axis, across)
        return self._pivot + along + swung, self._q


class ScriptedHand:
    """The operator's hand of one side, the avatar's hand that it moves, and what that one feels."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.phase = "waiting for the avatar"
        self.tries = 0  # at grasping, all together
        self.now = 0.0  # s
        self._clutch = False
        self._fingers = 0.0
        self._p, self._q = np.array([0.0, 0.0, 1.0]), np.array(_IDENTITY)
        self._weight = np.zeros(3)

    def take(self, state: AvatarState, now: float) -> None:
        """The newest state of the avatar, and the time [s]."""
        self._state, self.now = state, now

    def input(self) -> HandInput:
        """What the frame says of this hand."""
        x, y, z = (float(value) for value in self._p)
        w, i, j, k = (float(value) for value in self._q / np.linalg.norm(self._q))
        return HandInput(True, self._clutch, (x, y, z), (w, i, j, k), (self._fingers,) * 6)

    # --- what it feels --------------------------------------------------------------------------

    @property
    def avatars(self) -> HandState:
        """The avatar's hand as last heard."""
        return self._state.left if self.side == "left" else self._state.right

    @property
    def palm(self) -> Array:
        """Measured position of the palm, in the base frame."""
        return np.array(self.avatars.position)

    @property
    def holding(self) -> bool:
        """Whether the closed jaws have something between them."""
        return self.avatars.fingers[1] < EMPTY

    @property
    def push(self) -> float:
        """How hard something pushes up against the hand since `weigh`, in newtons.

        The wrist's sensor has axes that nobody tells us; the hand's weight shows which way is down.
        """
        change = np.array(self.avatars.wrench[:3]) - self._weight
        weight = float(np.linalg.norm(self._weight))
        return float(-np.dot(change, self._weight) / weight) if weight > 1.0 else 0.0

    def weigh(self) -> Script:
        """Feel the hand's weight and that of what it holds, at rest, before it touches anything."""
        yield from self._settle()
        felt = []
        for _ in range(12):
            felt.append(self.avatars.wrench[:3])
            yield
        self._weight = np.mean(felt, axis=0)

    def arrived(self, p: Array, q: Array) -> bool:
        """Whether the palm is where it should be."""
        off = np.linalg.norm(self.palm - p)
        turn = np.linalg.norm(difference(q, np.array(self.avatars.orientation)))
        return bool(off < NEAR and turn < ALIGNED)

    # --- what it does ---------------------------------------------------------------------------

    def reach(self, p: Array, q: Array, speed: float, phase: str) -> Script:
        """Bring the palm to a pose in the base frame, in a few attempts.

        A palm that stays short of it is led a little beyond, as one does who watches it.
        """
        self.phase = phase
        aim = p
        for _ in range(ATTEMPTS):
            yield from self._engage()
            start_p, start_q = self._target()
            yield from self._follow(Reach(start_p, start_q, aim, q, speed), (p, q))
            if self.arrived(p, q):
                return
            if self.engaged:
                aim = aim + np.clip(p - self.palm, -_CORRECTION, _CORRECTION)

    def touch(self, p: Array, q: Array, speed: float, phase: str) -> Feeling:
        """Go to a pose, but stop at the first touch on the way. True when there was one."""
        self.phase = phase
        yield from self._engage()
        start_p, start_q = self._target()
        motion = Reach(start_p, start_q, p, q, speed)
        touched = yield from self._follow(motion, (p, q), lambda: self.push > TOUCH)
        yield from self._settle()
        return touched

    def swing(self, pivot: Array, axis: Array, angle: float, speed: float, phase: str) -> Script:
        """Lead what the hand holds about an axle; after a hold, the rest of the way."""
        self.phase = phase
        first = self._target()[0] - pivot
        for _ in range(ATTEMPTS):
            yield from self._engage()
            p, q = self._target()
            swung = math.atan2(np.dot(axis, np.cross(first, p - pivot)), np.dot(first, p - pivot))
            if angle - swung < ALIGNED:
                return
            motion = Swing(p, q, pivot, axis, angle - swung, speed)
            yield from self._follow(motion, motion.at(motion.duration))

    def nudge(self, step: Array) -> None:
        """Move by a small step, at once: for motions that feel their way frame by frame."""
        self._p = self._p + step

    def grip(self, closed: float, phase: str) -> Script:
        """Move the fingers, and wait until they have come to rest.

        After a hold the avatar keeps its grip until the fingers move clearly: then move them again.
        """
        self.phase = phase
        for _ in range(ATTEMPTS):
            yield from self._move_fingers(closed)
            short = closed - self.avatars.fingers[1]
            if abs(short) < _FOLLOWED or (short > 0.0 and self._feels_something):
                return
            yield from self._move_fingers(closed + _WAKE if closed < 0.5 else closed - _WAKE)

    def pinch(self, light: float, phase: str) -> Script:
        """Close slowly until something resists, and hold it lightly: `light` beyond where it was met."""
        self.phase = phase
        before = self.now
        while self._fingers < 1.0 and not self._feels_something:
            if self._fingers - self.avatars.fingers[1] > _RESISTS:
                break
            if self._state.mode == "track":  # or they would run ahead of fingers that cannot follow
                self._fingers = min(1.0, self._fingers + _PINCH_RATE * (self.now - before))
            before = self.now
            yield
        self._fingers = min(1.0, self.avatars.fingers[1] + light)
        yield from self.wait(0.3)

    @property
    def _feels_something(self) -> bool:
        """Whether two fingertips are pressed."""
        return sum(force > _PRESSED for force in self.avatars.fingertips) >= 2

    def _move_fingers(self, closed: float) -> Script:
        began, before, rest = self.now, -1.0, self.now
        start = self._fingers
        while self.now - began < 2.0:
            share = min(1.0, (self.now - began) / 0.5)
            self._fingers = start + share * (closed - start)
            if abs(self.avatars.fingers[1] - before) > 0.005:
                before, rest = self.avatars.fingers[1], self.now
            if share == 1.0 and self.now - rest > 0.3:
                return
            yield

    def wait(self, seconds: float) -> Script:
        """Do nothing for a while."""
        began = self.now
        while self.now - began < seconds:
            yield

    def release(self) -> None:
        """Let the clutch go: the avatar's hand stays where it is."""
        self._clutch = False

    @property
    def engaged(self) -> bool:
        """Whether the avatar follows this hand."""
        return self._state.mode == "track" and self.avatars.clutched

    # --- how it does it -------------------------------------------------------------------------

    def _engage(self) -> Script:
        """Hold the clutch until the avatar follows and its target stands."""
        while not self.engaged:
            self._clutch = True
            yield
        yield from self._settle()

    def _settle(self) -> Script:
        """Rest until the target does: what was sent a moment ago is still on its way."""
        began = still = self.now
        before = self._target()[0]
        while self.now - still < _SETTLE_S and self.now - began < _LONGEST_SETTLE_S:
            target = self._target()[0]
            if np.linalg.norm(target - before) > SETTLED:
                before, still = target, self.now
            yield

    def _target(self) -> tuple[Array, Array]:
        return np.array(self.avatars.target_position), np.array(self.avatars.target_orientation)

    def _follow(
        self, motion: Motion, goal: tuple[Array, Array], enough: Callable[[], bool] = lambda: False
    ) -> Feeling:
        """Go a way, and wait for the palm to arrive at the goal. True when it was `enough` before that.

        Ends early when the avatar holds: it must not be pulled when it comes back.
        """
        hand_p, hand_q = self._p.copy(), self._q.copy()
        start_p, start_q = motion.at(0.0)
        began = self.now
        while self.now - began < motion.duration + PATIENCE_S and self._state.mode == "track":
            if enough():
                return True
            way_p, way_q = motion.at(self.now - began)
            # Relative mapping at unit scale: the target moves as the hand does.
            self._p = hand_p + way_p - start_p
            self._q = turned(hand_q, difference(way_q, start_q))
            if self.now - began > motion.duration and self.arrived(*goal):
                return False
            yield
        return False


_IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
