"""From the tick's tap to what operators are told, a hundred times a second."""

from __future__ import annotations

from typing import Any

import numpy as np

from elsewhere.bodies.hand import Hand
from elsewhere.messages import AvatarState, HandState, LoopState, ModeName, RecordingState, Stamp
from elsewhere.records import FINGERS, Record
from elsewhere.shared import Ring
from elsewhere.status import LEFT, RIGHT, STATUS_TEXT, Mode, Status

RATE_HZ = 100
SLOWLY = 10  # messages from one that tells of loop and recording to the next
Hands = tuple[Hand | None, Hand | None]
_MODES: dict[Mode, ModeName] = {
    Mode.HOLD: "hold",
    Mode.FADE: "fade",
    Mode.TRACK: "track",
    Mode.STOPPED: "stopped",
}
_HAND_REASONS = {
    Status.UNREACHABLE: STATUS_TEXT[Status.UNREACHABLE],
    Status.TOUCHES_ITSELF: STATUS_TEXT[Status.TOUCHES_ITSELF],
    Status.AT_LIMIT: "joint at its limit",
}
"""Why a hand cannot follow. Other outcomes are the whole avatar's, and stand in its own reason."""
_QUIET = LoopState(0.0, 0.0, 0.0)
_NOT_RECORDING = RecordingState(active=False)


def avatar_state(
    tap: Record,
    hands: Hands,
    *,
    seq: int,
    sent_ns: int,
    loop: LoopState | None = None,
    recording: RecordingState | None = None,
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
    reason = _HAND_REASONS.get(Status(int(tap["arm_status"][side])), "")
    return HandState(
        position=_tuple(tap["palm_p"][side]),
        orientation=_tuple(tap["palm_q"][side]),
        target_position=_tuple(tap["target_p"][side]),
        target_orientation=_tuple(tap["target_q"][side]),
        fingers=_fingers(state["motors"][side].tolist(), hand),
        fingertips=_tuple(state["fingertips"][side]),
        wrench=_tuple(state["wrench"][side]),
        clutched=bool(tap["clutched"][side]),
        reachable=not reason,
        reason=reason,
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


def loop_state(ring: Ring, rate_hz: int) -> LoopState:
    """p99 of period and work over the last second of ticks, and the share of periods half too long."""
    period, compute = ring.column("period_us", rate_hz), ring.column("compute_us", rate_hz)
    if not len(period):
        return _QUIET
    return LoopState(
        period_p99_us=float(np.percentile(period, 99)),
        compute_p99_us=float(np.percentile(compute, 99)),
        missed_ratio=float(np.mean(period > 1.5e6 / rate_hz)),
    )


class TapReader:
    """Follows the tap ring: `poll` gives the newest tick as a message, or None when there is no new one."""

    LOOP_NS = 500_000_000
    """How often the loop's statistics are taken: they cost more than all the rest."""

    def __init__(self, ring: Ring, hands: Hands, rate_hz: int) -> None:
        self._ring, self._hands, self._rate_hz = ring, hands, rate_hz
        self._head = 0
        self._loop = _QUIET
        self._loop_ns = 0
        self._seq = 0

    def poll(self, now_ns: int, recording: RecordingState = _NOT_RECORDING) -> AvatarState | None:
        """The newest tick, if it is new."""
        head = self._ring.head
        tap = self._ring.last()
        if tap is None or head == self._head:
            return None
        self._head = head
        if now_ns - self._loop_ns > self.LOOP_NS:
            self._loop, self._loop_ns = loop_state(self._ring, self._rate_hz), now_ns
        self._seq += 1
        slow = self._seq % SLOWLY == 1
        return avatar_state(
            tap,
            self._hands,
            seq=self._seq,
            sent_ns=now_ns,
            loop=self._loop if slow else None,
            recording=recording if slow else None,
        )
