"""The guard: limits of torque and torque rate always hold, and nothing that is not finite passes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.records import COMMAND, ROBOT_STATE, Views, zeros
from elsewhere.safety.guard import Guard
from elsewhere.status import Reason, Status

DT = 1e-3
anything = st.floats(allow_nan=True, allow_infinity=True)


class Bench:
    def __init__(self, body):
        self.guard = Guard(body, DT)
        self.sent_record, self.wanted_record = zeros(COMMAND), zeros(COMMAND)
        self.state_record = zeros(ROBOT_STATE)
        for side, arm in enumerate(body.arms):
            self.state_record["q"][side, : arm.chain.n] = arm.home
        self.state_record["baseline"] = 0.06
        self.wanted_record["baseline"] = 0.06
        self.guard.init(self.sent_record, self.state_record)
        self.sent, self.wanted = Views(self.sent_record), Views(self.wanted_record)
        self.state = Views(self.state_record)

    def release(self):
        return self.guard.release(self.sent, self.wanted, self.state, 5)


@pytest.fixture
def bench(body):
    return Bench(body)


def test_small_command_passes_unchanged(bench):
    bench.wanted.tau[1, :7] = 0.5
    assert bench.release() == Status.OK
    assert np.array_equal(bench.sent.tau[1, :7], np.full(7, 0.5))
    assert int(bench.sent.seq[0]) == 1


def test_rate_is_kept_and_the_wish_reached_in_time(bench, body):
    bench.wanted.tau[0, :7] = 10.0
    rate = body.arms[0].limits.torque_rate * DT
    before = bench.sent.tau[0, :7].copy()
    for _ in range(int(10.0 / rate.min()) + 1):
        bench.release()
        now = bench.sent.tau[0, :7].copy()
        assert (np.abs(now - before) <= rate + 1e-12).all()
        before = now
    assert np.allclose(before, 10.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["tau", "motors", "head", "base_twist", "baseline"])
def test_what_is_not_finite_is_refused(bench, field, bad):
    bench.wanted.tau[0, :7] = 0.4
    bench.release()
    getattr(bench.wanted, field).reshape(-1)[0] = bad
    assert bench.release() == Status.NOT_FINITE
    assert all(
        np.isfinite(bench.sent_record[name]).all()
        for name in ("tau", "motors", "head", "base_twist", "baseline")
    )


def test_refused_torque_fades_to_zero_at_its_rate(bench):
    bench.wanted.tau[0, :7] = 5.0
    for _ in range(10):
        bench.release()
    bench.wanted.tau[0, 3] = math.nan
    last = bench.sent.tau[0, :7].copy()
    for _ in range(10):
        bench.release()
        assert (np.abs(bench.sent.tau[0, :7]) <= np.abs(last)).all()
        last = bench.sent.tau[0, :7].copy()
    assert np.allclose(last, 0.0)


@settings(max_examples=300)
@given(st.lists(anything, min_size=7, max_size=7), st.lists(anything, min_size=7, max_size=7), anything)
def test_invariants_whatever_is_wanted_and_measured(body, wanted, measured, speed):
    bench = Bench(body)
    limits = body.arms[1].limits
    for _ in range(3):
        before = bench.sent.tau[1, :7].copy()
        bench.wanted.tau[1, :7] = wanted
        bench.state.q[1, :7], bench.state.dq[1, :7] = measured, speed
        bench.wanted.head[:] = speed
        bench.release()
        sent = bench.sent.tau[1, :7]
        assert np.isfinite(sent).all()
        assert (np.abs(sent) <= limits.torque).all()
        assert (np.abs(sent - before) <= limits.torque_rate * DT + 1e-9).all()
        head = body.head
        assert ((bench.sent.head >= head.lower) & (bench.sent.head <= head.upper)).all()


def test_numbers_strictly_increase(bench):
    seen = []
    for _ in range(5):
        bench.release()
        seen.append(int(bench.sent.seq[0]))
    assert seen == [1, 2, 3, 4, 5]


def test_power_is_kept_as_soon_as_the_rate_allows(bench, body):
    limits = body.arms[0].limits
    bench.wanted.tau[0, :7] = limits.torque
    bench.state.dq[0, :7] = 0.7 * limits.velocity  # more power than is allowed, below the velocity barrier
    for _ in range(200):
        bench.release()
        assert (bench.sent.tau[0, :7] * bench.state.dq[0, :7] <= limits.power * (1 + 1e-12)).all()
    assert bench.sent.tau[0, :7] == pytest.approx(limits.power / bench.state.dq[0, :7])
    before = bench.sent.tau[0, :7].copy()
    bench.state.dq[0, :7] = 0.74 * limits.velocity  # suddenly faster: down at the full rate, no step
    bench.release()
    assert (before - bench.sent.tau[0, :7] <= limits.torque_rate * DT + 1e-12).all()
    for _ in range(10):
        bench.release()
    assert bench.sent.tau[0, :7] == pytest.approx(limits.power / bench.state.dq[0, :7])
    bench.wanted.tau[0, :7] = -limits.torque  # braking is not limited
    for _ in range(400):
        bench.release()
    assert bench.sent.tau[0, :7] == pytest.approx(-limits.torque)


def test_power_by_default_is_a_share_of_torque_times_velocity(body):
    limits = body.arms[0].limits
    assert limits.power == pytest.approx(0.6 * limits.torque * limits.velocity)


class Watch:
    """The guard's watch over a reference and a state, both arms at home."""

    def __init__(self, body):
        self.guard = Guard(body, DT)
        self.memory, self.state = Views(np.zeros((), Guard.STATE)), Views(zeros(ROBOT_STATE))
        self.reference = np.zeros((2, 8))
        for side, arm in enumerate(body.arms):
            self.reference[side, :7] = arm.home
            self.guard.begin(self.memory, side, self.reference[side])

    def step(self):
        return self.guard.watch(self.memory, self.state, self.reference)


