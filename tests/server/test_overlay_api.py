"""The relay on a real server: two viewers and more, one late, one slow; what is refused; what is stale."""

from __future__ import annotations

import asyncio
import json
import struct
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp
import numpy as np
import pytest
from overlay_fakes import fake_solving
from server_stage import Stage, until

from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.messages import Ping, Pong, encode
from elsewhere.overlay_messages import (
    OverlayFrame,
    OverlayHello,
    OverlayWelcome,
    Tracked,
    TrackImage,
    decode_overlay_down,
)
from elsewhere.records import TAP, zeros
from elsewhere.rig import load_rig
from elsewhere.server.overlay_relay import Relay
from elsewhere.status import LEFT, RIGHT, Mode
from elsewhere.world.simulation import Simulation

MS = 1_000_000


@pytest.fixture(scope="module")
def yumi() -> Body:
    return compose(load_rig("overlay"))


def tick(body: Body, now_ns: int) -> np.ndarray:
    tap = zeros(TAP)
    tap["state"]["sampled_ns"] = now_ns
    tap["state"]["baseline"] = 0.06
    for side, arm in enumerate(body.arms):
        tap["state"]["q"][side, :7] = arm.home
        tap["state"]["motors"][side, 0] = 0.25
    return tap


class OverlayStage(Stage):
    """A stage whose taps hold a YuMi at home, and can fall silent."""

    silent = False

    async def _tick(self) -> None:
        while True:
            if not self.silent:
                now_ns = time.monotonic_ns()
                tap = tick(self.body, now_ns)
                self.ticks += 1
                tap["tick"], tap["now_ns"], tap["mode"] = self.ticks, now_ns, Mode.TRACK
                tap["frame"], tap["request"] = self.frame.read(), self.request.read()
                for side, arm in enumerate(self.body.arms):
                    tap["q_wanted"][side, :7] = arm.home
                self.tap.append(tap)
            await asyncio.sleep(0.004)


@pytest.fixture
async def overlay(yumi: Body) -> AsyncIterator[OverlayStage]:
    stage = OverlayStage(yumi.rig, yumi, Simulation(yumi, "therapy").model)
    stage.server.overlay._make_solving = fake_solving
    await stage.start()
    yield stage
    await stage.stop()


async def read(ws: aiohttp.ClientWebSocketResponse) -> object:
    return decode_overlay_down(await ws.receive_bytes(timeout=5.0))


# --- the relay alone, in virtual time -----------------------------------------------------------


def test_it_merges_the_newest_of_both_arms_and_says_what_is_stale(yumi):
    relay = Relay(yumi, fake_solving())
    left, right = (server.sample(tick(yumi, 0)) for server in relay.poses)
    relay.hear(replace(left, sampled_ns=5 * MS), LEFT, 6 * MS)
    assert relay.frame(6 * MS) is None  # one arm is not enough
    relay.hear(replace(right, sampled_ns=4 * MS), RIGHT, 6 * MS)
    frame = relay.frame(7 * MS)
    assert frame.fault == ""
    assert frame.stamp.sampled_ns == 4 * MS
    assert frame.opening == pytest.approx((0.75, 0.75))
    # What is older than what is known changes nothing.
    relay.hear(replace(left, sampled_ns=3 * MS, opening=0.0), LEFT, 8 * MS)
    assert relay.frame(8 * MS).opening[LEFT] == pytest.approx(0.75)
    relay.hear(replace(right, sampled_ns=150 * MS), RIGHT, 150 * MS)
    late = relay.frame(150 * MS)
    assert late.fault == "late: the left arm is shown where it was 144 ms ago"
    assert late.reference[LEFT] == frame.reference[LEFT]
    relay.hear(replace(right, sampled_ns=1500 * MS), RIGHT, 1500 * MS)
    assert relay.frame(1500 * MS).fault.startswith("lost: the left arm")
    relay.hear(replace(left, sampled_ns=1501 * MS), LEFT, 1501 * MS)
    assert relay.frame(1502 * MS).fault == ""


