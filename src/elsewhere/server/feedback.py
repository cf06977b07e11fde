"""From the tick's tap to what operators are told, a hundred times a second."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from elsewhere.bodies.hand import Hand
from elsewhere.messages import AvatarState, HandState, LoopState, ModeName, RecordingState, Stamp
from elsewhere.records import FINGERS, Record
from elsewhere.shared import Ring
from elsewhere.status import LEFT, RIGHT, STATUS_TEXT, Mode, Status

RATE_HZ = 100
Hands = tuple[Hand | None, Hand | None]
_MODES: dict[Mode, ModeName] = {
    Mode.HOLD: "hold",
    Mode.FADE: "fade",
    Mode.TRACK: "track",
    Mode.STOPPED: "stopped",
}
_QUIET = LoopState(0.0, 0.0, 0.0)
_NOT_RECORDING = RecordingState(active=False)


def avatar_state(
    tap: Record,
    hands: Hands,
    *,
    seq: int,
    sent_ns: int,
    loop: LoopState = _QUIET,
    recording: RecordingState = _NOT_RECORDING,
) -> AvatarState:
    """One tick as the message that operators get. Pure."""
    state, frame = tap["state"], tap["frame"]
    frame_seq = int(frame["seq"])
    now_ns = int(tap["now_ns"])
    return AvatarState(
        seq=seq,
        stamp=Stamp(int(state["sampled_ns"]), sent_ns),
        mode=_MODES[Mode(int(tap["mode"]))],
        reason=STATUS_TEXT[Status(int(tap["status"]))],
        fade=min(max(float(tap["fade"]), 0.0), 1.0),
        frame_seq=frame_seq,
        frame_age_ms=(now_ns - int(frame["sampled_ns"])) / 1e6 if frame_seq else 0.0,
        left=_hand_state(tap, state, LEFT, hands[LEFT]),
        right=_hand_state(tap, state, RIGHT, hands[RIGHT]),
        head_orientation=_tuple(tap["head_q"]),
        baseline_mm=float(state["baseline"]) * 1000.0,
        base_pose=_tuple(state["base"]),
        base_twist=_tuple(state["base_twist"]),
        ranges=_tuple(state["ranges"]),
        loop=loop,
        recording=recording,
    )


def _hand_state(tap: Record, state: Record, side: int, hand: Hand | None) -> HandState:
    return HandState(
        position=_tuple(tap["palm_p"][side]),
        orientation=_tuple(tap["palm_q"][side]),
        target_position=_tuple(tap["target_p"][side]),
        target_orientation=_tuple(tap["target_q"][side]),
        fingers=_fingers(state["motors"][side].tolist(), hand),
        fingertips=_tuple(state["fingertips"][side]),
        wrench=_tuple(state["wrench"][side]),
        clutched=bool(tap["clutched"][side]),
        reachable=int(tap["arm_status"][side]) != Status.UNREACHABLE,
    )


def _fingers(motors: list[float], hand: Hand | None) -> Any:
    """Six fingers from the hand's motors. A hand with one motor closes all alike."""
    if hand is None:
        return (0.0,) * FINGERS
    if len(hand.drive) == 1:
        return (motors[0],) * FINGERS
    fingers = [0.0] * FINGERS
    for motor, finger in enumerate(hand.drive):
        fingers[finger] = motors[motor]
    return tuple(fingers)


def _tuple(values: Any) -> Any:
    return tuple(values.tolist())


class LoopStatistics:
    """Percentiles of the control loop's period and work over the last second of ticks."""

    def __init__(self, rate_hz: int) -> None:
        self._period_us: deque[float] = deque(maxlen=rate_hz)
        self._compute_us: deque[float] = deque(maxlen=rate_hz)
        self._nominal_us = 1e6 / rate_hz

    def add(self, taps: np.ndarray) -> None:
        """Take new tap records in."""
        self._period_us.extend(taps["period_us"].tolist())
        self._compute_us.extend(taps["compute_us"].tolist())

    def state(self) -> LoopState:
        """p99 of period and work, and the share of periods more than half too long."""
        if not self._period_us:
            return _QUIET
        period = np.fromiter(self._period_us, float)
        compute = np.fromiter(self._compute_us, float)
        return LoopState(
            period_p99_us=float(np.percentile(period, 99)),
            compute_p99_us=float(np.percentile(compute, 99)),
            missed_ratio=float(np.mean(period > 1.5 * self._nominal_us)),
        )


class TapReader:
    """Follows the tap ring: `poll` gives the newest tick as a message, or None when there is no new one."""

    def __init__(self, ring: Ring, hands: Hands, rate_hz: int) -> None:
        self._ring, self._hands = ring, hands
        self._next = max(0, ring.head - 1)
        self._statistics = LoopStatistics(rate_hz)
        self._loop = _QUIET
        self._loop_ns = 0
        self._seq = 0

    def poll(self, now_ns: int, recording: RecordingState = _NOT_RECORDING) -> AvatarState | None:
        """The newest tick, if it is new."""
        first, taps = self._ring.since(self._next)
        if not len(taps):
            return None
        self._next = first + len(taps)
        self._statistics.add(taps)
        if now_ns - self._loop_ns > 200_000_000:
            self._loop, self._loop_ns = self._statistics.state(), now_ns
        self._seq += 1
        return avatar_state(
            taps[-1], self._hands, seq=self._seq, sent_ns=now_ns, loop=self._loop, recording=recording
        )
