"""One tick of the avatar: read, retarget, solve, torque, guard, write. The spine of the program.

    operator's frame -> watchdog -> retarget -> solve -> self-collision -> torque -> guard -> robot

An arm to which a frame gives a way in joint space (a trajectory script) follows that instead of its hand:
the same path from there on.

The inner rate (torque, guard) is 1 kHz; the outer rate (retarget, solve, head, base, fingers)
divides it. All that a tick remembers is one record (`Memory.record`): a replay that starts from a
recorded one and is fed the recorded states and frames gives the same commands to the bit. Time is
passed in; nothing here waits, logs or raises.
"""

from __future__ import annotations

import numpy as np

from elsewhere.avatar._kernels import gather, note
from elsewhere.bodies.body import Body
from elsewhere.motion.arm_motion import ArmMotion
from elsewhere.motion.drive import Drive
from elsewhere.motion.grip import Grip
from elsewhere.motion.look import Look
from elsewhere.motion.retarget.base import Retargeter
from elsewhere.motion.retarget.registry import make_retargeter
from elsewhere.motion.self_collision import SelfCollision
from elsewhere.motion.torque._kernels import DISPLACED, REST
from elsewhere.records import COMMAND, FRAME, TAP, Record, Views, byte_view, zeros
from elsewhere.safety.guard import Guard
from elsewhere.safety.watchdog import Watchdog
from elsewhere.status import Mode, Reason, Status
from elsewhere.touch.wrench_estimate import WrenchEstimate

STALE_STATE_NS = 20_000_000
"""A robot's state older than this is not acted on: the commanded joints come to rest."""

SNAPSHOT = np.dtype(
    [
        ("tick", "u8"),
        ("resets", "u8"),  # of the robot, as last seen
        ("watchdog", Watchdog.STATE),
        ("retarget", Retargeter.STATE),
        ("arms", ArmMotion.STATE, (2,)),
        ("moving", "i8", (2,)),
        ("drive", Drive.STATE),
        ("look", Look.STATE),
        ("grip", Grip.STATE),
        ("guard", Guard.STATE),
        ("command", COMMAND),  # what the guard released last
    ]
)


class Memory(Views):
    """All that a tick remembers, as one record and by attribute."""

    def __init__(self, record: Record | None = None) -> None:
        self.record = zeros(SNAPSHOT) if record is None else record.copy()
        super().__init__(self.record)
        self.both = Views(self.record["arms"])  # the same arms side by side: fields of shape (2, ...)
        if record is None:
            self.record["watchdog"]["frame"] = zeros(FRAME)