def test_shoulders_in_one_point_leave_the_body_where_it_was(yumi):
    relay = Relay(yumi, fake_solving())
    relay.hear_tick(tick(yumi, MS), MS)
    before = relay.frame(MS)
    left, right = (server.sample(tick(yumi, 2 * MS)) for server in relay.poses)
    relay.hear(left, LEFT, 2 * MS)
    relay.hear(replace(right, shoulder=left.shoulder), RIGHT, 2 * MS)
    frame = relay.frame(2 * MS)
    assert "shoulders do not say" in frame.fault
    assert frame.solved[0].body_p == before.solved[0].body_p


def test_a_frame_says_where_links_and_points_are(yumi):
    relay = Relay(yumi, fake_solving())
    relay.hear_tick(tick(yumi, MS), MS)
    frame = relay.frame(MS)
    welcome = relay.welcome()
    assert len(frame.links_p) == len(frame.links_q) == len(welcome.links)
    places = dict(zip(welcome.links, frame.links_p, strict=True))
    for side, name in enumerate(("left", "right")):
        arm = yumi.arms[side]
        shoulder, elbow, wrist = arm.reference_points(arm.home)
        points = frame.reference[side]
        assert np.allclose([points.shoulder, points.elbow, points.wrist], [shoulder, elbow, wrist])
        assert np.allclose(places[f"{name}_arm_link4"], elbow)
        assert np.allclose(places[f"{name}_arm_link7"], wrist)
        # The fake lays both arms exactly, and turns the hand as the palm frames say.
        solved = frame.solved[0].arms[side]
        assert solved.elbow_off < 1e-9
        assert solved.wrist_off < 1e-9
    assert frame.fingers[0] == pytest.approx((0.25, 0.5, 0.75))  # a quarter closed
    assert places["base"] == (0.0, 0.0, 0.0)
    assert welcome.marker.id == 7


# --- on the wire --------------------------------------------------------------------------------


async def test_many_viewers_one_late_one_slow(overlay):
    url = overlay.server.url + "api/overlay"
    async with aiohttp.ClientSession() as http, http.ws_connect(url) as first:
        assert isinstance(await read(first), OverlayWelcome)
        frames = [await read(first) for _ in range(60)]
        assert all(isinstance(frame, OverlayFrame) for frame in frames)
        numbers = [frame.sequence for frame in frames]
        assert numbers == sorted(set(numbers))
        # Who comes late gets the welcome and the newest frame at once.
        async with http.ws_connect(url) as late:
            welcome, frame = await read(late), await read(late)
            assert isinstance(welcome, OverlayWelcome)
            assert frame.sequence >= numbers[-1]
            assert frame.fault == ""
            # One that does not read: frames for it are dropped, and the others go on.
            viewers = overlay.server.overlay.viewers
            before = set(viewers)
            slow = await http.ws_connect(url)
            await until(lambda: len(viewers) == 3)
            (behind,) = viewers - before
            async with asyncio.timeout(20.0):
                while behind.dropped < 30:
                    await asyncio.gather(read(first), read(late))
            assert all(viewer.dropped < behind.dropped for viewer in before), [v.dropped for v in viewers]
            newest = await read(first)
            assert time.monotonic_ns() - newest.stamp.available_ns < 500 * MS
            await slow.close()
            # Both of the others are at the same place.
            assert abs(newest.sequence - (await read(late)).sequence) < 40


async def test_the_rate_is_at_most_a_hundred_a_second(overlay):
    """By the numbers and stamps of the frames: what a busy machine drops is counted too."""
    async with aiohttp.ClientSession() as http, http.ws_connect(overlay.server.url + "api/overlay") as ws:
        await read(ws)
        frames = [await read(ws) for _ in range(80)]
        span_s = 1e-9 * (frames[-1].stamp.available_ns - frames[0].stamp.available_ns)
        rate = (frames[-1].sequence - frames[0].sequence) / span_s
        assert rate < 110.0  # never faster; how much slower is the machine's affair


