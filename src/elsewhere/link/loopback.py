"""Operator and avatar in one process, in virtual time, over a network as bad as one likes.

It ships as product: tests and experiments run the same sessions over it as over the real link.

    link = Loopback(Impairment(delay_ms=40, jitter_ms=20, loss=0.02), seed=1)
    link.avatar.latest.on_message(got.append)
    link.operator.latest.send(b"...")
    link.advance(50_000_000)        # everything due by 50 ms arrives now, in order of arrival
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from elsewhere.link.channel import Channel, Kind, Receiver
from elsewhere.link.impairment import ImpairedPath, Impairment


class LoopbackChannel:
    """One end of a channel in virtual time."""

    def __init__(self, link: Loopback, kind: Kind, path: ImpairedPath) -> None:
        self._link, self._kind, self._path = link, kind, path
        self._receiver: Receiver | None = None
        self._last_due_ns = 0
        self.peer: LoopbackChannel = self
        self.sent = self.lost = 0

    @property
    def kind(self) -> Kind:
        """What the channel promises."""
        return self._kind

    @property
    def open(self) -> bool:
        """Whether the link is up."""
        return not self._link.closed

    def send(self, data: bytes, key: str = "") -> bool:
        """Put the message on its way; a loss is not noticed by the sender, as in life."""
        if not self.open:
            return False
        self.sent += 1
        now_ns = self._link.now_ns
        if self._kind == "reliable":
            # A lost message is sent again after a round trip, and those after it must wait for it.
            round_trip_ms = 2.0 * self._path.impairment.delay_ms + 1.0
            due = max(self._path.certain_arrival(now_ns, round_trip_ms), self._last_due_ns)
            self._last_due_ns = due
        else:
            arrival = self._path.arrival(now_ns)
            if arrival is None:
                self.lost += 1
                return True
            due = arrival
        self._link.post(due, self.peer, bytes(data))
        return True

    def on_message(self, receiver: Receiver) -> None:
        """Call `receiver` with every message that arrives."""
        self._receiver = receiver

    def deliver(self, data: bytes) -> None:
        """A message arrives here."""
        if self._receiver is not None:
            self._receiver(data)


@dataclass(frozen=True)
class End:
    """One side of the link."""

    latest: Channel
    reliable: Channel


class Loopback:
    """Both ends of a link. Invariant: messages arrive in order of their arrival times, ties as sent."""

    def __init__(
        self,
        up: Impairment | None = None,
        down: Impairment | None = None,
        *,
        seed: int = 0,
        now_ns: int = 0,
    ) -> None:
        """`up` is operator to avatar; `down` is the way back, the same as `up` unless given."""
        up = up or Impairment()
        down = down or up
        self.now_ns = now_ns
        self.closed = False
        self._queue: list[tuple[int, int, LoopbackChannel, bytes]] = []
        self._posted = 0
        paths = [ImpairedPath(model, 4 * seed + i) for i, model in enumerate((up, up, down, down))]
        kinds: tuple[Kind, ...] = ("latest", "reliable", "latest", "reliable")
        ends = [LoopbackChannel(self, kind, path) for kind, path in zip(kinds, paths, strict=True)]
        for ours, theirs in ((ends[0], ends[2]), (ends[1], ends[3])):
            ours.peer, theirs.peer = theirs, ours
        self.operator, self.avatar = End(ends[0], ends[1]), End(ends[2], ends[3])

    def post(self, due_ns: int, to: LoopbackChannel, data: bytes) -> None:
        """A message that will arrive at `due_ns`."""
        heapq.heappush(self._queue, (due_ns, self._posted, to, data))
        self._posted += 1

    def advance(self, now_ns: int) -> int:
        """Let time pass until `now_ns`; how many messages arrived.

        A receiver that answers at once does so at the instant of arrival.
        """
        count = 0
        while self._queue and self._queue[0][0] <= now_ns and not self.closed:
            due_ns, _, to, data = heapq.heappop(self._queue)
            self.now_ns = max(self.now_ns, due_ns)
            to.deliver(data)
            count += 1
        self.now_ns = max(self.now_ns, now_ns)
        return count

    def close(self) -> None:
        """Cut the link: nothing arrives any more."""
        self.closed = True
        self._queue.clear()