@pytest.fixture
def watch(body):
    return Watch(body)


def test_a_reference_inside_its_limits_passes(watch):
    for tick in range(500):
        watch.reference[:, :7] += 1e-3 * 0.2 * min(1.0, tick / 100)
        assert watch.step() is None


@pytest.mark.parametrize("what", ["velocity", "acceleration", "jerk"])
def test_a_reference_that_leaves_a_limit_is_seen(watch, body, what):
    limit = getattr(body.arms[1].limits, what)[3]
    order = {"velocity": 1, "acceleration": 2, "jerk": 3}[what]
    watch.reference[1, 3] += 0.99 * limit * DT**order
    if what == "jerk":
        assert watch.step() is None
    watch = Watch(body)
    watch.reference[1, 3] += 1.01 * limit * DT**order
    assert watch.step() == Reason.BAD_REFERENCE


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e200])
def test_a_reference_that_is_no_number_is_seen(watch, bad):
    watch.reference[0, 0] = bad
    assert watch.step() == Reason.BAD_REFERENCE


def test_beyond_an_end_a_reference_may_only_come_back(watch, body):
    end = body.arms[1].limits.upper[6]
    watch.reference[1, 6] = end + 0.01
    watch.guard.begin(watch.memory, 1, watch.reference[1])
    for tick in range(200):
        watch.reference[1, 6] -= 1e-4 * min(1.0, tick / 50)
        assert watch.step() is None
    watch = Watch(body)
    watch.reference[1, 6] = end + 0.01
    watch.guard.begin(watch.memory, 1, watch.reference[1])
    watch.reference[1, 6] += 5e-9
    assert watch.step() == Reason.BAD_REFERENCE


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("tau", 90.0, Reason.EXCESS_TORQUE),
        ("dq", 2.7, Reason.EXCESS_VELOCITY),
        ("wrench", 160.0, Reason.EXCESS_FORCE),
    ],
)
def test_what_is_measured_beyond_a_limit_trips_after_some_milliseconds(watch, field, value, reason):
    values = getattr(watch.state, field)
    for _ in range(Guard.PATIENCE - 1):
        values[0, 0] = -value
        assert watch.step() is None
    values[0, 0] = 0.0
    assert watch.step() is None  # a click is none
    values[0, 0] = value
    found = [watch.step() for _ in range(Guard.PATIENCE)]
    assert found == [None] * (Guard.PATIENCE - 1) + [reason]


@given(st.lists(anything, min_size=19, max_size=19))
def test_fingers_head_and_base_are_clipped_as_in_numpy(body, numbers):
    bench, head = Bench(body), body.head
    top = Guard.BASE_TOP
    ranges = {
        "motors": (0.0, 1.0),
        "head": (head.lower, head.upper),
        "base_twist": (-top, top),
        "baseline": tuple(head.baseline),
    }
    at, gravest = 0, Status.OK
    expected = {}
    for name, (low, high) in ranges.items():
        wanted, sent = getattr(bench.wanted, name), getattr(bench.sent, name)
        wanted.reshape(-1)[:] = numbers[at : at + wanted.size]
        at += wanted.size
        rows = zip(wanted, sent, strict=True) if name == "motors" else [(wanted, sent)]
        kept = []
        for row, before in rows:  # what is not finite is refused as a whole, each hand for itself
            finite = np.isfinite(row).all()
            kept.append(np.clip(row, low, high) if finite else before.copy())
            clipped = Status.CLAMPED if (kept[-1] != row).any() else Status.OK
            gravest = max(gravest, clipped if finite else Status.NOT_FINITE)
        expected[name] = np.array(kept).reshape(sent.shape)
    assert bench.release() == gravest
    for name, values in expected.items():
        assert np.array_equal(getattr(bench.sent, name), values), name
