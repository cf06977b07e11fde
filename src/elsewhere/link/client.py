"""The Python side of the link: what the browser's page speaks, for programs.

    async with connect("http://127.0.0.1:8765") as avatar:
        avatar.send(frame)
        state = avatar.latest()
        avatar.request(Reset(seed=3))
        async for message in avatar: ...

A connection that ends is not made again here: `closed` tells, and the caller decides.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import numpy as np
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from numpy.typing import NDArray
from yarl import URL

from elsewhere.errors import LinkError, MessageError
from elsewhere.link.clock import ClockOffset, answer
from elsewhere.link.session import Role, SeatTakenError
from elsewhere.link.webrtc import WebRtcChannel, confine
from elsewhere.messages import (
    AvatarState,
    Goodbye,
    OperatorFrame,
    Ping,
    Pong,
    ReliableDown,
    ReliableUp,
    VideoStamp,
    Welcome,
    decode_latest_down,
    decode_reliable_down,
    encode,
)

logger = logging.getLogger(__name__)

CONNECT_S = 15.0
SILENCE_S = 1.0
PING_S = 0.2
FIRST_PING_S = 0.02
FIRST_PINGS = 5


class LinkClient:
    """One connected session. Made by `connect`. All methods are called in the event loop."""

    def __init__(self, url: str, role: Role, video: bool, clock: Callable[[], int]) -> None:
        self._url, self.role, self._video, self._clock = URL(url), role, video, clock
        self.session = ""
        self.offset = ClockOffset()
        self.stamps: dict[int, VideoStamp] = {}
        self.received = 0
        self._welcome: Welcome | None = None
        self._state: AvatarState | None = None
        self._reliable_in: asyncio.Queue[ReliableDown | None] = asyncio.Queue()
        self._ready = asyncio.Event()
        self._closed = asyncio.Event()
        self._heard_ns = time.monotonic_ns()
        self._channels: dict[str, WebRtcChannel] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._picture: NDArray[np.uint8] | None = None
        self._picture_came = asyncio.Event()
        self._connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))

    # --- use ------------------------------------------------------------------------------------

    @property
    def welcome(self) -> Welcome:
        """Who we are talking to."""
        if self._welcome is None:
            raise LinkError("The avatar has not said welcome yet. Use `async with connect(...)`.")
        return self._welcome

    @property
    def closed(self) -> bool:
        """Whether the link is over: closed by either side, or silent for a second."""
        return self._closed.is_set()

    @property
    def offset_ns(self) -> int | None:
        """The avatar's clock minus ours, or None before the first pong."""
        return self.offset.offset_ns

    def now_ns(self) -> int:
        """Our clock, for the stamps of frames."""
        return self._clock()

    def latest(self) -> AvatarState | None:
        """The newest state of the avatar, or None before the first."""
        return self._state

    def send(self, frame: OperatorFrame) -> bool:
        """Send a frame on the latest channel. False when the link is closed."""
        return self._send("latest", encode(frame), "frame")

    def request(self, message: ReliableUp) -> bool:
        """Send a message on the reliable channel. False when the link is closed."""
        return self._send("reliable", encode(message))

    def send_raw(self, kind: str, data: bytes) -> bool:
        """Send any bytes on 'latest' or 'reliable', for tests of the other side."""
        return self._send(kind, data, "raw")

    async def picture(self) -> NDArray[np.uint8]:
        """The newest picture (height, width, 3), side by side, once it is newer than the last given."""
        await self._picture_came.wait()
        self._picture_came.clear()
        if self._picture is None:
            raise LinkError("The video has ended. Connect again with video=True.")
        return self._picture

    async def wait_closed(self) -> None:
        """Until the link is over."""
        await self._closed.wait()

    def __aiter__(self) -> AsyncIterator[ReliableDown]:
        return self._messages()

    async def _messages(self) -> AsyncIterator[ReliableDown]:
        while (message := await self._reliable_in.get()) is not None:
            yield message
        self._reliable_in.put_nowait(None)

    # --- connect and close ----------------------------------------------------------------------

    async def open(self, takeover: bool, key: str) -> None:
        """Connect. Raises LinkError (SeatTakenError when the seat is taken)."""
        self._connection.on("datachannel", self._channel_came)
        self._connection.on("track", self._track_came)
        self._connection.on("connectionstatechange", self._state_changed)
        query = {"key": key} if key else {}
        try:
            async with asyncio.timeout(CONNECT_S), aiohttp.ClientSession() as http:
                body = {"role": self.role, "takeover": takeover}
                offer = await self._post(http, "api/session", query, body)
                self.session = str(offer["session"])
                sdp = await self._make_answer(str(offer["sdp"]))
                path = f"api/session/{self.session}/answer"
                await self._post(http, path, query, {"sdp": sdp, "type": "answer"})
                await self._ready.wait()
        except TimeoutError as error:
            raise LinkError(f"{self._url} does not answer. Is the avatar running, and UDP open?") from error
        except (aiohttp.ClientError, OSError, ValueError, KeyError) as error:
            raise LinkError(f"No avatar at {self._url}: {error}. Start one with `elsewhere`.") from error
        if self.closed:
            raise LinkError(f"{self._url} closed the connection before it was ready. Try again.")

    async def close(self, goodbye: bool = True) -> None:
        """Leave: say goodbye when we drive, and end the connection."""
        if goodbye and self.role == "operator" and self.request(Goodbye()):
            await asyncio.sleep(0.05)  # aiortc drops what it has queued when it closes
        self._finish()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await asyncio.wait_for(self._connection.close(), 2.0)
        except Exception as error:
            logger.debug("closing the connection failed: %r", error)

    async def _post(
        self, http: aiohttp.ClientSession, path: str, query: dict[str, str], body: dict[str, Any]
    ) -> dict[str, Any]:
        async with http.post(self._url.join(URL("/" + path)).with_query(query), json=body) as response:
            reply: dict[str, Any] = await response.json(content_type=None)
            if response.status == 200:
                return reply
            kind = SeatTakenError if response.status == 409 else LinkError
            raise kind(str(reply.get("error", f"The avatar answered {response.status}.")))

    async def _make_answer(self, sdp: str) -> str:
        await self._connection.setRemoteDescription(RTCSessionDescription(sdp, "offer"))
        for transceiver in self._connection.getTransceivers():
            transceiver.direction = "recvonly" if self._video else "inactive"
        if self._url.host in ("127.0.0.1", "localhost"):
            confine(self._connection, "127.0.0.1")
        await self._connection.setLocalDescription(await self._connection.createAnswer())
        return str(self._connection.localDescription.sdp)

    # --- what comes in --------------------------------------------------------------------------

    def _channel_came(self, channel: Any) -> None:
        kind = channel.label
        if kind == "latest":
            self._channels[kind] = WebRtcChannel(channel, "latest")
            self._channels[kind].on_message(self._latest_came)
            self._tasks.append(asyncio.ensure_future(self._ping()))
        elif kind == "reliable":
            self._channels[kind] = WebRtcChannel(channel, "reliable")
            self._channels[kind].on_message(self._reliable_came)
            self._channels[kind].on_close(self._finish)

    def _track_came(self, track: Any) -> None:
        if self._video:
            self._tasks.append(asyncio.ensure_future(self._watch(track)))

    def _state_changed(self) -> None:
        if self._connection.connectionState in ("failed", "closed"):
            self._finish()

    def _finish(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            self._ready.set()
            self._reliable_in.put_nowait(None)
            self._picture_came.set()

    def _send(self, kind: str, data: bytes, key: str = "") -> bool:
        channel = self._channels.get(kind)
        return channel is not None and not self.closed and channel.send(data, key)

    def _latest_came(self, data: bytes) -> None:
        now_ns = self._clock()
        self._heard_ns = time.monotonic_ns()
        try:
            message = decode_latest_down(data)
        except MessageError as error:
            logger.warning("%s", error)
            return
        match message:
            case AvatarState():
                self.received += 1
                if self._state is None or message.seq > self._state.seq:
                    self._state = message
            case VideoStamp():
                self.stamps[message.frame] = message
                while len(self.stamps) > 256:
                    del self.stamps[next(iter(self.stamps))]
            case Ping():
                self._send("latest", encode(answer(message, now_ns, self._clock())), "pong")
            case Pong():
                self.offset.pong(message, now_ns)

    def _reliable_came(self, data: bytes) -> None:
        self._heard_ns = time.monotonic_ns()
        try:
            message = decode_reliable_down(data)
        except MessageError as error:
            logger.warning("%s", error)
            return
        if isinstance(message, Welcome):
            self._welcome = message
            self._ready.set()
        self._reliable_in.put_nowait(message)

    async def _ping(self) -> None:
        """Measure the offset, keep the session alive, and notice when the other side is silent."""
        silent = 0
        while not self.closed:
            self._send("latest", encode(self.offset.ping(self._clock())), "ping")
            # Twice, so that a program that was itself busy first reads what has come meanwhile.
            waited_ns = time.monotonic_ns() - self._heard_ns
            silent = silent + 1 if self._welcome and waited_ns > SILENCE_S * 1e9 else 0
            if silent >= 2:
                self._finish()
            await asyncio.sleep(FIRST_PING_S if self.offset.count < FIRST_PINGS else PING_S)

    async def _watch(self, track: Any) -> None:
        while True:
            try:
                frame = await track.recv()
            except MediaStreamError:
                self._picture = None
                self._picture_came.set()
                return
            # Away from the event loop: converting a picture takes some milliseconds.
            self._picture = await asyncio.to_thread(frame.to_ndarray, format="rgb24")
            self._picture_came.set()


@asynccontextmanager
async def connect(
    url: str,
    role: Role = "operator",
    *,
    video: bool = False,
    takeover: bool = False,
    key: str = "",
    clock: Callable[[], int] = time.monotonic_ns,
) -> AsyncIterator[LinkClient]:
    """A session with the avatar at `url`, for as long as the block lasts.

    `key` is needed when the avatar is not on this machine; it may also stand in the url as `?key=`.
    `clock` gives our time in nanoseconds; any origin will do. Raises LinkError.
    """
    key = key or URL(url).query.get("key", "")
    client = LinkClient(url, role, video, clock)
    try:
        await client.open(takeover, key)
        yield client
    finally:
        await client.close()
