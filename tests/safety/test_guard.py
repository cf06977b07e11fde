"""The guard: limits of torque and torque rate always hold, and nothing that is not finite passes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.records import COMMAND, ROBOT_STATE, Views, zeros
from elsewhere.safety import _kernels
from elsewhere.safety.guard import Guard
from elsewhere.status import Status

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


def test_barrier_is_zero_at_the_band_monotone_and_full_at_the_limit():
    """Corrected eq. 6 of AVATRINA (verification list, item g)."""
    xs = np.linspace(0.9, 1.05, 200)
    values = [_kernels.barrier(x, -1.0, 1.0, 0.1, 7.0) for x in xs]
    assert _kernels.barrier(0.9, -1.0, 1.0, 0.1, 7.0) == pytest.approx(0.0, abs=1e-12)
    assert _kernels.barrier(1.0, -1.0, 1.0, 0.1, 7.0) == pytest.approx(-7.0)
    assert (np.diff(values) <= 1e-12).all()
    assert _kernels.barrier(-0.97, -1.0, 1.0, 0.1, 7.0) == pytest.approx(
        -_kernels.barrier(0.97, -1.0, 1.0, 0.1, 7.0)
    )


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
