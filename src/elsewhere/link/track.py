"""One viewer's video: already encoded packets, the newest at once, none kept.

A packet of a predicted picture cannot be left out without spoiling all that follow. So a viewer who
falls behind loses everything up to the next keyframe, which is asked for at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import av
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack

from elsewhere.messages import Quaternion

DEPTH = 2  # packets that may wait while the event loop is busy: two frames, 67 ms


@dataclass(frozen=True)
class VideoPacket:
    """One encoded picture, and what a viewer should know of it."""

    packet: av.Packet
    frame: int
    sampled_ns: int
    head_orientation: Quaternion
    keyframe: bool


class PacketTrack(MediaStreamTrack):
    """A video track fed from outside. All methods are called in the event loop.

    Invariant: what `recv` gives is decodable: it begins with a keyframe and has no gap.
    """

    kind = "video"

    def __init__(self, want_keyframe: Callable[[], None]) -> None:
        super().__init__()
        self._want_keyframe = want_keyframe
        self._waiting: deque[VideoPacket] = deque()
        self._arrived = asyncio.Event()
        self._whole = False
        self.current: VideoPacket | None = None
        self.on_packet: Callable[[VideoPacket], None] = lambda packet: None
        """Called with every packet that will be sent, before it is."""
        self.dropped = 0

    def push(self, packet: VideoPacket) -> None:
        """Offer the next packet of the stream."""
        if len(self._waiting) >= DEPTH:
            self.dropped += len(self._waiting)
            self._waiting.clear()
            self._whole = False
        if packet.keyframe:
            self._whole = True
        if not self._whole:
            self.dropped += 1
            self._want_keyframe()
            return
        self._waiting.append(packet)
        self.on_packet(packet)
        self._arrived.set()

    async def recv(self) -> av.Packet:
        """The next packet to send (called by aiortc)."""
        while not self._waiting:
            if self.readyState != "live":
                raise MediaStreamError
            self._arrived.clear()
            await self._arrived.wait()
        self.current = self._waiting.popleft()
        return self.current.packet

    def stop(self) -> None:
        """End the track; whoever waits in `recv` gets a MediaStreamError."""
        super().stop()
        self._waiting.clear()
        self._arrived.set()
