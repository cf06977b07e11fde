"""The closed loop: a simulated viewer moves and renders, the tracker finds the base in the world."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from elsewhere.lab.fiducial import jitter, lag_ms, track
from elsewhere.lab.marked_stand import T_BASE_MARKER, Look, at_rest, camera, head, looks, there_and_back
from elsewhere.presence.tracking.adaptive_filter import AdaptiveFilter
from elsewhere.presence.tracking.base_tracker import BaseTracker
from elsewhere.presence.tracking.fiducial import Fiducial
from elsewhere.presence.tracking.pose import Pose
from elsewhere.presence.tracking.pose_filter import ExponentialFilter, Outcome

TRACKER = BaseTracker(Fiducial(), T_BASE_MARKER)


@cache
def resting() -> tuple[Look, ...]:
    """Some seconds of a moving head before a base at rest, 1.2 m away."""
    return tuple(looks(head(1.2, 20), at_rest, 2.5, 30.0))


def test_the_base_is_found_and_its_jitter_taken_away() -> None:
    (trace,) = track(resting(), AdaptiveFilter())
    assert len(trace.time) == trace.pictures
    settled = trace.after(1.0)
    error = np.linalg.norm(settled.filtered[:, :3], axis=1)
    assert np.median(error) < 0.002  # 0.4 mm seen; 5 mm asked
    (raw_mm, raw_deg), (mm, deg) = jitter(settled.raw), jitter(settled.filtered)
    assert raw_mm > 0.2  # the pictures do jitter
    assert raw_mm / mm > 5.0
    assert raw_deg / deg > 5.0


def test_a_moving_base_is_followed_with_little_lag() -> None:
    shown = looks(head(1.2, 20, seed=2), there_and_back(0.3), 2.2, 30.0, seed=2)
    trace, plain = (one.after(0.4) for one in track(shown, AdaptiveFilter(), ExponentialFilter()))
    assert abs(lag_ms(trace, trace.filtered)) < 50
    assert np.median(np.linalg.norm(trace.filtered[:, :3], axis=1)) < 0.005
    assert lag_ms(plain, plain.filtered) > 100  # what the plain filter pays for less


def test_the_viewer_s_motion_is_not_the_robot_s() -> None:
    # The same pictures, filtered where the camera is the world: the base lags behind every turn.
    use = ExponentialFilter()
    in_world = track(resting(), use)[0].after(0.5)
    seen_from_camera = [Look(one.time_s, one.image, np.eye(4), one.base) for one in resting()]
    tracker = BaseTracker(Fiducial(), T_BASE_MARKER, use)
    state, errors = tracker.init(), []
    for look, told in zip(seen_from_camera, resting(), strict=True):
        state, base = tracker.step(state, look.time_s, look.image, camera(), look.T_world_camera)
        errors.append(Pose.of(told.T_world_camera @ base.T_world_base).minus(look.base))
    worst_camera = np.abs(np.array(errors)[15:, :3]).max()
    worst_world = np.abs(in_world.filtered[:, :3]).max()
    assert worst_world < 0.005
    assert worst_camera > 3.0 * worst_world


def test_a_lost_marker_is_held_and_then_fades() -> None:
    look = resting()[0]
    state, base = TRACKER.step(TRACKER.init(), 10.0, look.image, camera(), look.T_world_camera)
    assert base.outcome is Outcome.STARTED
    assert base.confidence == 1.0
    known, black = base.T_world_base, np.zeros_like(look.image)
    for age, confidence in ((0.2, 1.0), (0.5, 1.0), (0.75, 0.5), (0.9, 0.2), (1.0, 0.0), (60.0, 0.0)):
        after, base = TRACKER.step(state, 10.0 + age, black, camera(), look.T_world_camera)
        assert after is state
        assert base.sighting is None
        assert base.confidence == pytest.approx(confidence)
        assert np.array_equal(base.T_world_base, known)
    state, base = TRACKER.step(state, 70.0, look.image, camera(), look.T_world_camera)
    assert base.outcome is Outcome.STARTED
    assert base.confidence == 1.0


def test_before_the_marker_was_seen_nothing_is_claimed() -> None:
    state, base = TRACKER.step(TRACKER.init(), 0.0, np.zeros((480, 640), np.uint8), camera(), np.eye(4))
    assert base.T_world_base is None
    assert base.confidence == 0.0
    assert TRACKER.at(state, 1.0).T_world_base is None


def test_a_refused_sighting_does_not_keep_the_human_alive() -> None:
    look = resting()[0]
    seen = Fiducial().detect(look.image, camera())
    assert seen is not None
    state, _ = TRACKER.take(TRACKER.init(), 0.0, seen, look.T_world_camera)
    rng = np.random.default_rng(0)
    for k in range(1, 30):  # everywhere and nowhere
        away = (
            Pose.of(look.T_world_camera).plus(np.array([*rng.uniform(-2, 2, 3), *rng.uniform(-1, 1, 3)])).T
        )
        state, base = TRACKER.take(state, 0.0333 * k, seen, away)
        assert base.outcome is Outcome.REFUSED
    assert base.confidence < 0.1


def test_a_turn_of_an_uncertain_head_is_felt_at_the_marker() -> None:
    look = resting()[0]
    seen = Fiducial().detect(look.image, camera())
    assert seen is not None
    sigma = 0.01
    loose = BaseTracker(Fiducial(), T_BASE_MARKER, head_sigma=(0.0, sigma))
    sure = BaseTracker(Fiducial(), T_BASE_MARKER, head_sigma=(0.0, 0.0))
    T = look.T_world_camera
    added = loose._covariance(seen, T) - sure._covariance(seen, T)
    # By trying it: small turns of the head about its own place.
    rng, marker = np.random.default_rng(0), Pose.of(T @ seen.pose.T)
    tried = []
    for turn in rng.normal(0.0, sigma, (3000, 3)):
        tried.append(Pose.of(Pose.of(T).plus(np.array([0, 0, 0, *turn])).T @ seen.pose.T).minus(marker))
    assert np.allclose(np.cov(np.array(tried).T), added, atol=0.1 * np.abs(added).max())
