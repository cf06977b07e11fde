"""The real link: server and client over WebRTC on loopback, slots as world and tick would use them."""

from __future__ import annotations

import asyncio
import math
import time

import pytest
from link_frames import make_frame
from server_stage import Stage, until

from elsewhere.errors import GraphicsError, LinkError
from elsewhere.link.client import LinkClient, connect
from elsewhere.link.session import SeatTakenError
from elsewhere.messages import (
    Event,
    Goodbye,
    OperatorFrame,
    Rehome,
    Reset,
    Resume,
    SceneChanged,
    SetBaseline,
    Stop,
    TaskState,
    ThingsMoved,
    Welcome,
    encode,
)
from elsewhere.presence.framestamp import read_stamp
from elsewhere.server.media import PictureSource


async def messages_until(client: LinkClient, kind: type, code: str = "") -> list[object]:
    """Reliable messages up to one of that kind (and code)."""
    got: list[object] = []
    async with asyncio.timeout(8.0):
        async for message in client:
            got.append(message)
            if isinstance(message, kind) and (not code or message.code == code):
                return got
    raise AssertionError(f"the link ended before a {kind.__name__}: {got}")


async def ready(stage: Stage, client: LinkClient) -> None:
    """Until both sides know the offset of their clocks."""
    connection = stage.server.connections[client.session]
    await until(lambda: connection.clock.count >= 3 and client.offset.count >= 3 and client.latest())


async def drive(stage: Stage, client: LinkClient, seq: int = 1) -> int:
    """Send frames from `seq` on until one is admitted: on a loaded machine some come too late."""
    number = stage.server.connections[client.session].seat.number
    async with asyncio.timeout(8.0):
        while True:
            client.send(make_frame(seq, client.now_ns()))
            await asyncio.sleep(0.03)
            record = stage.frame.read()
            if (record["session"], record["seq"]) == (number, seq):
                return seq
            seq += 1


async def test_an_operator_s_visit(stage: Stage) -> None:
    """Welcome, states, frames in order, what is refused, requests, goodbye: one connection for all."""
    ahead_ns = 7 * 10**15  # a browser's clock has another origin

    def clock() -> int:
        return time.monotonic_ns() + ahead_ns

    async with connect(stage.server.url, clock=clock) as client:
        connection = stage.server.connections[client.session]
        await check_welcome_and_states(stage, client)
        assert abs(client.offset_ns + ahead_ns) <= client.offset.round_trip_ns / 2 + 1
        await check_frames(stage, client, connection)
        await check_malformed(stage, client, connection)
        await check_requests(stage, client)
        await check_what_moved_is_told(stage, client)
        version, seq = stage.frame.version, connection.gate.seq
        client.request(Goodbye())
        await until(lambda: stage.server.seats.operator is None)
        assert stage.frame.version == version + 1
        released = stage.frame.read()
        assert released["seq"] == seq + 1
        assert not released["tracked"].any()
        assert not released["clutch"].any()
        await asyncio.wait_for(client.wait_closed(), 8.0)
        assert not client.send(make_frame(9999, clock()))


async def check_welcome_and_states(stage: Stage, client: LinkClient) -> None:
    welcome = client.welcome
    assert welcome.session == client.session
    assert welcome.drives
    assert welcome.rig == "small"
    assert welcome.hands == {"left": "six-motor-hand", "right": "wide-gripper"}
    assert welcome.scene.name == "room"
    assert welcome.scene.things
    assert (welcome.video_width, welcome.video_height) == (640, 48)
    got = await messages_until(client, TaskState)
    assert isinstance(got[0], Welcome)
    await ready(stage, client)
    seq = client.latest().seq
    await until(lambda: client.latest().seq > seq + 5)
    state = client.latest()
    assert state.mode == "track"
    assert state.reason == "following"
    await until(lambda: client.latest().loop is not None)
    assert client.latest().loop.period_p99_us == 1000.0
    assert stage.server.media.frames == 0  # nobody watches


