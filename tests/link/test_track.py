from __future__ import annotations

import asyncio

import av
import pytest
from aiortc.mediastreams import MediaStreamError
from aiortc.rtp import HeaderExtensionsMap, RtpPacket

from elsewhere.link.track import DEPTH, PacketTrack, VideoPacket
from elsewhere.link.webrtc import PLAYOUT_DELAY_ID, add_playout_delay


def packet(frame: int, keyframe: bool = False) -> VideoPacket:
    return VideoPacket(av.Packet(b"x"), frame, frame, (1.0, 0.0, 0.0, 0.0), keyframe)


async def test_begins_with_a_keyframe_and_has_no_gap() -> None:
    wanted: list[int] = []
    track = PacketTrack(lambda: wanted.append(1))
    track.push(packet(1))
    assert wanted  # nothing can be shown before a keyframe
    track.push(packet(2, keyframe=True))
    await track.recv()
    assert track.current.frame == 2
    for frame in range(3, 3 + DEPTH + 1):
        track.push(packet(frame))
    track.push(packet(9))  # the viewer fell behind: all is dropped until a keyframe comes
    track.push(packet(10, keyframe=True))
    await track.recv()
    assert track.current.frame == 10


async def test_a_stopped_track_ends_whoever_waits() -> None:
    track = PacketTrack(lambda: None)
    waiting = asyncio.ensure_future(track.recv())
    await asyncio.sleep(0)
    track.stop()
    with pytest.raises(MediaStreamError):
        await waiting


def test_the_header_extension_leaves_the_packet_whole() -> None:
    plain = RtpPacket(payload_type=99, sequence_number=7, timestamp=1234, payload=b"payload", marker=1)
    with_extension = RtpPacket(
        payload_type=99, sequence_number=7, timestamp=1234, payload=b"payload", marker=1
    )
    with_extension.extensions.mid = "0"
    map = HeaderExtensionsMap()
    map._HeaderExtensionsMap__ids.mid = 1
    for sent, mid in ((plain, None), (with_extension, "0")):
        data = add_playout_delay(sent.serialize(map))
        assert bytes([PLAYOUT_DELAY_ID << 4 | 2, 0, 0, 0]) in data[:32]
        got = RtpPacket.parse(data, map)
        assert (got.payload, got.timestamp, got.sequence_number, got.marker) == (b"payload", 1234, 7, 1)
        assert got.extensions.mid == mid