async def test_a_silent_robot_is_told(overlay):
    async with aiohttp.ClientSession() as http, http.ws_connect(overlay.server.url + "api/overlay") as ws:
        await read(ws)
        await read(ws)
        overlay.silent = True
        faults = set()
        async with asyncio.timeout(8.0):
            while "lost" not in faults:
                faults.add((await read(ws)).fault.split(":")[0])
        assert faults == {"", "late", "lost"}


async def test_what_viewers_may_send(overlay):
    base = overlay.server.url + "api/overlay"
    async with aiohttp.ClientSession() as http:
        async with http.ws_connect(base) as ws:
            await read(ws)
            await ws.send_bytes(encode(OverlayHello("viewer")))
            await ws.send_bytes(encode(Ping(3, 4)))
            await ws.send_bytes(encode(TrackImage(9, 4, 4, b"", 60.0)))  # no picture at all
            await ws.send_bytes(b"nonsense")
            answers = {}
            async with asyncio.timeout(5.0):
                while set(answers) != {Pong, Tracked}:
                    message = await read(ws)
                    if not isinstance(message, OverlayFrame):
                        answers[type(message)] = message
            assert answers[Pong].seq == 3
            assert (answers[Tracked].sequence, answers[Tracked].found) == (9, False)
            for _ in range(40):
                await ws.send_bytes(b"nonsense")
            async with asyncio.timeout(5.0):
                while not ws.closed:
                    await ws.receive()
        assert (await http.get(base)).status == 400
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await http.ws_connect(base, headers={"Origin": "http://evil.example"})
        overlay.server.key = "secret"
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await http.ws_connect(base)


async def test_models_and_motion_over_http(overlay):
    base = overlay.server.url + "api/overlay"
    async with aiohttp.ClientSession() as http:
        glb = await (await http.get(base + "/robot.glb")).read()
        length = struct.unpack_from("<I", glb, 12)[0]
        names = [node["name"] for node in json.loads(glb[20 : 20 + length])["nodes"]]
        assert names[-1] == "robot"
        assert await (await http.get(base + "/human.glb")).read() == b"human"
        told = await (await http.get(base + "/motion")).json()
        assert told == {"scripts": ["poses", "therapy", "wave"], "playing": False}
        for body in (b"{", b"[]", b"{}", b'{"script": 3}', b'{"action": "jump"}', b'{"script": "../x"}'):
            assert (await http.post(base + "/motion", data=body)).status == 400
        told = await (await http.post(base + "/motion", json={"script": "wave"})).json()
        assert (told["script"], told["playing"]) == ("wave", True)
        await until(lambda: overlay.frame.read()["way"].all())
        frame = overlay.frame.read()
        assert frame["way_end_ns"] > frame["way_begin_ns"]
        # The seat is taken, and can be taken over: then the arms are released.
        assert (await http.post(overlay.server.url + "api/session", json={})).status == 409
        await http.post(base + "/motion", json={"action": "stop"})
        await until(lambda: overlay.request.read()["stop"] == 1)
        await http.post(base + "/motion", json={"action": "resume"})
        await until(lambda: overlay.request.read()["resume"] == 1)
        reply = await http.post(overlay.server.url + "api/session", json={"takeover": True})
        assert reply.status == 200
        await until(lambda: not overlay.server.motion.status()["playing"])
        assert (await http.post(base + "/motion", json={"script": "wave"})).status == 409


async def test_a_robot_that_cannot_wear_a_person_says_why(stage: Stage):
    async with aiohttp.ClientSession() as http:
        assert stage.server.overlay_url == ""
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await http.ws_connect(stage.server.url + "api/overlay")
        assert refused.value.status == 400
        reply = await http.get(
            stage.server.url + "api/overlay", headers={"Upgrade": "websocket", "Connection": "Upgrade"}
        )
        assert "names three: shoulder, elbow, wrist" in (await reply.json())["error"]
