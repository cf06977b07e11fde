"""A scripted hand through the loopback link, the real tick and the simulation, in virtual time.

What is logged at 1 kHz is what each stage made of the hand: the hand itself, the target that arrived, the
palm of the commanded joints, and the measured palm, all in the base frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.avatar.tick import Tick
from elsewhere.bodies.body import Body
from elsewhere.errors import LinkError
from elsewhere.lab.hand_motions import HandPath
from elsewhere.link.gate import FrameGate
from elsewhere.link.impairment import Impairment
from elsewhere.link.loopback import Loopback
from elsewhere.messages import (
    HandInput,
    HeadInput,
    OperatorFrame,
    Quaternion,
    Stamp,
    Vector3,
    decode_latest_up,
    encode,
)
from elsewhere.records import FRAME, REQUEST, Record, Views, zeros
from elsewhere.spatial.minimum_jerk import turned
from elsewhere.status import Mode
from elsewhere.world.simulation import Simulation

Array = NDArray[np.float64]

MS = 1_000_000
LINK = Impairment(delay_ms=2.0, jitter_ms=2.0)
JITTER_MS = 1.5  # of the headset's sampling, evenly up and down
STAMP_MS = 0.3  # standard deviation of what its time stamps are wrong by
NOISE_M, NOISE_RAD = 2e-4, 2e-3  # standard deviation of a tracked hand
FACING = 0.5  # rad: where the operator faces in the own room
START_S = 0.5  # from the clutch to the first motion


@dataclass(frozen=True)
class Log:
    """One run at 1 kHz. Fields (ticks, 2, 3) in the base frame [m]; the second axis is the side."""

    hand: Array
    target: Array
    commanded: Array
    measured: Array
    statuses: NDArray[np.int64]


class ScriptedHeadset:
    """Samples two hands at `rate_hz`, with jitter and noise, and sends them as a headset page does."""

    def __init__(self, paths: tuple[HandPath, HandPath], rate_hz: float, seed: int) -> None:
        self.paths = paths
        self.clutch = False
        self._rng = np.random.default_rng([seed, 7])
        self._period_ns = round(1e9 / rate_hz)
        self._frame = 0
        self._due_ns = 0
        self._c, self._s = math.cos(FACING), math.sin(FACING)

    def in_room(self, vector: Array) -> Array:
        """A vector of the base frame as the operator's room has it."""
        x, y, z = vector
        return np.array([self._c * x - self._s * y, self._s * x + self._c * y, z])

    def sample(self, now_ns: int, start_ns: int) -> OperatorFrame | None:
        """The frame that is due at `now_ns`, if one is. The motion starts at `start_ns`."""
        if now_ns < self._due_ns:
            return None
        rng = self._rng
        self._frame += 1
        jitter = rng.uniform(-JITTER_MS, JITTER_MS) * MS
        self._due_ns = round(self._frame * self._period_ns + jitter)
        stamp = now_ns + round(rng.normal(0.0, STAMP_MS) * MS)
        hands = [self._hand(path, 1e-9 * (now_ns - start_ns)) for path in self.paths]
        half = 0.5 * FACING
        head = HeadInput(True, (math.cos(half), 0.0, 0.0, math.sin(half)))
        return OperatorFrame(self._frame, Stamp(stamp, now_ns), hands[0], hands[1], head, (0.0, 0.0, 0.0))

    def _hand(self, path: HandPath, t: float) -> HandInput:
        offset = path.at(t)
        way = self.in_room(offset[:3]) + self._rng.normal(0.0, NOISE_M, 3)
        turn = turned(np.array([1.0, 0.0, 0.0, 0.0]), self.in_room(offset[3:]))
        q = turned(turn, self._rng.normal(0.0, NOISE_RAD, 3))
        position: Vector3 = (float(way[0]), float(way[1]), 1.0 + float(way[2]))
        orientation: Quaternion = (float(q[0]), float(q[1]), float(q[2]), float(q[3]))
        return HandInput(True, self.clutch, position, orientation, (0.0,) * 6)


class Lockstep:
    """Headset, loopback link, tick and simulation, a millisecond at a time."""

    def __init__(self, body: Body, headset: ScriptedHeadset, seed: int) -> None:
        self.headset = headset
        self.sim = Simulation(body, "empty", seed)
        self.tick = Tick(body)
        self.memory = self.tick.init(self.sim.state())
        self._link, self._gate = Loopback(LINK, seed=seed), FrameGate(1)
        self._link.avatar.latest.on_message(self._receive)
        self._frame, self._request = zeros(FRAME), zeros(REQUEST)

    def _receive(self, data: bytes) -> None:
        message = decode_latest_up(data)
        if isinstance(message, OperatorFrame):
            record = self._gate.admit(message, offset_ns=0, now_ns=self._link.now_ns)[1]
            if record is not None:
                self._frame = record

    def step(self, start_ns: int) -> Record:
        """One millisecond; the tap of its tick."""
        now_ns = self.sim.time_ns
        frame = self.headset.sample(now_ns, start_ns)
        if frame is not None:
            self._link.operator.latest.send(encode(frame))
        self._link.advance(now_ns)
        state = self.sim.read_state()
        tap = self.tick.step(self.memory, state, self._frame, self._request, now_ns)
        self.sim.step(tap["command"])
        return tap


def tracked_run(body: Body, paths: tuple[HandPath, HandPath], rate_hz: float, seed: int) -> Log:
    """Fade in, take the clutch, move as the paths say. Raises LinkError where no avatar follows."""
    headset = ScriptedHeadset(paths, rate_hz, seed)
    run = Lockstep(body, headset, seed)
    fade_ms = round(1e3 * body.rig.control.fade_s) + 300
    never = 10**15
    for _ in range(fade_ms):
        run.step(never)
    headset.clutch = True
    for _ in range(round(1e3 * START_S)):
        tap = run.step(never)
    if tap["mode"] != Mode.TRACK or not tap["clutched"].all():
        raise LinkError("The avatar does not follow the scripted hands: it needs two arms and a good link.")
    begin, start_ns = tap["target_p"].copy(), run.sim.time_ns
    count = round(1e3 * max(path.end for path in paths))
    log = {name: np.zeros((count, 2, 3)) for name in ("hand", "target", "commanded", "measured")}
    statuses = np.zeros((count, 2), np.int64)
    arms = [arm for arm in run.tick.arms if arm]
    view, q = Views(run.tick.tap), np.zeros(4)
    for i in range(count):
        tap = run.step(start_ns)
        for side, path in enumerate(paths):
            log["hand"][i, side] = begin[side] + path.at(1e-3 * i)[:3]
            arms[side].palm(view.q_wanted[side], log["commanded"][i, side], q)
        log["target"][i], log["measured"][i] = view.target_p, view.palm_p
        statuses[i] = view.arm_status
    return Log(log["hand"], log["target"], log["commanded"], log["measured"], statuses)
