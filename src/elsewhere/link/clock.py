"""The difference of two clocks, from pings and pongs.

For a ping sent at t0 and answered at t3 (own clock), received at t1 and answered at t2 (the peer's):

    offset = ((t1 - t0) + (t2 - t3)) / 2        peer's clock minus own
    round trip = (t3 - t0) - (t2 - t1)

The offset is wrong by at most half the round trip (Mills, RFC 5905, section 8), so the sample with
the smallest round trip of the last 20 is taken. Time is passed in.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from elsewhere.messages import Ping, Pong

SAMPLES = 20
PENDING = 64
MAX_ROUND_TRIP_NS = 10_000_000_000


@dataclass(frozen=True)
class Sample:
    """One ping and its pong: offset (peer minus own) and round trip, in nanoseconds."""

    offset_ns: int
    round_trip_ns: int


class ClockOffset:
    """Peer's clock minus own. Invariant: the sample in use has the smallest round trip of those kept."""

    def __init__(self, samples: int = SAMPLES) -> None:
        self._samples: deque[Sample] = deque(maxlen=samples)
        self._pending: dict[int, int] = {}
        self._seq = 0
        self._best: Sample | None = None

    def ping(self, now_ns: int) -> Ping:
        """The next ping to send, remembered until its pong comes."""
        self._seq += 1
        self._pending[self._seq] = now_ns
        if len(self._pending) > PENDING:
            del self._pending[next(iter(self._pending))]
        return Ping(self._seq, now_ns)

    def pong(self, pong: Pong, now_ns: int) -> bool:
        """Take a pong in. False for one that was not asked for, came twice, or cannot be true."""
        sent_ns = self._pending.pop(pong.seq, None)
        if sent_ns is None or sent_ns != pong.sent_ns:
            return False
        there_ns = pong.replied_ns - pong.received_ns
        round_trip_ns = (now_ns - sent_ns) - there_ns
        if there_ns < 0 or not 0 <= round_trip_ns <= MAX_ROUND_TRIP_NS:
            return False
        offset_ns = ((pong.received_ns - sent_ns) + (pong.replied_ns - now_ns)) // 2
        self._samples.append(Sample(offset_ns, round_trip_ns))
        self._best = min(self._samples, key=lambda sample: sample.round_trip_ns)
        return True

    @property
    def known(self) -> bool:
        """Whether at least one pong has come."""
        return self._best is not None

    @property
    def offset_ns(self) -> int | None:
        """Peer's clock minus own, or None before the first pong."""
        return self._best.offset_ns if self._best else None

    @property
    def round_trip_ns(self) -> int | None:
        """Round trip of the sample in use, or None before the first pong."""
        return self._best.round_trip_ns if self._best else None

    @property
    def count(self) -> int:
        """How many samples are kept."""
        return len(self._samples)


def answer(ping: Ping, received_ns: int, now_ns: int) -> Pong:
    """The pong to a ping that came at `received_ns` and is answered at `now_ns`."""
    return Pong(ping.seq, ping.sent_ns, received_ns, now_ns)
