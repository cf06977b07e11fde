"""One viewer of the overlay on a WebSocket: the newest frame or none, and answers to what it asks."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Awaitable, Callable

from aiohttp import WSMsgType, web

from elsewhere.errors import MessageError
from elsewhere.link.clock import answer
from elsewhere.messages import Ping, encode
from elsewhere.overlay_messages import OverlayDown, Tracked, TrackImage, decode_overlay_up

logger = logging.getLogger(__name__)

Track = Callable[[TrackImage, float], Awaitable[Tracked | None]]
"""Finds the robot's base in a picture that came at a time [s]; None where a newer one has overtaken it."""

MOST_BYTES = 1_100_000
SEND_BUFFER = 65_536
"""Bytes that wait in the system for a slow viewer: no more than a few frames, so that none is old."""
STALLED_S = 10.0
"""A viewer that takes nothing for so long is let go."""
MOST_LOOKING = 3
"""Pictures of one viewer that are worked on or wait; more are dropped."""
COMPLAINTS = 20
"""Malformed messages after which a viewer is let go."""


class Viewer:
    """A viewer. `show` never waits; what the socket is not ready for is dropped, the newest wins."""

    def __init__(self, request: web.Request, track: Track | None) -> None:
        self._ws = web.WebSocketResponse(heartbeat=5.0, max_msg_size=MOST_BYTES, compress=False)
        self._request, self._track = request, track
        self._newest: bytes | None = None
        self._wake = asyncio.Event()
        self._looking = set[asyncio.Task[None]]()
        self._refused = 0
        self.dropped = 0

    async def serve(self, first: list[bytes]) -> web.WebSocketResponse:
        """Stay with the viewer until it leaves. `first` is sent before any frame."""
        await self._ws.prepare(self._request)
        transport = self._request.transport
        if transport is not None and (sock := transport.get_extra_info("socket")) is not None:
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        sender: asyncio.Task[None] | None = None
        try:
            for data in first:
                await self._ws.send_bytes(data)
            sender = asyncio.ensure_future(self._send())
            async for message in self._ws:
                if message.type is WSMsgType.BINARY:
                    await self._came(message.data)
                elif message.type is not WSMsgType.ERROR:
                    self._refuse("Only binary messages are understood.")
                if self._refused > COMPLAINTS:
                    await self._ws.close(code=1008, message=b"Too many messages were refused.")
        except (ConnectionError, RuntimeError):
            pass  # it left while something was being sent
        finally:
            tasks = [*self._looking] if sender is None else [sender, *self._looking]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return self._ws

    async def close(self) -> None:
        """Tell the viewer that the server stops."""
        with contextlib.suppress(ConnectionError, RuntimeError, TimeoutError):
            await asyncio.wait_for(self._ws.close(code=1001, message=b"The avatar's server stops."), 1.0)

    def show(self, data: bytes) -> None:
        """Offer a frame. It replaces one that has not left yet."""
        if self._newest is not None:
            self.dropped += 1
        self._newest = data
        self._wake.set()

    async def _send(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._until_empty()
            data, self._newest = self._newest, None
            if data is not None:
                try:
                    await asyncio.wait_for(self._ws.send_bytes(data), STALLED_S)
                except (TimeoutError, ConnectionError, RuntimeError):
                    if (transport := self._request.transport) is not None:
                        transport.abort()
                    return

    async def _until_empty(self) -> None:
        """Wait while the socket still holds what was sent before."""
        deadline = time.monotonic() + STALLED_S
        while (transport := self._request.transport) is not None and transport.get_write_buffer_size():  # type: ignore[attr-defined]
            if time.monotonic() > deadline:
                transport.abort()  # type: ignore[attr-defined]
                return
            await asyncio.sleep(0.002)

    async def _came(self, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        try:
            message = decode_overlay_up(data)
        except MessageError as error:
            self._refuse(str(error))
            return
        if isinstance(message, Ping):
            await self._reply(answer(message, now_ns, time.monotonic_ns()))
        elif isinstance(message, TrackImage):
            if self._track is None:
                text = "This server does not look for markers in pictures."
                await self._reply(
                    Tracked(message.sequence, False, (0.0,) * 3, (1.0, 0.0, 0.0, 0.0), 0.0, text)
                )
            elif len(self._looking) < MOST_LOOKING:
                # Beside the reading, so that a newer picture can overtake one that waits.
                look = asyncio.ensure_future(self._look(self._track, message, 1e-9 * now_ns))
                self._looking.add(look)
                look.add_done_callback(self._looking.discard)

    async def _look(self, track: Track, image: TrackImage, now_s: float) -> None:
        if (found := await track(image, now_s)) is not None:
            await self._reply(found)

    async def _reply(self, message: OverlayDown) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            await self._ws.send_bytes(encode(message))

    def _refuse(self, text: str) -> None:
        self._refused += 1
        logger.info("refused from a viewer of the overlay: %s", text)
