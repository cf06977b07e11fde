"""Delays from synthetic evidence with a known answer."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import LinkError
from elsewhere.lab.delays import Nudge, command_delays_ms, frame_rate, missed_ratio, video_delays_ms
from elsewhere.lab.latency import Evidence, conclude
from elsewhere.lab.probe import PRESENTED, PageClock
from elsewhere.lab.report import svg
from elsewhere.lab.watch import TapWatch, _reduce, family, real_time_factor, resident_mb
from elsewhere.records import TAP, zeros
from elsewhere.shared import Ring
from elsewhere.status import RIGHT

UP, DOWN = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)


def ticks(seconds: float, height: np.ndarray | None = None) -> np.ndarray:
    """One tick a millisecond from time 0, with the right palm at `height`."""
    count = int(seconds * 1000)
    records = np.zeros(count, TAP)
    records["tick"] = np.arange(count)
    records["now_ns"] = np.arange(count) * 1_000_000
    records["state"]["seq"] = np.arange(count)
    records["period_us"] = 1000.0
    records["compute_us"] = 200.0
    if height is not None:
        records["palm_p"][:, RIGHT, 2] = height
    return _reduce(records)


def test_the_first_motion_that_way_is_found() -> None:
    height = np.ones(3000)
    height[1035:] += 0.02  # 35 ms after the first nudge
    height[2048:] -= 0.02  # 48 ms after the second
    delays = command_delays_ms([Nudge(1e9, UP), Nudge(2e9, DOWN)], ticks(3.0, height), RIGHT, 0.5e-3)
    assert delays == pytest.approx([35.0, 48.0])


def test_motion_the_other_way_and_small_motion_are_no_answer() -> None:
    height = np.ones(2000)
    height[1020:] -= 0.02
    assert np.isinf(command_delays_ms([Nudge(1e9, UP)], ticks(2.0, height), RIGHT, 0.5e-3)).all()
    height = np.ones(2000)
    height[1020:] += 0.0004
    assert np.isinf(command_delays_ms([Nudge(1e9, UP)], ticks(2.0, height), RIGHT, 0.5e-3)).all()


def test_a_hand_that_still_moves_says_nothing() -> None:
    height = 1.0 + 0.01 * np.arange(2000) / 1000
    assert np.isnan(command_delays_ms([Nudge(1e9, UP)], ticks(2.0, height), RIGHT, 0.5e-3)).all()


def test_nudges_outside_the_ticks_say_nothing() -> None:
    assert np.isnan(command_delays_ms([Nudge(9e9, UP), Nudge(0.0, UP)], ticks(1.0), RIGHT, 1e-3)).all()


def presented(count: int = 60) -> np.ndarray:
    frames = np.zeros(count, PRESENTED)
    frames["now_ms"] = 100 + np.arange(count) * 1000 / 30
    frames["display_ms"] = frames["now_ms"] + 10
    # Page time 0 is monotonic 5 s; sampled 50 ms before the page was told.
    frames["sampled_ns"] = 5e9 + (frames["now_ms"] - 50) * 1e6
    frames["rtp_agrees"] = True
    return frames


def test_video_counts_until_the_screen() -> None:
    assert video_delays_ms(presented(), PageClock(5e9, 0.2)) == pytest.approx(np.full(60, 60.0), abs=1e-3)
    assert frame_rate(presented()) == pytest.approx(30.0)
    assert math.isnan(frame_rate(presented(1)))


def test_missed_means_more_than_2_ms_late() -> None:
    assert missed_ratio(np.array([1000.0, 2999.0, 3001.0, 900.0]), 1000.0) == 0.25


def test_real_time_factor() -> None:
    slow = ticks(1.0)
    slow["state_seq"] //= 2
    assert real_time_factor(ticks(1.0)) == pytest.approx(1.0)
    assert real_time_factor(slow) == pytest.approx(0.5, abs=1e-2)


def test_a_result_has_what_is_promised() -> None:
    height = np.ones(3000)
    height[1035:] += 0.02
    seen = Evidence(
        presented=presented(),
        frames=61,
        unreadable=1,
        video_ms=np.full(60, 60.0),
        command_ms=command_delays_ms([Nudge(1e9, UP)], ticks(3.0, height), RIGHT, 0.5e-3),
        ticks=ticks(3.0, height),
        lost=0,
        clock=PageClock(0.0, 0.4),
        memory_mb=700.0,
        nominal_us=1000.0,
        stolen=0.02,
    )
    result = conclude(seen)
    promised = {"fps", "video_p50_ms", "video_p95_ms", "command_p50_ms", "loop_p99_us", "missed_ratio"}
    assert promised <= set(result.summary)
    assert result.summary["command_p50_ms"] == pytest.approx(35.0)
    assert result.summary["loop_p99_us"] == 1000.0
    assert all(svg(plot).startswith("<svg") for plot in result.plots)


def test_the_tap_is_collected_whole(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "tap", TAP, 4096, create=True)
    record = zeros(TAP)
    with TapWatch(tmp_path, period_s=0.01) as watch:
        for i in range(500):
            record["tick"] = i
            record["state"]["seq"] = i + 7
            ring.append(record)
        assert int(watch.latest()["tick"]) == 499
    assert watch.ticks["tick"].tolist() == list(range(500))
    assert watch.ticks["state_seq"][-1] == 506
    assert watch.lost == 0


def test_no_tap_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(LinkError, match="no tap"):
        TapWatch(tmp_path)


def test_memory_of_this_process() -> None:
    assert os.getpid() in family(os.getpid())
    assert 5 < resident_mb([os.getpid()]) < 20_000
