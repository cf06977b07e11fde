from __future__ import annotations

import json

import numpy as np
import pytest

from elsewhere.errors import RigError
from elsewhere.lab import fiducial
from elsewhere.lab.experiment import quiet
from elsewhere.lab.fiducial import FiducialTracking, Trace, error, jitter, lag_ms
from elsewhere.lab.marked_stand import there_and_back
from elsewhere.lab.report import plain


def test_the_lag_that_is_there_is_found() -> None:
    times = np.arange(0.0, 4.0, 1 / 30)
    truth = np.stack([np.sin(2 * times), np.cos(times), 0 * times], axis=1)
    late = np.stack([np.sin(2 * (times - 0.12)), np.cos(times - 0.12), 0 * times], axis=1)
    errors = np.concatenate([late - truth, np.zeros_like(truth)], axis=1)
    trace = Trace(times, truth, 0 * errors, errors, len(times))
    assert lag_ms(trace, trace.filtered) == pytest.approx(120, abs=4)
    assert lag_ms(trace, trace.raw) == pytest.approx(0, abs=4)


def test_jitter_is_about_the_mean_and_error_about_the_truth() -> None:
    rng = np.random.default_rng(0)
    errors = rng.normal(0.0, 0.001, (20000, 6)) + 0.5
    mm, deg = jitter(errors)
    assert mm == pytest.approx(np.sqrt(3), rel=0.02)
    assert deg == pytest.approx(np.degrees(0.001 * np.sqrt(3)), rel=0.02)
    assert error(errors)[0] == pytest.approx(500 * np.sqrt(3), rel=0.01)


def test_the_motion_has_the_speed_it_says() -> None:
    at = there_and_back(0.4)
    places = np.array([at(t).p for t in np.arange(0.0, 6.0, 1e-3)])
    speed = 1e3 * np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert speed.max() == pytest.approx(0.4, rel=0.01)
    assert np.linalg.norm(places, axis=1).max() == pytest.approx(0.25, rel=0.01)


def test_a_short_run_meets_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fiducial, "DISTANCES", (0.8, 1.6))
    monkeypatch.setattr(fiducial, "ANGLES_DEG", (30,))
    monkeypatch.setattr(fiducial, "SPEEDS", (0.4,))
    monkeypatch.setattr(fiducial, "SETTLE_S", 0.8)
    result = FiducialTracking(seconds=2.0, pictures=5, rate_hz=20.0).run(quiet)
    summary = json.loads(json.dumps(plain(result.summary)))
    assert {"jitter_ratio", "lag_ms", "rows"} <= summary.keys()
    assert summary["jitter_ratio"] > 2.0  # hardly more than a second of rest; 6 s show more than 5
    assert summary["lag_ms"] < 50
    near, far = summary["rows"]
    assert near["found"] == far["found"] == 1.0
    assert near["error_mm"] < 2.0
    assert far["error_mm"] < 8.0
    exponential = [row for row in summary["motion"] if row["filter"] == "exponential"]
    assert exponential[0]["lag_ms"] > 100
    assert len(result.plots) == 3


def test_senseless_options_are_refused() -> None:
    with pytest.raises(RigError, match="120 pictures"):
        FiducialTracking(rate_hz=1000.0).run(quiet)
