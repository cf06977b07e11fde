"""The tracking experiment: its sweep finds a known delay, its paths are smooth, its run is whole."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.errors import RigError
from elsewhere.lab.experiment import quiet
from elsewhere.lab.hand_motions import SCENARIOS, HandPath, both_hands
from elsewhere.lab.tracked_run import Log, tracked_run
from elsewhere.lab.tracking import Sweep, Tracking, conclude, distances_mm, joined


def wave(count=4000):
    t = 1e-3 * np.arange(count)
    path = 0.1 * np.stack([np.sin(3 * t), np.cos(2 * t), np.sin(t)], axis=1)
    return np.stack([path, -path], axis=1)


def test_the_sweep_finds_the_delay_that_is_there():
    hand = wave()
    palm = np.concatenate([np.repeat(hand[:1], 37, axis=0), hand[:-37]]) + np.array([0.003, 0.0, 0.0])
    sweep = Sweep.of(hand, palm)
    assert sweep.shift_ms == 37
    assert sweep.both[37] == pytest.approx(3.0)
    assert sweep.both[0] > 5.0
    assert distances_mm(hand, hand, 0).max() == 0.0


def test_runs_count_by_their_length():
    long, short = Sweep(np.full((101, 2), 1.0), 3000), Sweep(np.full((101, 2), 5.0), 1000)
    assert joined([long, short]).both == pytest.approx(np.full(101, 2.0))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_paths_are_seeded_smooth_and_of_natural_speed(scenario):
    for path, again, other in zip(
        both_hands(scenario, 5), both_hands(scenario, 5), both_hands(scenario, 6), strict=True
    ):
        times = np.arange(0.0, path.end, 1e-3)
        places = np.array([path.at(t) for t in times])
        assert np.array_equal(places, [again.at(t) for t in times])
        assert path.end != other.end or not np.array_equal(places, [other.at(t) for t in times])
        speed = 1e3 * np.linalg.norm(np.diff(places[:, :3], axis=0), axis=1)
        assert 0.2 < speed.max() < 1.0
        assert np.abs(np.diff(speed)).max() < 0.02  # no step of velocity: 20 m/s^2
        assert np.allclose(path.at(path.end), 0.0, atol=1e-9)
        assert np.abs(places[:, :3]).max() < 0.35


def test_a_short_run_goes_through_link_tick_and_arms(body):
    paths = tuple(HandPath(np.random.default_rng(side)) for side in range(2))
    for path in paths:
        path.go(np.array([0.05, 0.0, 0.08, 0.0, 0.0, 0.2]), 0.3)
        path.rest(0.6)
    log = tracked_run(body, paths, 72.0, 0)
    assert np.linalg.norm(log.measured[-1] - log.hand[-1], axis=-1).max() < 0.003
    assert np.linalg.norm(log.hand[-1] - log.hand[0], axis=-1) == pytest.approx([0.0943] * 2, abs=1e-3)
    summary = conclude({"a run": log}).summary
    assert summary["mean_error_mm"] <= 6.3
    assert 0 < summary["shift_ms"] <= 44
    stages = summary["stages"]
    assert stages["target"]["mean_error_mm"] < 1.0
    assert stages["target"]["shift_ms"] <= stages["measured"]["shift_ms"]


def test_the_result_has_the_asked_figures_and_draws():
    hand = wave()
    log = Log(hand, hand, hand, np.roll(hand, 20, axis=0), np.zeros((len(hand), 2), np.int64))
    result = conclude({"one": log, "two": log})
    assert {"mean_error_mm", "unshifted_error_mm", "shift_ms", "rows"} <= set(result.summary)
    assert result.summary["shift_ms"] == 20
    assert [row["run"] for row in result.summary["rows"]] == ["one", "two"]
    assert len(result.plots) == 3
    assert all(plot.data()["series"] for plot in result.plots)


@pytest.mark.parametrize("change", [{"rig": "one-arm"}, {"sessions": 0}, {"rate_hz": 1e6}])
def test_what_cannot_be_measured_is_said(change):
    with pytest.raises(RigError):
        Tracking(**change).run(quiet)
