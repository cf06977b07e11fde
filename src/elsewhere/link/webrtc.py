"""WebRTC between the avatar's server and an operator's browser or Python client (aiortc).

The server makes the offer: one video track and two data channels. What aiortc leaves to its user is
done here, on the objects of one connection, never on its modules: candidates kept to one address,
key-frame requests handed on, the RTP time stamps really used told, and Chromium asked to show a
picture as soon as it is decoded (the header extension playout-delay, 0 to 0 ms).
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import re
from collections.abc import Callable
from typing import Any

from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCDataChannel,
    RTCPeerConnection,
    RTCRtpSender,
    RTCSessionDescription,
)
from aiortc.exceptions import InvalidStateError

from elsewhere.errors import LinkError
from elsewhere.link.channel import Kind, Receiver
from elsewhere.link.track import PacketTrack

logger = logging.getLogger(__name__)

PLAYOUT_DELAY = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
PLAYOUT_DELAY_ID = 6  # aiortc uses 1 to 3
PROFILE = "42e01f"  # H.264 constrained baseline, level 3.1: every browser has it
CLOSE_S = 2.0
ACKNOWLEDGE_EVERY = 4
ACKNOWLEDGE_S = 0.05


class WebRtcChannel:
    """A data channel of aiortc as a `Channel`.

    An unreliable channel of aiortc still delivers what it has queued, seconds later under loss. So on
    a latest channel a message leaves only when nothing else waits to leave; until then the newest of
    each key waits here.
    """

    def __init__(self, channel: RTCDataChannel, kind: Kind) -> None:
        self._channel, self._kind = channel, kind
        self._waiting: dict[str, bytes] = {}
        self._receiver: Receiver | None = None
        self.replaced = 0
        channel.on("message", self._arrived)
        channel.on("bufferedamountlow", self._drained)

    @property
    def kind(self) -> Kind:
        """What the channel promises."""
        return self._kind

    @property
    def open(self) -> bool:
        """Whether a message sent now has a chance to arrive."""
        return bool(self._channel.readyState == "open")

    def send(self, data: bytes, key: str = "") -> bool:
        """Hand a message over; see `Channel.send`."""
        if not self.open:
            return False
        if self._kind == "latest" and (self._channel.bufferedAmount or self._waiting):
            self.replaced += key in self._waiting
            self._waiting[key] = data
            return True
        return self._send(data)

    def on_message(self, receiver: Receiver) -> None:
        """Call `receiver` with every message that arrives."""
        self._receiver = receiver

    def on_open(self, callback: Callable[[], None]) -> None:
        """Call `callback` once the channel is open (at once when it is)."""
        if self.open:
            callback()
        else:
            self._channel.on("open", callback)

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the channel closes."""
        self._channel.on("close", callback)

    def _send(self, data: bytes) -> bool:
        try:
            self._channel.send(data)
        except (InvalidStateError, ValueError, ConnectionError) as error:
            logger.debug("a message on %s was dropped: %s", self._channel.label, error)
            return False
        return True

    def _drained(self) -> None:
        if self._waiting and self.open:
            key = next(iter(self._waiting))
            self._send(self._waiting.pop(key))

    def _arrived(self, data: bytes | str) -> None:
        if self._receiver is not None:
            self._receiver(data.encode() if isinstance(data, str) else data)


def acknowledge_lazily(transport: Any) -> None:
    """Let an SCTP transport of aiortc acknowledge every fourth packet, or after 50 ms.

    It would answer every packet at once, which for an operator's frames costs a fifth of the event
    loop. A gap or a doubled packet is still told at once.
    """
    send = transport._send_sack
    waiting, timer = 0, None
    tasks: set[asyncio.Task[None]] = set()

    async def lazily() -> None:
        nonlocal waiting, timer
        waiting += 1
        orderly = not (transport._sack_misordered or transport._sack_duplicates)
        if orderly and waiting < ACKNOWLEDGE_EVERY:
            transport._sack_needed = False
            if timer is None:
                timer = asyncio.get_running_loop().call_later(ACKNOWLEDGE_S, flush)
            return
        waiting = 0
        await send()

    def flush() -> None:
        nonlocal timer
        timer = None
        if waiting and transport.state == "connected":
            transport._sack_needed = True
            task = asyncio.ensure_future(lazily_now())
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def lazily_now() -> None:
        nonlocal waiting
        waiting = 0
        with contextlib.suppress(ConnectionError):
            await send()

    transport._send_sack = lazily


