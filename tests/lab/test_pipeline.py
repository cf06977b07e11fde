"""The overlay's pipeline: figures from what viewers heard, and bare viewers before a real relay."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from elsewhere.errors import LinkError
from elsewhere.lab.pipeline import BareViewers, Heard, Pipeline, Shown, conclude

MS = 1_000_000


def heard(count: int, *, gap_ms: int = 10, age_ms: float = 6.0, without: tuple[int, ...] = ()) -> Heard:
    found = Heard()
    for number in range(count):
        if number not in without:
            found.came_ns.append(number * gap_ms * MS)
            found.age_ms.append(age_ms)
            found.sequence.append(40 + number)
    return found


def test_an_even_stream_is_told_as_it_is() -> None:
    summary = conclude([heard(100), heard(100)], None, 0.0).summary
    assert summary["relay_hz"] == pytest.approx(100.0)
    assert summary["relay_age_p95_ms"] == pytest.approx(6.0)
    assert summary["relay_missed_ratio"] == 0.0
    assert "page_fps" not in summary


def test_frames_that_a_viewer_did_not_get_are_counted() -> None:
    summary = conclude([heard(100, without=(10, 11, 50)), heard(100)], None, 0.0).summary
    assert summary["relay_missed_ratio"] == pytest.approx(3 / 200)
    assert summary["relay_gap_p99_ms"] >= 10.0


def test_a_slow_page_does_not_meet_what_is_asked() -> None:
    slow = Shown(np.array([20.0]), np.array([100.0]), 20.0, 80.0)
    rows = {row.what: row for row in conclude([heard(100)], slow, 0.0).rows}
    assert rows["pose to screen, 95 %"].met is False
    assert rows["pictures a second"].met is False
    unknown = Shown(np.array([60.0]), np.array([100.0]), math.nan, math.nan)
    rows = {row.what: row for row in conclude([heard(100)], unknown, 0.0).rows}
    assert rows["pose to screen, 95 %"].met is False, "what was not measured is not met"


def test_nothing_heard_is_said() -> None:
    with pytest.raises(LinkError, match="elsewhere run overlay"):
        conclude([Heard()], None, 0.0)


async def test_a_relay_that_says_nothing_keeps_nobody() -> None:
    async def say_nothing(request: web.Request) -> web.WebSocketResponse:
        line = web.WebSocketResponse()
        await line.prepare(request)
        await line.receive()
        return line

    app = web.Application()
    app.router.add_get("/api/overlay", say_nothing)
    async with TestServer(app) as server:
        viewers = BareViewers(str(server.make_url("/")), 1)
        viewers.__enter__()
        await asyncio.sleep(0.2)
        await asyncio.wait_for(asyncio.to_thread(viewers.__exit__, None, None, None), 20.0)
    assert viewers.heard[0].sequence == []


@pytest.mark.stack
def test_bare_viewers_hear_a_real_relay() -> None:
    summary = Pipeline(seconds=2.0, viewers=2, page=False).run(lambda text: None).summary
    assert summary["viewers"] == 2
    assert summary["relay_hz"] > 20.0
    assert 0.0 < summary["relay_age_p50_ms"] < 1000.0
