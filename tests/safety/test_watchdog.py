"""The watchdog: 100 ms, the fade, the order of frames, stop and resume."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.records import FRAME, REQUEST, Views, zeros
from elsewhere.safety.watchdog import Watchdog
from elsewhere.status import Mode, Status

MS = 1_000_000


class Bench:
    def __init__(self):
        self.dog = Watchdog(100.0, 3.0)
        self.state_record = np.zeros((), Watchdog.STATE)
        self.state_record["frame"] = zeros(FRAME)
        self.frame_record, self.request_record = zeros(FRAME), zeros(REQUEST)
        self.state, self.frame, self.request = map(
            Views, (self.state_record, self.frame_record, self.request_record)
        )
        self.frame.session[0] = 1

    def step(self, now_ms):
        return self.dog.step(self.state, self.frame, self.request, int(now_ms * MS))

    def send(self, now_ms, seq=None):
        self.frame.seq[0] = self.frame.seq[0] + np.uint64(1) if seq is None else seq
        self.frame.sampled_ns[0] = int(now_ms * MS)

    @property
    def mode(self):
        return Mode(int(self.state.mode[0]))


@pytest.fixture
def bench():
    return Bench()


def settle(bench, until_ms=4000, start_ms=1000):
    for now in range(start_ms, start_ms + until_ms, 10):
        bench.send(now)
        bench.step(now)
    return now


def test_holds_until_a_frame_comes(bench):
    assert bench.step(1000) == (False, 0.0, Status.NO_FRAME)
    assert bench.mode == Mode.HOLD


def test_fade_takes_three_seconds_and_is_linear(bench):
    gains = {}
    for now in range(1000, 5000, 10):
        bench.send(now)
        gain = bench.step(now)[1]
        gains[now] = gain
    begin = 1010  # the first frame opens the session: one tick of hold
    assert gains[1000] == 0.0
    assert gains[begin + 1500] == pytest.approx(0.5, abs=1e-6)
    assert gains[begin + 2990] < 1.0
    assert gains[begin + 3000] == 1.0
    assert bench.mode == Mode.TRACK


def test_time_out_is_at_one_hundred_milliseconds(bench):
    """NimbRo's verification list, item e: at 99 ms it tracks, at exactly 100 ms it holds."""
    last = settle(bench)
    assert bench.step(last + 99) == (True, 1.0, Status.OK)
    assert bench.mode == Mode.TRACK
    valid, gain, status = bench.step(last + 100)
    assert (valid, gain, status) == (False, 0.0, Status.NO_FRAME)
    assert bench.mode == Mode.HOLD


def test_after_a_hold_the_fade_starts_anew(bench):
    last = settle(bench)
    bench.step(last + 200)
    bench.send(last + 300)
    valid, gain, status = bench.step(last + 300)
    assert valid
    assert gain == 0.0
    assert status == Status.FADING


@pytest.mark.parametrize("field", ["hand_p", "hand_q", "fingers", "head_q", "base_twist"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_frames_that_are_not_finite_are_ignored(bench, field, bad):
    last = settle(bench)
    accepted = int(bench.state.frame.seq[0])
    bench.send(last + 10)
    getattr(bench.frame, field).reshape(-1)[1] = bad
    bench.step(last + 10)
    assert int(bench.state.frame.seq[0]) == accepted
    assert np.isfinite(bench.state_record["frame"][field]).all()


def test_stale_future_repeated_and_older_frames_are_ignored(bench):
    last = settle(bench)
    accepted = int(bench.state.frame.seq[0])
    for sampled, seq in (
        (last - 150, accepted + 1),
        (last + 50, accepted + 2),
        (last, accepted),
        (last, 3),
    ):
        bench.send(sampled, seq)
        bench.step(last)
        assert int(bench.state.frame.seq[0]) == accepted


def test_a_new_session_holds_first_and_an_old_one_is_ignored(bench):
    last = settle(bench)
    bench.frame.session[0] = 2
    bench.send(last + 10, seq=1)
    assert bench.step(last + 10)[0] is False
    assert bench.step(last + 11)[1] == 0.0
    assert bench.mode == Mode.FADE
    bench.frame.session[0] = 1
    bench.send(last + 20, seq=10_000)
    bench.step(last + 20)
    assert int(bench.state.frame.session[0]) == 2


def test_stop_and_resume(bench):
    last = settle(bench)
    bench.request.stop[0] = 1
    bench.send(last + 10)
    assert bench.step(last + 10) == (False, 0.0, Status.STOPPED)
    bench.send(last + 20)
    assert bench.step(last + 20)[2] == Status.STOPPED
    bench.request.resume[0] = 1
    bench.send(last + 30)
    assert bench.step(last + 30)[2] == Status.FADING


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 3), st.integers(-200, 60), st.integers(0, 30)),
        max_size=60,
    )
)
def test_accepted_numbers_strictly_increase(steps):
    bench = Bench()
    now, seen = 1000, [(0, 0)]
    for seq, session, age, wait in steps:
        now += wait
        bench.frame.session[0] = session
        bench.send(now + age, seq)
        bench.step(now)
        accepted = (int(bench.state.frame.session[0]), int(bench.state.frame.seq[0]))
        if accepted != seen[-1]:
            assert accepted > seen[-1]
            seen.append(accepted)
