"""The gate through which an operator's frames reach the tick: fresh, in order and finite, or not at all.

The channel may lose, repeat, delay and reorder. The gate keeps this invariant whatever comes in: the
frames that it admits within one session have strictly increasing `seq`, were made at most
`max_age_ms` ago and at most `max_ahead_ms` in the future, and hold only finite numbers and rotations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from elsewhere.errors import MessageError
from elsewhere.messages import OperatorFrame, frame_record
from elsewhere.records import Record

MAX_AGE_MS = 100.0
MAX_AHEAD_MS = 20.0


class GateStatus(IntEnum):
    """Why a frame was, or was not, admitted."""

    ADMITTED = 0
    NO_CLOCK = 1  # the offset of the two clocks is not known yet
    REPEATED = 2  # the sequence number is not larger than the last admitted one
    STALE = 3  # made too long ago
    FUTURE = 4  # made in the future: the clocks disagree
    NOT_FINITE = 5  # a number is not finite, or a quaternion is no rotation


@dataclass
class FrameGate:
    """One session's gate. `number` marks the session in the records."""

    number: int
    max_age_ms: float = MAX_AGE_MS
    max_ahead_ms: float = MAX_AHEAD_MS
    seq: int = 0
    counts: dict[GateStatus, int] = field(default_factory=lambda: dict.fromkeys(GateStatus, 0))

    def admit(
        self, frame: OperatorFrame, *, offset_ns: int | None, now_ns: int
    ) -> tuple[GateStatus, Record | None]:
        """The frame as a record in the avatar's clock, or the reason why not.

        `offset_ns` is the avatar's clock minus the operator's, None while it is unknown.
        """
        status, record = self._judge(frame, offset_ns, now_ns)
        self.counts[status] += 1
        if status is GateStatus.ADMITTED:
            self.seq = frame.seq
        return status, record

    @property
    def refused(self) -> int:
        """How many frames were not admitted."""
        return sum(self.counts.values()) - self.counts[GateStatus.ADMITTED]

    def _judge(
        self, frame: OperatorFrame, offset_ns: int | None, now_ns: int
    ) -> tuple[GateStatus, Record | None]:
        if offset_ns is None:
            return GateStatus.NO_CLOCK, None
        if frame.seq <= self.seq:
            return GateStatus.REPEATED, None
        age_ms = (now_ns - (frame.stamp.sampled_ns + offset_ns)) / 1e6
        if age_ms > self.max_age_ms:
            return GateStatus.STALE, None
        if age_ms < -self.max_ahead_ms:
            return GateStatus.FUTURE, None
        try:
            record = frame_record(frame, session=self.number, offset_ns=offset_ns, received_ns=now_ns)
        except MessageError:
            return GateStatus.NOT_FINITE, None
        return GateStatus.ADMITTED, record