class Peer:
    """The server's end of one connection: offer, answer, two channels, perhaps a video track."""

    def __init__(self, track: PacketTrack | None = None, *, address: str | None = None) -> None:
        """`address`: gather candidates on this local address only."""
        # No STUN server: an avatar is reached on its own machine or network, and asks nobody else.
        configuration = RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE)
        self._connection = RTCPeerConnection(configuration)
        self._address = address
        self._track = track
        self._sender: RTCRtpSender | None = None
        self._rtp = -1
        self.on_keyframe_wanted: Callable[[], None] = lambda: None
        self.on_frame_sent: Callable[[int], None] = lambda rtp: None
        if track is not None:
            transceiver = self._connection.addTransceiver(track, direction="sendonly")
            transceiver.setCodecPreferences(_h264())
            self._sender = transceiver.sender
            # aiortc calls this on PLI and FIR, and heeds it only for pictures that it encodes itself.
            self._sender._send_keyframe = lambda: self.on_keyframe_wanted()
        make = self._connection.createDataChannel
        self.latest = WebRtcChannel(make("latest", ordered=False, maxRetransmits=0), "latest")
        self.reliable = WebRtcChannel(make("reliable"), "reliable")
        acknowledge_lazily(self._connection.sctp)

    def on_open(self, callback: Callable[[], None]) -> None:
        """Call `callback` once both channels are open."""

        def opened() -> None:
            if self.latest.open and self.reliable.open:
                callback()

        self.latest.on_open(opened)
        self.reliable.on_open(opened)

    def on_lost(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the other side closes, or the connection fails."""

        def changed() -> None:
            if self._connection.connectionState in ("failed", "closed"):
                callback()

        self._connection.on("connectionstatechange", changed)
        self.reliable.on_close(callback)

    async def offer(self) -> str:
        """The session description to send to the other side, candidates included."""
        description = await self._connection.createOffer()
        confine(self._connection, self._address)
        await self._connection.setLocalDescription(description)
        return _with_playout_delay(self._connection.localDescription.sdp)

    async def answer(self, sdp: str) -> None:
        """Take the answer of the other side. Raises LinkError when it cannot be used."""
        if self._address is not None and ipaddress.ip_address(self._address).is_loopback:
            # Browsers hide their address behind a name that only multicast DNS resolves.
            sdp = re.sub(r"\b[0-9a-f-]+\.local\b", self._address, sdp)
        try:
            await self._connection.setRemoteDescription(RTCSessionDescription(sdp, "answer"))
        except Exception as error:  # aiortc raises ValueError, AssertionError, OperationError and more
            raise LinkError(
                f"The answer of the other side cannot be used: {error or type(error).__name__}. "
                "It must accept H.264 video and data channels."
            ) from error
        if self._sender is not None:
            self._watch_rtp(PLAYOUT_DELAY in sdp)

    @property
    def watching(self) -> bool:
        """Whether the other side takes the video."""
        return any(
            "send" in (transceiver.currentDirection or "")
            for transceiver in self._connection.getTransceivers()
        )

    async def close(self) -> None:
        """End the connection. Never raises; takes two seconds at most."""
        if self._track is not None:
            self._track.stop()
        try:
            await asyncio.wait_for(self._connection.close(), CLOSE_S)
        except Exception as error:
            logger.debug("closing a connection failed: %r", error)

    def _watch_rtp(self, playout_delay: bool) -> None:
        """See every RTP packet on its way out: tell its time stamp, add the header extension."""
        transport, ssrc = self._sender.transport, self._sender._ssrc  # type: ignore[union-attr]
        inner = transport._send_rtp

        async def send(data: bytes) -> None:
            # The second byte tells RTP from RTCP (RFC 5761, section 4).
            if not 192 <= data[1] <= 223 and int.from_bytes(data[8:12], "big") == ssrc:
                rtp = int.from_bytes(data[4:8], "big")
                if rtp != self._rtp:
                    self._rtp = rtp
                    self.on_frame_sent(rtp)
                if playout_delay:
                    data = add_playout_delay(data)
            await inner(data)

        transport._send_rtp = send


def add_playout_delay(packet: bytes) -> bytes:
    """The RTP packet with one more header extension: show each picture at once (0 to 0 ms).

    One-byte header extensions as in RFC 8285; the value is two numbers of 12 bits, minimum and maximum.
    """
    element = bytes([PLAYOUT_DELAY_ID << 4 | 2, 0, 0, 0])
    if not packet[0] & 0x10:
        return bytes([packet[0] | 0x10]) + packet[1:12] + b"\xbe\xde\x00\x01" + element + packet[12:]
    words = int.from_bytes(packet[14:16], "big") + 1
    return packet[:14] + words.to_bytes(2, "big") + element + packet[16:]


def confine(connection: RTCPeerConnection, address: str | None) -> None:
    """Let this connection gather candidates on one local address only (None: on all but loopback).

    aioice never offers the loopback address of itself, and takes no list of addresses.
    """
    if address is None:
        return
    transports = [item.receiver.transport for item in connection.getTransceivers()]
    if connection.sctp is not None:
        transports.append(connection.sctp.transport)
    for ice in {transport.transport for transport in transports}:
        agent = ice.iceGatherer._connection
        inner = type(agent).get_component_candidates

        async def gather(
            component: int, addresses: list[str], *rest: Any, _inner: Any = inner, _agent: Any = agent
        ) -> Any:
            return await _inner(_agent, component, [address], *rest)

        agent.get_component_candidates = gather


def _h264() -> list[Any]:
    capabilities = RTCRtpSender.getCapabilities("video").codecs
    return [
        codec
        for codec in capabilities
        if codec.mimeType == "video/rtx" or codec.parameters.get("profile-level-id") == PROFILE
    ]


def _with_playout_delay(sdp: str) -> str:
    """The description with the header extension offered in its video section."""
    line = f"a=extmap:{PLAYOUT_DELAY_ID} {PLAYOUT_DELAY}\r\n"
    return re.sub(r"(m=video [^\r\n]*\r\n(?:c=[^\r\n]*\r\n)?)", lambda found: found[1] + line, sdp, count=1)
