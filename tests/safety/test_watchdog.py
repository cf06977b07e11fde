"""The watchdog: 100 ms, the fade, the order of frames, stop and resume."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.records import FRAME, REQUEST, Views, zeros
from elsewhere.safety.watchdog import Watchdog
from elsewhere.status import STATUS_TEXT, STOP_STATUS, Mode, Reason, Status

MS = 1_000_000


class Bench:
    def __init__(self):
        self.dog = Watchdog(100.0, 3.0, 2.0)
        self.state_record = np.zeros((), Watchdog.STATE)
        self.state_record["frame"] = zeros(FRAME)
        self.frame_record, self.request_record = zeros(FRAME), zeros(REQUEST)
        self.state, self.frame, self.request = map(
            Views, (self.state_record, self.frame_record, self.request_record)
        )
        self.frame.session[0] = 1

    def step(self, now_ms, trip=0):
        return self.dog.step(self.state, self.frame, self.request, int(now_ms * MS), trip)

    @property
    def reason(self):
        return Reason(int(self.state.reason[0]))

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


@pytest.mark.parametrize(
    "trip", [Reason.EXCESS_TORQUE, Reason.EXCESS_VELOCITY, Reason.EXCESS_FORCE, Reason.BAD_REFERENCE]
)
def test_a_limit_stops_says_why_and_restarts_by_itself_through_a_fade(bench, trip):
    last = settle(bench)
    bench.send(last + 10)
    assert bench.step(last + 10, trip) == (False, 0.0, STOP_STATUS[trip])
    assert (bench.mode, bench.reason) == (Mode.STOPPED, trip)
    assert STATUS_TEXT[STOP_STATUS[trip]].startswith("stopped: ")
    for now in range(last + 20, last + 2000, 10):
        bench.send(now)
        bench.step(now)
        assert bench.mode == Mode.STOPPED
    bench.send(last + 2010)
    assert bench.step(last + 2010) == (True, 0.0, Status.FADING)
    assert bench.reason == Reason.FRAME_CAME


def test_the_pause_begins_when_the_limit_is_kept_again(bench):
    last = settle(bench)
    for now in range(last + 10, last + 3000, 10):
        bench.send(now)
        bench.step(now, Reason.EXCESS_FORCE)
    bench.request.resume[0] = 1  # which does not help while it lasts
    bench.step(last + 3000, Reason.EXCESS_FORCE)
    assert bench.mode == Mode.STOPPED
    bench.step(last + 4900)
    assert bench.mode == Mode.STOPPED
    bench.step(last + 5000)
    assert (bench.mode, bench.reason) == (Mode.HOLD, Reason.RESTARTED)


def test_the_operators_own_stop_ends_by_resume_only(bench):
    last = settle(bench)
    bench.step(last + 10, Reason.EXCESS_TORQUE)
    bench.request.stop[0] = 1
    bench.step(last + 20)
    assert bench.reason == Reason.OPERATOR_STOP
    for now in range(last + 30, last + 9000, 10):
        bench.send(now)
        assert bench.step(now) == (False, 0.0, Status.STOPPED)
    bench.step(now + 1, Reason.EXCESS_FORCE)  # a limit does not turn it into one that ends by itself
    bench.step(now + 8000)
    assert (bench.mode, bench.reason) == (Mode.STOPPED, Reason.OPERATOR_STOP)
    bench.request.resume[0] = 1
    bench.step(now + 8010)
    assert (bench.mode, bench.reason) == (Mode.HOLD, Reason.RESUMED)


def test_every_transition_has_its_reason(bench):
    seen = [(bench.mode, bench.reason)]
    for now in range(1000, 5000, 10):
        bench.send(now)
        bench.step(now)
        if (bench.mode, bench.reason) != seen[-1]:
            seen.append((bench.mode, bench.reason))
    bench.step(now + 100)
    seen.append((bench.mode, bench.reason))
    settle(bench, start_ms=now + 200)
    bench.frame.session[0] = 2
    bench.send(now + 4200, seq=1)
    bench.step(now + 4200)
    seen.append((bench.mode, bench.reason))
    assert seen == [
        (Mode.HOLD, Reason.STARTED),
        (Mode.FADE, Reason.FRAME_CAME),
        (Mode.TRACK, Reason.FADED),
        (Mode.HOLD, Reason.NO_FRAME),
        (Mode.HOLD, Reason.NEW_SESSION),
    ]


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