async def check_frames(stage: Stage, client: LinkClient, connection) -> None:
    seen: list[int] = []
    for seq in range(1, 31):
        client.send(make_frame(seq, client.now_ns(), x=0.01 * seq))
        await asyncio.sleep(0.01)
        newest = int(stage.frame.read()["seq"])
        if newest not in (0, *seen[-1:]):
            seen.append(newest)
    assert seen == sorted(set(seen))
    seq = await drive(stage, client, 31)
    record = stage.frame.read()
    assert record["hand_p"][0][0] == pytest.approx(0.4)
    assert record["session"] == connection.seat.number
    assert -20.0 <= (int(record["received_ns"]) - int(record["sampled_ns"])) / 1e6 <= 100.0
    await until(lambda: client.latest().frame_seq == seq)
    version, before = stage.frame.version, connection.refused.copy()
    client.send(make_frame(seq, client.now_ns()))
    await until(lambda: connection.refused["repeated"] > before["repeated"])
    client.send(make_frame(1001, client.now_ns() - 150_000_000))
    await until(lambda: connection.refused["stale"] > before["stale"])
    client.send(make_frame(1002, client.now_ns() + 5_000_000_000))
    await until(lambda: connection.refused["future"] > before["future"])
    client.send(make_frame(1003, client.now_ns() + 15_000_000, twist=math.nan))
    await until(
        lambda: connection.refused["not_finite"] + connection.refused["stale"] > before["stale"] + 1
    )
    assert stage.frame.version == version


async def check_malformed(stage: Stage, client: LinkClient, connection) -> None:
    version = stage.frame.version
    junk = [b"", b"\xc1", b"\xff" * 2000, encode(Reset(1)), b"\x81\xa4type\xa4Nope", encode(Reset(1))[:-1]]
    for data in junk:
        client.send_raw("reliable", data)  # in order, so that each is certainly tried
    client.send_raw("latest", junk[1])
    # A reset is welcome on the reliable channel; all else is not, on either.
    await until(lambda: connection.refused["malformed"] == len(junk))
    assert stage.frame.version == version
    assert int(stage.request.read()["reset"]) == 1
    await messages_until(client, Event)
    await drive(stage, client, 2000)  # all goes on


async def check_requests(stage: Stage, client: LinkClient) -> None:
    for message in (Reset(seed=5), Stop(), Resume(), Rehome(), Reset(seed=6), SetBaseline(61.5)):
        assert client.request(message)
    await until(lambda: stage.request.read()["baseline"])
    record = stage.request.read()
    counters = [int(record[name]) for name in ("reset", "seed", "stop", "resume", "rehome")]
    assert counters == [3, 6, 1, 1, 1]
    assert record["baseline"] == pytest.approx(0.0615)
    stage.resets += 1
    await messages_until(client, SceneChanged)


async def check_what_moved_is_told(stage: Stage, client: LinkClient) -> None:
    at = stage.model.joint("block_red").qposadr[0]
    await asyncio.sleep(1.0)  # the server has looked at the scene since it was reset
    stage.qpos[at] += 0.1
    (*_, told) = await messages_until(client, ThingsMoved)
    assert [thing.name for thing in told.things] == ["block_red"]
    assert told.things[0].position[0] == pytest.approx(stage.qpos[at])


