"""A scripted operator: puts the red block on the tray, as a person would through the same link.

It knows what the link tells it and nothing else: the description of the scene that a newcomer gets,
and the avatar's state. It moves one hand by minimum-jerk reaches while it holds the clutch, waits
until the hand has arrived, and tries again when the gripper closed on nothing.
"""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from elsewhere.messages import (
    AvatarState,
    HandInput,
    HandState,
    HeadInput,
    OperatorFrame,
    SceneDescription,
    Stamp,
    ThingDescription,
)
from elsewhere.spatial._kernels import quat_from_matrix
from elsewhere.spatial.minimum_jerk import Reach, difference, turned

Array = NDArray[np.float64]
Script = Generator[None]

ABOVE = 0.14  # m: how far above a thing the hand comes and goes
CLEARANCE = 0.03  # m: how far above the tray's floor the block is let go
SPEED, CAREFUL = 0.25, 0.10  # m/s
NEAR, ALIGNED = 0.006, 0.06  # m, rad: arrived
PATIENCE_S = 1.5  # how long to wait for a hand that does not quite arrive
EMPTY = 0.93  # a gripper closed further than this holds nothing
TRIES = 4  # at grasping
ATTEMPTS = 4  # at one reach

IDENTITY = (1.0, 0.0, 0.0, 0.0)