class Tick:
    """The parts of one avatar, and the order in which a tick runs through them."""

    def __init__(self, body: Body) -> None:
        control = body.rig.control
        inner, outer = 1.0 / control.rate_hz, 1.0 / control.outer_hz
        yaw, pitch, roll = np.radians(control.head_home_deg)
        self.body = body
        self.divisor = control.rate_hz // control.outer_hz
        self.watchdog = Watchdog(control.watchdog_ms, control.fade_s, control.restart_s)
        self.retarget = make_retargeter(body)
        self.arms = [ArmMotion(arm, control) if arm else None for arm in body.arms]
        self.touch = [WrenchEstimate(arm) if arm else None for arm in body.arms]
        self.self_collision = SelfCollision(body, outer)
        fast = control.base_fast if body.rig.sensors.ranges else 0.0
        self.drive = Drive(control.base_speed, control.base_turn, outer, fast=fast)
        self.look = Look(body, (yaw, pitch, roll), control.outer_hz)
        self.grip = Grip(body.hands, outer)
        self.guard = Guard(body, inner, control.stop_force)
        self.tap = zeros(TAP)
        self._now = Views(self.tap)
        self._wanted = Views(zeros(COMMAND))
        self._palm_p, self._palm_q = np.zeros((2, 3)), np.zeros((2, 4))
        self._inputs = [byte_view(self.tap[name]) for name in ("state", "frame", "request")]
        self._sent = byte_view(self.tap["command"])

    def init(self, state: Record) -> Memory:
        """What a tick remembers, for a robot found in `state`: it holds where it stands."""
        memory = Memory()
        self._start(memory, state)
        return memory

    def _start(self, memory: Memory, state: Record) -> None:
        """Let everything begin where the robot is."""
        retarget = memory.retarget
        retarget.engaged[:] = 0
        self.watchdog.hold(memory.watchdog, Reason.RESET if memory.tick[0] else Reason.STARTED)
        memory.drive.twist[:], memory.resets[0] = 0.0, state["resets"]
        for side, arm in enumerate(self.arms):
            if arm:
                arm.init(memory.arms[side], state["q"][side])
                self.guard.begin(memory.guard, side, memory.arms[side].reference)
                arm.palm(state["q"][side], retarget.target_p[side], retarget.target_q[side])
        self.look.init(memory.look, state["head"], float(state["baseline"]))
        self.grip.init(memory.grip, state["motors"])
        self.guard.init(memory.record["command"], state)

    def step(self, memory: Memory, state: Record, frame: Record, request: Record, now_ns: int) -> Record:
        """Advance `memory` by one tick; a TAP of all that happened (overwritten by the next tick)."""
        for place, record in zip(self._inputs, (state, frame, request), strict=True):
            place[:] = record.tobytes()
        now = self._now
        if now.state.resets[0] != memory.resets[0]:
            self._start(memory, state)
        trip = int(memory.guard.trip[0])
        if trip == Reason.BAD_REFERENCE:
            self._restart(memory)
        valid, gain, status = self.watchdog.step(memory.watchdog, now.frame, now.request, now_ns, trip)
        fresh = now_ns - int(now.state.sampled_ns[0]) <= STALE_STATE_NS
        if not fresh:
            valid, status = False, max(status, Status.STALE_STATE)
        outer = bool(memory.tick[0] % self.divisor == 0)
        if outer:
            self._outer(memory, valid, gain, now_ns)
        status = max(status, self._inner(memory, fresh, outer, gain, now_ns))
        self._note(memory, now_ns, gain, status, outer)
        memory.tick[0] += np.uint64(1)
        return self.tap

    def _restart(self, memory: Memory) -> None:
        """Let the commanded joints begin where the arms are: their own way was refused."""
        for side, arm in enumerate(self.arms):
            q = self._now.state.q[side]
            if arm and np.isfinite(q).all():
                arm.init(memory.arms[side], q)
                self.guard.begin(memory.guard, side, q)

    def _outer(self, memory: Memory, valid: bool, gain: float, now_ns: int) -> None:
        """Retarget and solve: where the hands, the head, the base and the fingers should go."""
        frame, request, retarget = memory.watchdog.frame, self._now.request, memory.retarget
        both = memory.both
        for side, arm in enumerate(self.arms):
            if arm and memory.moving[side]:
                arm.palm(memory.arms[side].q, self._palm_p[side], self._palm_q[side])
        palms = memory.moving, self._palm_p, self._palm_q
        self.retarget.step(retarget, frame, request, valid, gain, now_ns, *palms)
        for side, arm in enumerate(self.arms):
            if arm and valid and frame.way[side]:
                retarget.engaged[side] = 0  # a script has the arm, whatever the hand does
                arm.palm(memory.arms[side].q, retarget.target_p[side], retarget.target_q[side])
                arm.follow(memory.arms[side], frame, now_ns, gain)
            elif arm:
                engaged = bool(retarget.engaged[side])
                arm.solve(memory.arms[side], engaged, retarget.target_p[side], retarget.target_q[side])
        both.status[self.self_collision.step(both.q, both.dq, both.velocity)] = Status.TOUCHES_ITSELF
        self.drive.step(memory.drive, frame.base_twist if valid else _STILL, self._now.state.ranges)
        looks = int(memory.tick[0]) // self.divisor % self.look.divisor == 0
        self.look.step(memory.look, frame, request, valid, gain, both.q, looks)
        self.grip.step(memory.grip, frame, valid)

    def _inner(self, memory: Memory, fresh: bool, outer: bool, gain: float, now_ns: int) -> Status:
        """Torques, and through the guard: the one place where a command is released."""
        state, wanted, status = self._now.state, self._wanted, 0
        watchdog = memory.watchdog
        giving = int(watchdog.mode[0]) == Mode.STOPPED and int(watchdog.reason[0]) != Reason.OPERATOR_STOP
        for side, arm in enumerate(self.arms):
            if arm:
                own = memory.arms[side]
                q, dq, tau = state.q[side], state.dq[side], wanted.tau[side]
                terms = self._now.terms[side] if outer else None
                motion = arm.torque(own, q, dq, fresh, tau, terms, gain, giving)
                memory.moving[side] = motion != REST
                if motion == DISPLACED:
                    memory.retarget.engaged[side] = 0
                    self.guard.begin(memory.guard, side, own.reference)
                status = max(status, int(own.status[0]))  # comparing enums costs more than the work
        guard, reference = self.guard, memory.guard.q  # as the guard has seen it
        guard.watch(memory.guard, state, memory.both.reference)
        gather(memory.whole, wanted.whole)
        return max(_STATUS[status], guard.release(memory.command, wanted, state, now_ns, reference))

    def _note(self, memory: Memory, now_ns: int, gain: float, status: Status, outer: bool) -> None:
        """Fill in the tap what the tick decided and felt."""
        now = self._now
        note(memory.whole, now.whole, now_ns, gain, int(status))  # numba is slow with an enum
        for side, touch in enumerate(self.touch):
            if touch:
                q, tau, felt = now.state.q[side], now.state.tau[side], now.wrench_estimate[side]
                touch.step(q, tau, now.palm_p[side], now.palm_q[side], felt, outer)
        self._sent[:] = memory.command.whole.tobytes()


_STILL = np.zeros(3)
_STATUS = tuple(Status)
