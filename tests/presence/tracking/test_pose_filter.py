"""Both filters on poses with known noise, in virtual time."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.presence.tracking.adaptive_filter import AdaptiveFilter
from elsewhere.presence.tracking.pose import Pose
from elsewhere.presence.tracking.pose_filter import ExponentialFilter, JumpGate, Outcome, PoseFilter

HOME = Pose(np.array([0.5, -0.2, 0.4]), np.array([0.5, 0.5, 0.5, 0.5]))
SIGMA = np.array([0.002, 0.0005, 0.0005, 0.004, 0.004, 0.002])  # depth jitters most
NOISE = np.diag(SIGMA**2)
FLIP = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.9])
BOTH = pytest.mark.parametrize(
    "use", [ExponentialFilter(), AdaptiveFilter()], ids=["exponential", "adaptive"]
)


def moved(x: float) -> Pose:
    return HOME.plus(np.array([x, 0.5 * x, 0.0, 0.0, 0.0, x]))


def run(use: PoseFilter, truth, rate_hz: float, seconds: float, seed: int = 0):
    """Times, raw and filtered errors (n, 6), and outcomes."""
    rng, state = np.random.default_rng(seed), use.init()
    times = np.arange(round(rate_hz * seconds)) / rate_hz
    raw, filtered, outcomes = [], [], []
    for t in times:
        seen = truth(t).plus(SIGMA * rng.standard_normal(6))
        state, outcome = use.step(state, t, seen, NOISE)
        raw.append(seen.minus(truth(t)))
        filtered.append(state.pose.minus(truth(t)))
        outcomes.append(outcome)
    return times, np.array(raw), np.array(filtered), outcomes


def spread(errors: np.ndarray) -> np.ndarray:
    """Of position and of rotation, root mean square about the mean."""
    return np.sqrt(((errors - errors.mean(axis=0)).reshape(-1, 2, 3) ** 2).sum(axis=2).mean(axis=0))


def test_exponential_smoothing_is_what_it_says() -> None:
    use = ExponentialFilter(tau_s=0.2)
    state, outcome = use.step(use.init(), 0.0, HOME, NOISE)
    assert outcome is Outcome.STARTED
    state, outcome = use.step(state, 0.1, moved(0.04), NOISE)
    assert outcome is Outcome.FOLLOWED
    share = 1.0 - np.exp(-0.5)
    assert np.allclose(state.pose.minus(HOME), share * moved(0.04).minus(HOME), atol=1e-12)


@pytest.mark.parametrize("rate_hz", [10.0, 30.0, 60.0])
def test_the_adaptive_filter_takes_the_jitter_of_rest_away(rate_hz: float) -> None:
    times, raw, filtered, _ = run(AdaptiveFilter(), lambda t: HOME, rate_hz, 8.0)
    late = times > 2.0
    assert (spread(raw[late]) / spread(filtered[late])).min() > 5.0


@pytest.mark.parametrize("rate_hz", [30.0, 60.0])
@pytest.mark.parametrize("speed", [0.1, 0.5])
def test_the_adaptive_filter_follows_a_motion_at_once(rate_hz: float, speed: float) -> None:
    def truth(t: float) -> Pose:  # rests, then sways with this peak speed
        return moved(0.2 * (1.0 - np.cos(max(t - 1.0, 0.0) * speed / 0.2)))

    times, _, filtered, outcomes = run(AdaptiveFilter(), truth, rate_hz, 4.0)
    assert Outcome.REFUSED not in outcomes
    moving = times > 1.0
    speeds = np.gradient([truth(t).p for t in times], times, axis=0)[moving]
    # Least squares of error = -lag * velocity.
    lag = -(filtered[moving, :3] * speeds).sum() / (speeds**2).sum()
    assert abs(lag) < 0.05
    plain = run(ExponentialFilter(), truth, rate_hz, 4.0)[2]
    assert np.abs(filtered[moving, 0]).max() < 0.5 * np.abs(plain[moving, 0]).max()


def test_after_a_motion_it_is_still_again() -> None:
    def truth(t: float) -> Pose:
        return moved(0.3 * min(max(t - 0.5, 0.0), 1.0))

    times, raw, filtered, _ = run(AdaptiveFilter(), truth, 30.0, 6.0)
    late = times > 3.5
    assert (spread(raw[late]) / spread(filtered[late])).min() > 4.0
    assert np.abs(filtered[late, :3]).max() < 0.002


@BOTH
def test_single_flips_of_the_marker_never_show(use: PoseFilter) -> None:
    rng, state = np.random.default_rng(0), use.init()
    for k in range(120):
        seen = HOME.plus(SIGMA * rng.standard_normal(6))
        flipped = k > 5 and rng.random() < 0.3
        state, outcome = use.step(state, k / 30, seen.plus(FLIP) if flipped else seen, NOISE)
        if k > 5:
            assert outcome is (Outcome.REFUSED if flipped else Outcome.FOLLOWED)
        assert np.linalg.norm(state.pose.minus(HOME)[3:]) < 0.03


@BOTH
@pytest.mark.parametrize("rate_hz", [10.0, 30.0, 60.0])
def test_a_real_move_is_believed_in_time(use: PoseFilter, rate_hz: float) -> None:
    rng, state = np.random.default_rng(0), use.init()
    for k in range(60):
        state, _ = use.step(state, k / rate_hz, HOME.plus(SIGMA * rng.standard_normal(6)), NOISE)
    there = HOME.plus(np.array([0.5, 0.0, 0.0, 0.0, 0.0, 1.5]))
    left = 60 / rate_hz
    for k in range(60):
        t = left + k / rate_hz
        state, outcome = use.step(state, t, there.plus(SIGMA * rng.standard_normal(6)), NOISE)
        if outcome is Outcome.MOVED:
            break
        assert outcome is Outcome.REFUSED
        assert np.abs(state.pose.minus(HOME)[:3]).max() < 0.01
    assert t - left <= use.gate.confirm_s + 1.5 / rate_hz
    assert state.pose.distance(there)[0] < 0.01


@BOTH
def test_a_gap_starts_anew_and_the_past_is_ignored(use: PoseFilter) -> None:
    state, _ = use.step(use.init(), 5.0, HOME, NOISE)
    same, outcome = use.step(state, 5.0, moved(0.01), NOISE)
    assert outcome is Outcome.LATE
    assert same is state
    state, outcome = use.step(state, 6.5, moved(0.05), NOISE)
    assert outcome is Outcome.STARTED
    assert np.array_equal(state.pose.p, moved(0.05).p)


@BOTH
def test_a_state_may_be_taken_up_again(use: PoseFilter) -> None:
    state, _ = use.step(use.init(), 0.0, HOME, NOISE)
    state, _ = use.step(state, 0.03, moved(0.002), NOISE)
    once, _ = use.step(state, 0.06, moved(0.01), NOISE)
    again, _ = use.step(state, 0.06, moved(0.01), NOISE)
    assert np.array_equal(once.pose.T, again.pose.T)


def test_the_gate_opens_for_what_is_uncertain_but_never_for_a_flip() -> None:
    gate = JumpGate()
    turned = HOME.plus(np.array([0.0, 0.0, 0.0, 0.0, np.radians(30), 0.0]))
    assert not gate.near(turned, HOME, NOISE)
    assert gate.near(turned, HOME, np.diag([1e-6] * 3 + [0.1**2] * 3))
    upside = HOME.plus(np.array([0.0, 0.0, 0.0, 0.0, np.radians(90), 0.0]))
    assert not gate.near(upside, HOME, np.diag([1e-6] * 3 + [1.0] * 3))


def test_the_covariance_stays_one() -> None:
    rng, use = np.random.default_rng(0), AdaptiveFilter()
    state, _ = use.step(use.init(), 0.0, HOME, NOISE)
    t = 0.0
    for _ in range(200):
        t += rng.uniform(0.005, 0.2)
        state, _ = use.step(state, t, HOME.plus(3 * SIGMA * rng.standard_normal(6)), NOISE)
        assert sum(state.shares) == pytest.approx(1.0)
        for P in state.covariances:
            assert np.allclose(P, P.T, atol=1e-12)
            assert np.linalg.eigvalsh(P).min() > 0.0
