"""One session at run time: a seat, a peer, a gate and a clock offset. Nothing here raises.

    bytes -> decode -> gate -> record -> slot `frame`      latest channel
    bytes -> decode -> counters of slot `request`          reliable channel

What is malformed is refused, counted, and told to that session at most once a second.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable

from elsewhere.errors import MessageError
from elsewhere.link.clock import ClockOffset, answer
from elsewhere.link.gate import MAX_AGE_MS, FrameGate, GateStatus
from elsewhere.link.session import Seat
from elsewhere.link.track import PacketTrack, VideoPacket
from elsewhere.link.webrtc import Peer
from elsewhere.messages import (
    Event,
    Goodbye,
    LatestUp,
    OperatorFrame,
    Ping,
    Pong,
    ReliableDown,
    VideoStamp,
    decode_latest_up,
    decode_reliable_up,
    encode,
)
from elsewhere.records import FRAME, Record, zeros
from elsewhere.server.requests import Requests
from elsewhere.shared import Slot

logger = logging.getLogger(__name__)

PING_S = 0.2
FIRST_PING_S = 0.02
FIRST_PINGS = 5
COMPLAIN_NS = 1_000_000_000


class Connection:
    """One session. `on_heard` is called for every valid message, `on_goodbye` when it leaves."""

    def __init__(
        self,
        seat: Seat,
        peer: Peer,
        track: PacketTrack | None,
        frames: Slot,
        requests: Requests,
        *,
        max_age_ms: float = MAX_AGE_MS,
    ) -> None:
        self.seat, self.peer, self.track = seat, peer, track
        self.gate = FrameGate(seat.number, max_age_ms)
        self.clock = ClockOffset()
        self.refused: Counter[str] = Counter()
        self.ended = False
        self.on_heard: Callable[[], None] = lambda: None
        self.on_goodbye: Callable[[], None] = lambda: None
        self._frames, self._requests = frames, requests
        self._complained_ns = -COMPLAIN_NS
        self._pinging: asyncio.Task[None] | None = None
        peer.latest.on_message(self._latest_came)
        peer.reliable.on_message(self._reliable_came)
        self._rtp_shift: int | None = None
        self._stamped = 0
        peer.on_frame_sent = self._video_sent
        if track is not None:
            track.on_packet = self._video_comes

    def start(self) -> None:
        """The channels are open: begin to measure the clocks."""
        if self._pinging is None:
            self._pinging = asyncio.ensure_future(self._ping())

    def tell(self, message: ReliableDown) -> None:
        """Send on the reliable channel."""
        self.peer.reliable.send(encode(message))

    def show(self, data: bytes, key: str) -> None:
        """Send an encoded message on the latest channel."""
        self.peer.latest.send(data, key)

    async def end(self) -> None:
        """Let go, and close the connection."""
        self.ended = True
        if self._pinging is not None:
            self._pinging.cancel()
        await self.peer.close()

    def release(self) -> None:
        """Tell the tick at once that nobody holds the hands any more."""
        self.ended = True
        if self.seat.drives and self.gate.seq:
            self._frames.write(released_frame(self.seat.number, self.gate.seq + 1, time.monotonic_ns()))

    # --- what comes in --------------------------------------------------------------------------

    def _latest_came(self, data: bytes) -> None:
        if self.ended:
            return
        now_ns = time.monotonic_ns()
        try:
            message = decode_latest_up(data)
        except MessageError as error:
            self._refuse("malformed", str(error))
            return
        self.on_heard()
        self._take_latest(message, now_ns)

    def _take_latest(self, message: LatestUp, now_ns: int) -> None:
        match message:
            case OperatorFrame():
                self._take_frame(message, now_ns)
            case Ping():
                self.show(encode(answer(message, now_ns, time.monotonic_ns())), "pong")
            case Pong():
                if not self.clock.pong(message, now_ns):
                    self.refused["pong"] += 1

    def _take_frame(self, frame: OperatorFrame, now_ns: int) -> None:
        if not self.seat.drives:
            self._refuse("viewer", "A viewer's frame was refused. Connect as operator to drive.")
            return
        offset = self.clock.offset_ns
        # The clock knows the operator's minus ours; the gate wants it the other way round.
        status, record = self.gate.admit(
            frame, offset_ns=None if offset is None else -offset, now_ns=now_ns
        )
        if record is not None:
            self._frames.write(record)
            return
        self.refused[status.name.lower()] += 1
        if status is GateStatus.NOT_FINITE:
            self._complain("not-finite", "A frame was refused: a number is not finite or no rotation.")

    def _reliable_came(self, data: bytes) -> None:
        if self.ended:
            return
        try:
            message = decode_reliable_up(data)
            self.on_heard()
            if isinstance(message, Goodbye):
                self.on_goodbye()
            elif self.seat.drives:
                self._requests.apply(message)
            else:
                self._refuse("viewer", "A viewer's request was refused. Connect as operator to drive.")
        except MessageError as error:
            self._refuse("malformed", str(error))

    def _refuse(self, code: str, text: str) -> None:
        self.refused[code] += 1
        self._complain(code, text)

    def _complain(self, code: str, text: str) -> None:
        now_ns = time.monotonic_ns()
        if now_ns - self._complained_ns >= COMPLAIN_NS:
            self._complained_ns = now_ns
            logger.warning("%s: %s", code, text)
            self.tell(Event("warning", code, text, now_ns))

    # --- what goes out --------------------------------------------------------------------------

    def _video_comes(self, packet: VideoPacket) -> None:
        """Tell of the picture ahead of it, so that a page knows it when it shows it."""
        if self._rtp_shift is not None:
            self._tell_video(packet, (packet.packet.pts + self._rtp_shift) % 2**32)

    def _video_sent(self, rtp: int) -> None:
        """A picture leaves with this RTP time: aiortc's origin is random and shows only here."""
        packet = self.track.current if self.track is not None else None
        if packet is None:
            return
        shift = (rtp - packet.packet.pts) % 2**32
        if shift != self._rtp_shift or self._stamped != packet.frame:
            self._rtp_shift = shift
            self._tell_video(packet, rtp)

    def _tell_video(self, packet: VideoPacket, rtp: int) -> None:
        self._stamped = packet.frame
        stamp = VideoStamp(packet.frame, rtp, packet.sampled_ns, packet.head_orientation)
        self.show(encode(stamp), "video")

    async def _ping(self) -> None:
        while not self.ended:
            self.show(encode(self.clock.ping(time.monotonic_ns())), "ping")
            await asyncio.sleep(FIRST_PING_S if self.clock.count < FIRST_PINGS else PING_S)


def released_frame(session: int, seq: int, now_ns: int) -> Record:
    """A frame in which nothing is tracked, held or wanted."""
    record = zeros(FRAME)
    record["seq"], record["session"] = seq, session
    record["sampled_ns"] = record["received_ns"] = now_ns
    return record
