"""The commanded joints and their reference: inside every limit, whatever is asked and measured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.errors import ModelError
from elsewhere.motion.arm_motion import ArmMotion
from elsewhere.motion.torque._kernels import DISPLACED, MOVING, REST, advance, stoppable
from elsewhere.motion.torque.base import window
from elsewhere.records import MAX_JOINTS, Views
from elsewhere.rig import Control

DT = 1e-3


def braking_way(speed, a):
    """Way of a tick at `speed` and of all ticks of braking after it."""
    way = 0.0
    while speed > 0.0:
        way += speed * DT
        speed -= a * DT
    return way


@given(st.floats(1e-9, 3.0), st.floats(1.0, 20.0))
def test_stoppable_is_the_greatest_speed_that_stops_within_the_way(way, a):
    speed = stoppable(way, a, DT)
    assert braking_way(speed, a) == pytest.approx(way, rel=1e-9)
    assert stoppable(0.0, a, DT) == stoppable(-0.1, a, DT) == 0.0


def reference_stoppable(way, a):
    way = np.maximum(way, 0.0)
    m = np.floor(0.5 * (np.sqrt(1.0 + 8.0 * way / (a * DT**2)) - 1.0))
    return way / (DT * (m + 1.0)) + 0.5 * a * DT * m


def reference_motion(bounds, leash, velocity, q, dq, q_wanted, dq_wanted):
    """`advance` for all joints at once: (outcome, commanded joints, their velocities)."""
    low, high, top, a = bounds
    if (np.abs(q_wanted - q) > 0.4).any():
        return DISPLACED, q, np.zeros_like(q)
    share = np.clip((0.9 - (np.abs(dq) / top).max()) / 0.15, 0.0, 1.0)
    lead = (q_wanted - q) / leash
    goal = np.maximum(np.minimum(share * velocity, 2.0 * top * (1.0 - lead)), -2.0 * top * (1.0 + lead))
    goal = np.minimum(np.clip(goal, -top, top), reference_stoppable(high - q_wanted, 0.9 * a))
    goal = np.maximum(goal, -reference_stoppable(q_wanted - low, 0.9 * a))
    v = dq_wanted + np.clip(goal - dq_wanted, -a * DT, a * DT)
    return (MOVING if (np.abs(v) > 1e-4).any() else REST), q_wanted + v * DT, v


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.02, 0.2]), st.sampled_from([0.0, 0.3, 1.0]))
def test_advance_agrees_with_numpy(body, seed, apart, hurry):
    rng, limits, n = np.random.default_rng(seed), body.arms[1].limits, body.arms[1].chain.n
    bounds = np.stack([limits.lower, limits.upper, limits.velocity, 0.8 * limits.acceleration])
    leash = np.full(n, 0.05)
    q = rng.uniform(limits.lower, limits.upper)
    q_wanted, dq_wanted = q + apart * rng.normal(size=n), hurry * rng.normal(size=n)
    velocity, dq = hurry * rng.normal(size=n), hurry * limits.velocity * rng.uniform(-1.0, 1.0, n)
    outcome, q_next, dq_next = reference_motion(bounds, leash, velocity, q, dq, q_wanted, dq_wanted)
    assert advance(velocity, q, dq, *bounds, leash, DT, q_wanted, dq_wanted) == outcome
    assert q_wanted == pytest.approx(q_next, abs=1e-9)
    assert dq_wanted == pytest.approx(dq_next, abs=1e-9)


class Course:
    """One arm that is moved by velocities alone, the real one following exactly or as told."""

    def __init__(self, arm, q=None, torque="joint-pd"):
        self.arm, self.n = arm, arm.chain.n
        self.motion = ArmMotion(arm, Control(torque=torque))
        self.state = Views(np.zeros((), ArmMotion.STATE))
        start = np.zeros(MAX_JOINTS)
        start[: self.n] = arm.home if q is None else q
        self.motion.init(self.state, start)
        self.tau = np.zeros(MAX_JOINTS)
        self.still = np.zeros(MAX_JOINTS)

    def step(self, velocity, q=None, dq=None, share=1.0):
        self.state.velocity[: self.n] = velocity
        measured = self.state.q.copy() if q is None else q
        speed = self.still if dq is None else dq
        return self.motion.torque(self.state, measured, speed, True, self.tau, None, share)


def differences(path):
    """Velocity, acceleration and jerk of a path that begins at rest."""
    path = np.concatenate([np.repeat(path[:1], 3, axis=0), path])
    return [np.abs(np.diff(path, k, axis=0) / DT**k).max(axis=0) for k in (1, 2, 3)]


anything = st.floats(allow_nan=True, allow_infinity=True)
wishes = st.lists(
    st.tuples(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 100.0]), st.integers(1, 400)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60)
@given(wishes, anything)
def test_whatever_velocities_are_asked_the_reference_keeps_every_limit(body, sequence, odd):
    course = Course(body.arms[1])
    limits, path = body.arms[1].limits, [body.arms[1].home]
    for seed, size, ticks in sequence:
        rng = np.random.default_rng(seed)
        velocity = size * limits.velocity * rng.uniform(-1.0, 1.0, course.n)
        velocity[int(rng.integers(course.n))] = odd
        # The real arm lags, shakes, and now and then is not read well.
        for tick in range(ticks):
            q = course.state.q + 0.02 * np.sin(0.1 * tick + np.arange(MAX_JOINTS))
            q[2] = np.nan if tick == 7 else q[2]
            dq = np.full(MAX_JOINTS, rng.normal())
            assert course.step(velocity, q, dq) != DISPLACED
            path.append(course.state.reference[: course.n].copy())
    path = np.array(path)
    assert (path >= limits.lower).all()
    assert (path <= limits.upper).all()
    v, a, jerk = differences(path)
    assert (v <= limits.velocity * (1 + 1e-9)).all()
    assert (a <= limits.acceleration * (1 + 1e-6)).all()
    assert (jerk <= limits.jerk * (1 + 1e-6)).all()


def test_full_speed_into_an_end_stops_before_it_and_quickly_comes_back(body):
    course, limits = Course(body.arms[1]), body.arms[1].limits
    for _ in range(4000):
        course.step(limits.velocity)
    stopped = course.state.reference[: course.n].copy()
    assert np.allclose(stopped, limits.upper - 0.05, atol=1e-3)
    for _ in range(100):
        course.step(-limits.velocity)
    assert (course.state.reference[: course.n] < stopped - 0.02).all()


def test_the_reference_follows_within_two_milliseconds(body):
    course = Course(body.arms[1])
    for _ in range(300):
        course.step(np.full(course.n, 0.2))
    lag = (course.state.q - course.state.reference)[: course.n]
    assert (lag <= 0.002 * 0.2 + 1e-12).all()


@pytest.mark.parametrize("outside", [0.01, 0.05])
def test_an_arm_that_starts_outside_its_limits_only_comes_back(body, outside):
    arm = body.arms[1]
    q = arm.home.copy()
    q[0], q[3] = arm.limits.upper[0] + outside, arm.limits.lower[3] - outside
    course = Course(arm, q)
    course.step(np.zeros(course.n))
    assert np.array_equal(course.state.reference[: course.n], q)  # it does not jump
    before, path = q, [q]
    for _ in range(1500):
        course.step(np.where(np.arange(course.n) == 0, 1.0, -1.0))  # further out is not obeyed
        now = course.state.reference[: course.n].copy()
        assert now[0] <= before[0]
        assert now[3] >= before[3]
        before = now
        path.append(now)
    for _ in range(1500):
        course.step(np.where(np.arange(course.n) == 3, 0.3, -0.3))
        path.append(course.state.reference[: course.n].copy())
    assert path[-1][0] < arm.limits.upper[0]
    assert path[-1][3] > arm.limits.lower[3]
    assert (differences(np.array(path))[2] <= arm.limits.jerk * (1 + 1e-6)).all()


def test_a_displaced_arm_starts_again_where_it_is(body):
    course = Course(body.arms[1])
    elsewhere = course.state.q + np.where(np.arange(MAX_JOINTS) == 1, -0.5, 0.0)
    assert course.step(np.full(course.n, 0.5), elsewhere) == DISPLACED
    assert np.array_equal(course.state.reference, elsewhere)
    assert np.array_equal(course.state.dreference, np.zeros(MAX_JOINTS))


def test_the_window_keeps_jerk_and_a_jerk_that_is_too_low_is_refused():
    assert window(np.array([6.0]), np.array([3750.0]), DT) == 4
    assert window(np.array([4.0]), np.array([500.0]), DT) == 16
    with pytest.raises(ModelError, match="jerk limit is only 10 times"):
        window(np.array([4.0]), np.array([40.0]), DT)