async def test_a_newcomer_is_told_the_scene_as_it_is_now(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before the server has looked around by itself: an operator would reach for the wrong place."""
    monkeypatch.setattr("elsewhere.server.server.GOALS_S", 60.0)
    await asyncio.sleep(0.05)  # the one look at the start is over
    stage.seed, stage.resets = 7, 3
    await asyncio.sleep(0.05)
    async with connect(stage.server.url) as client:
        assert client.welcome.scene.seed == 7


async def test_the_seat_and_a_takeover(stage: Stage) -> None:
    async with connect(stage.server.url) as first:
        assert stage.server.info()["busy"]
        with pytest.raises(SeatTakenError, match="Another operator"):
            async with connect(stage.server.url):
                pass
        await ready(stage, first)
        seq = await drive(stage, first)
        number = stage.server.connections[first.session].seat.number
        async with connect(stage.server.url, takeover=True) as second:
            await messages_until(first, Event, "taken-over")
            released = stage.frame.read()
            assert (released["session"], released["seq"]) == (number, seq + 1)
            await asyncio.wait_for(first.wait_closed(), 8.0)
            await ready(stage, second)
            await drive(stage, second)
    await until(lambda: not stage.server.info()["busy"])


async def test_a_silent_operator_loses_the_seat(stage: Stage) -> None:
    async with connect(stage.server.url) as client:
        await ready(stage, client)
        seq = await drive(stage, client)
        client._channels.clear()  # says nothing more, and answers no ping
        await until(lambda: stage.server.seats.operator is None)
        assert int(stage.frame.read()["seq"]) == seq + 1
        assert any(event.code == "silent" for event in stage.server.notices.recent)


async def test_a_viewer_sees_but_does_not_drive(stage: Stage) -> None:
    packets: list[tuple[bytes, bool, int, int]] = []
    stage.server.media.listen(lambda *packet: packets.append(packet))
    async with connect(stage.server.url, "viewer", video=True) as viewer:
        assert not viewer.welcome.drives
        assert not stage.server.info()["busy"]
        connection = stage.server.connections[viewer.session]
        async with asyncio.timeout(10.0):
            numbers = [read_stamp(await viewer.picture()) for _ in range(5)]
        assert None not in numbers
        assert numbers == sorted(set(numbers))
        await until(lambda: numbers[-1] in viewer.stamps)
        sampled = {number: sampled_ns for _, _, sampled_ns, number in packets}
        assert viewer.stamps[numbers[-1]].sampled_ns == sampled[numbers[-1]]
        rtp = [viewer.stamps[number].rtp for number in sorted(viewer.stamps)]
        ticks = [sampled[number] * 9 // 100_000 for number in sorted(viewer.stamps)]
        shifts = [a - b for a, b in zip(rtp, ticks, strict=True)]
        # The RTP clock is the avatar's, up to aiortc's random origin. On a machine so loaded that two
        # pictures show the same instant, the second is one tick later.
        spread = [(shift - shifts[0] + 2**31) % 2**32 - 2**31 for shift in shifts]
        assert max(map(abs, spread)) <= len(packets)
        await check_keyframe_on_request(connection, packets)
        viewer.request(Stop())
        viewer.send(make_frame(1, viewer.now_ns()))
        await until(lambda: connection.refused["viewer"] == 2)
        assert stage.request.version == 0
        assert stage.frame.version == 0


async def check_keyframe_on_request(connection, packets: list[tuple[bytes, bool, int, int]]) -> None:
    """As aiortc does it when a browser sends PLI or FIR."""
    await asyncio.sleep(0.3)
    before = sum(keyframe for _, keyframe, _, _ in packets)
    connection.peer._sender._send_keyframe()
    await until(lambda: sum(keyframe for _, keyframe, _, _ in packets) > before)


async def test_notices_from_any_thread_reach_everyone(stage: Stage) -> None:
    async with connect(stage.server.url, "viewer") as viewer:
        await asyncio.to_thread(stage.server.notify, "fault", "disk-full", "The disk is full.")
        got = await messages_until(viewer, Event, "disk-full")
        assert got[-1].level == "fault"


async def test_without_graphics_there_is_no_video_but_all_else(stage: Stage) -> None:
    def broken() -> PictureSource:
        raise GraphicsError("No OpenGL context can be made. Set MUJOCO_GL=egl.")

    blind = stage.make_server(camera=broken)
    await blind.start()
    try:
        async with connect(blind.url, "viewer", video=True) as viewer:
            got = await messages_until(viewer, Event, "no-video")
            assert "OpenGL" in got[-1].text
            await until(viewer.latest)
    finally:
        await blind.stop()


async def test_a_taken_port_is_one_sentence(stage: Stage) -> None:
    second = stage.make_server(port=stage.server.port)
    with pytest.raises(LinkError, match=rf"Port {stage.server.port} .*--port"):
        await second.start()


async def test_no_avatar_there() -> None:
    with pytest.raises(LinkError, match="No avatar at"):
        async with connect("http://127.0.0.1:9"):
            pass


def test_frames_are_whole_messages() -> None:
    assert isinstance(make_frame(1, 2), OperatorFrame)