class ScriptedOperator:
    """Call `step` a hundred times a second or more; send the frame that it returns."""

    def __init__(self, scene: SceneDescription, side: str = "right") -> None:
        self.scene, self.side = scene, side
        self.phase = "waiting for the avatar"
        self.finished = False
        self.tries = 0
        self._things = {thing.name: thing for thing in scene.things}
        self._seq = 0
        self._clutch = False
        self._fingers = 0.0
        self._hand_p, self._hand_q = np.array([0.0, 0.0, 1.0]), np.array(IDENTITY)
        self._script = self._put_block_on_tray()

    def step(self, state: AvatarState | None, now_ns: int) -> OperatorFrame:
        """The next frame, given the newest state of the avatar. `now_ns` is our own clock."""
        self._now = 1e-9 * now_ns
        if state is not None:
            self._state = state
            if not self.finished and next(self._script, _END) is _END:
                self.finished = True
        self._seq += 1
        hand = HandInput(
            tracked=True,
            clutch=self._clutch,
            position=(float(self._hand_p[0]), float(self._hand_p[1]), float(self._hand_p[2])),
            orientation=_quaternion(self._hand_q),
            fingers=(self._fingers,) * 6,
        )
        idle = HandInput(False, False, (0.0, 0.0, 0.0), IDENTITY, (0.0,) * 6)
        left, right = (hand, idle) if self.side == "left" else (idle, hand)
        stamp = Stamp(sampled_ns=now_ns, available_ns=now_ns)
        return OperatorFrame(self._seq, stamp, left, right, HeadInput(True, IDENTITY), (0.0, 0.0, 0.0))

    # --- the script -----------------------------------------------------------------------------

    def _put_block_on_tray(self) -> Script:
        for self.tries in range(1, TRIES + 1):
            block, tray = self._in_base("block_red"), self._in_base("tray")
            grasp = self._downward(block[1])
            yield from self._grip(0.0, "opening")
            yield from self._reach(block[0] + _up(ABOVE), grasp, SPEED, "reaching for the block")
            yield from self._reach(block[0], grasp, CAREFUL, "going down")
            yield from self._grip(1.0, "closing")
            yield from self._reach(block[0] + _up(ABOVE), grasp, CAREFUL, "lifting")
            if self._hand.fingers[1] < EMPTY:
                break
            self.phase = "closed on nothing: once more"
        else:
            return
        half = self._things["block_red"].half_size[2]
        floor = tray[0] + _up(half - self._things["tray"].half_size[2] + 0.006)
        yield from self._reach(tray[0] + _up(ABOVE), grasp, SPEED, "carrying")
        yield from self._reach(floor + _up(CLEARANCE), grasp, CAREFUL, "setting down")
        yield from self._reach(floor, grasp, 0.5 * CAREFUL, "setting down")
        yield from self._grip(0.0, "letting go")
        yield from self._reach(tray[0] + _up(ABOVE), grasp, CAREFUL, "leaving")
        self._clutch = False
        self.phase = "done"
        yield

    def _reach(self, p: Array, q: Array, speed: float, phase: str) -> Script:
        """Hold the clutch and bring the palm to a pose in the base frame, in a few attempts."""
        self.phase = phase
        for _ in range(ATTEMPTS):
            while self._state.mode != "track" or not self._hand.clutched:
                self._clutch = True
                yield
            yield from self._move(p, q, speed)
            if self._arrived(p, q):
                return

    def _move(self, p: Array, q: Array, speed: float) -> Script:
        """One reach, and the wait for the hand to arrive; ends early when the avatar holds."""
        start_p, start_q = np.array(self._hand.target_position), np.array(self._hand.target_orientation)
        hand_p, hand_q = self._hand_p.copy(), self._hand_q.copy()
        reach = Reach(start_p, start_q, p, q, speed)
        began = self._now
        while self._now - began < reach.duration + PATIENCE_S and self._state.mode == "track":
            way_p, way_q = reach.at(self._now - began)
            # Relative mapping at unit scale: the target moves as the hand does.
            self._hand_p = hand_p + way_p - start_p
            self._hand_q = turned(hand_q, difference(way_q, start_q))
            if self._now - began > reach.duration and self._arrived(p, q):
                return
            yield

    def _grip(self, closed: float, phase: str) -> Script:
        """Move the fingers, and wait until they have come to rest."""
        self.phase = phase
        began, before, rest = self._now, -1.0, self._now
        start = self._fingers
        while self._now - began < 2.0:
            share = min(1.0, (self._now - began) / 0.5)
            self._fingers = start + share * (closed - start)
            if abs(self._hand.fingers[1] - before) > 0.005:
                before, rest = self._hand.fingers[1], self._now
            if share == 1.0 and self._now - rest > 0.3:
                return
            yield

    # --- what it sees ---------------------------------------------------------------------------

    @property
    def _hand(self) -> HandState:
        return self._state.left if self.side == "left" else self._state.right

    def _arrived(self, p: Array, q: Array) -> bool:
        hand = self._hand
        off = np.linalg.norm(np.array(hand.position) - p)
        turn = np.linalg.norm(difference(q, np.array(hand.orientation)))
        return bool(off < NEAR and turn < ALIGNED)

    def _in_base(self, name: str) -> tuple[Array, float]:
        """Position and yaw of a thing in the base frame, where the avatar stands now."""
        thing: ThingDescription = self._things[name]
        x, y, yaw = self._state.base_pose
        c, s = math.cos(yaw), math.sin(yaw)
        dx, dy = thing.position[0] - x, thing.position[1] - y
        w, _, _, z = thing.orientation
        position = np.array([c * dx + s * dy, -s * dx + c * dy, thing.position[2]])
        return position, 2.0 * math.atan2(z, w) - yaw

    def _downward(self, yaw: float) -> Array:
        """Palm pointing down with its jaws along a side of the block: the nearest of the four ways."""
        now = np.array(self._hand.orientation)
        best, least = now, math.inf
        for quarter in range(4):
            angle = yaw + 0.5 * math.pi * quarter
            x, y = np.array([0.0, 0.0, -1.0]), np.array([-math.sin(angle), math.cos(angle), 0.0])
            q = np.zeros(4)
            quat_from_matrix(np.stack([x, y, np.cross(x, y)], axis=1), q)
            turn = float(np.linalg.norm(difference(q, now)))
            if turn < least:
                best, least = q, turn
        return best


def _up(height: float) -> Array:
    return np.array([0.0, 0.0, height])


def _quaternion(q: Array) -> tuple[float, float, float, float]:
    w, x, y, z = (float(value) for value in q / np.linalg.norm(q))
    return w, x, y, z


_END = object()
