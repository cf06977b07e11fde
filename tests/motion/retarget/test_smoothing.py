"""Hands between frames: within their frames or the stated prediction, without steps, from sampled times."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from elsewhere.motion.retarget import _smoothing_kernels as smoothing
from elsewhere.motion.retarget.base import STATE
from elsewhere.motion.retarget.clutched import Clutched
from elsewhere.records import FRAME, REQUEST, Views, zeros

MS = 1_000_000
PERIOD = 14 * MS
STILL = np.zeros(2, np.int64), np.zeros((2, 3)), np.zeros((2, 4))


class Hand:
    """One hand, its frames sent when a test says, its smoothed place after every outer tick of 4 ms."""

    def __init__(self):
        self.map, self.record = Clutched(), np.zeros((), STATE)
        self.state, self.request = Views(self.record), Views(zeros(REQUEST))
        self.frame = Views(zeros(FRAME))
        self.frame.tracked[:], self.now_ns = 1, 1000 * MS

    def send(self, sampled_ns, p, q=None):
        self.frame.seq[0] += np.uint64(1)
        self.frame.sampled_ns[0], self.frame.hand_p[:] = sampled_ns, p
        if q is not None:
            self.frame.hand_q[:] = q.as_quat(scalar_first=True)

    def tick(self, valid=True, ms=4):
        self.now_ns += ms * MS
        self.map.step(self.state, self.frame, self.request, valid, 1.0, self.now_ns, *STILL)
        return self.record["hand_p"][1].copy()

    def follow(self, path, ticks, late_ms=lambda i: 2, period=PERIOD):
        """Places at every tick; frame i is sampled at i periods and arrives `late_ms(i)` later."""
        start, sent, places = self.now_ns, 0, []
        for _ in range(ticks):
            after = self.now_ns + 4 * MS
            while start + sent * period + round(late_ms(sent) * MS) <= after:
                self.send(start + sent * period, path(1e-9 * sent * period))
                sent += 1
                if start + sent * period + round(late_ms(sent) * MS) <= after:
                    self.tick(ms=0)
            places.append(self.tick())
        return np.array(places)


@given(seed=st.integers(0, 10_000))
def test_the_hand_stays_between_its_frames_or_within_the_stated_prediction(seed):
    """Without the fading rest of the last correction, as stated; with it, within its length."""
    rng = np.random.default_rng(seed)
    hand, p, q = Hand(), rng.normal(size=3), Rotation.random(random_state=seed)
    sampled = hand.now_ns
    for _ in range(12):
        sampled += round(rng.uniform(8, 20) * MS)
        p, q = p + rng.normal(size=3) * 0.02, Rotation.from_rotvec(rng.normal(size=3) * 0.1) * q
        hand.now_ns = max(hand.now_ns, sampled) + round(rng.uniform(0, 3) * MS)
        hand.send(sampled, p, q)
        for ms in (0, 4, 4, 30):
            place = hand.tick(ms=ms)
            record = hand.record
            (p0, p1), (q0, q1) = record["frame_p"][1], record["frame_q"][1]
            t0, t1 = record["frame_ns"][1]
            shown = hand.now_ns - 1e9 * (record["lag"] + smoothing.BEHIND * record["period"])
            share = (shown - t0) / (t1 - t0)
            most = 1e9 * record["period"] / (t1 - t0)
            trust = record["trust"][1]
            assert 0.0 <= trust.min() <= trust.max() <= 1.0
            left = max(0.0, 1.0 - 1e-9 * (hand.now_ns - record["rest_ns"][1]) / record["period"])
            way = min(max(share, 0.0), 1.0) + trust[0] * min(max(share - 1.0, 0.0), most)
            expected = p0 + way * (p1 - p0) + left * record["rest"][1, :3]
            assert np.allclose(place, expected, rtol=0.0, atol=1e-9)
            turn = min(max(share, 0.0), 1.0) + trust[1] * min(max(share - 1.0, 0.0), most)
            ends = Rotation.from_quat([q0, q1], scalar_first=True)
            step = (ends[1] * ends[0].inv()).as_rotvec()
            raw = Slerp([0, 1], ends)(turn) if turn <= 1 else Rotation.from_rotvec(turn * step) * ends[0]
            wanted = Rotation.from_rotvec(left * record["rest"][1, 3:]) * raw
            got = Rotation.from_quat(record["hand_q"][1], scalar_first=True)
            assert (got * wanted.inv()).magnitude() < 1e-7
            if left == 0.0:
                behind = np.linalg.norm(place - p1) + np.linalg.norm(place - p0) - np.linalg.norm(p1 - p0)
                assert behind <= 2.0 * most * np.linalg.norm(p1 - p0) + 1e-9


def test_a_steady_hand_is_followed_without_error_but_for_the_delay():
    hand = Hand()
    places = hand.follow(lambda t: [0.5 * t, 0.0, 0.0], 200)[50:, 0]
    steps = np.diff(places)
    assert np.allclose(steps, 0.5 * 0.004, rtol=0.05)
    behind = (hand.now_ns - 1000 * MS) * 1e-9 * 0.5 - places[-1]
    assert 0.0 < behind / 0.5 < 0.012  # s: less than a period


@pytest.mark.parametrize("seed", range(5))
def test_jitter_of_arrival_makes_no_spikes_of_velocity(seed):
    """A hand at 0.5 m/s, frames up to 5 ms late by chance: the place goes on evenly."""
    late = np.random.default_rng(seed).uniform(1.0, 6.0, 1000)
    places = Hand().follow(lambda t: [0.5 * t, 0.0, 0.0], 400, lambda i: late[i])[100:, 0]
    speed = np.diff(places) / 0.004
    assert speed.min() > 0.3
    assert speed.max() < 0.7


def test_a_step_of_the_hand_does_not_overshoot():
    """As a mouse moves: 2 cm from one frame to the next, then rest."""
    places = Hand().follow(lambda t: [0.02 if t > 0.3 else 0.0, 0.0, 0.0], 200)[:, 0]
    assert places.max() <= 0.02 + 1e-12
    assert places[-1] == 0.02
    assert np.diff(places).max() < 0.011  # spread over a period


def test_a_reach_of_a_person_overshoots_by_less_than_a_millimetre():
    from elsewhere.spatial.minimum_jerk import progress

    places = Hand().follow(lambda t: [0.3 * progress((t - 0.2) / 0.8), 0.0, 0.0], 400)[:, 0]
    assert places.max() < 0.301
    assert places[-1] == pytest.approx(0.3, abs=1e-9)


def test_frames_that_stop_are_predicted_for_one_period_and_no_more():
    hand = Hand()
    hand.follow(lambda t: [0.5 * t, 0.0, 0.0], 60)
    newest = hand.record["frame_p"][1, 1, 0]
    places = [hand.tick()[0] for _ in range(20)]
    assert places[-1] == places[-5]
    assert 0.0 <= places[-1] - newest <= 0.5 * hand.record["period"] + 1e-9


def test_past_the_age_gate_nothing_is_remembered():
    hand = Hand()
    hand.follow(lambda t: [0.5 * t, 0.0, 0.0], 60)
    hand.tick(valid=False)
    assert hand.record["known"].tolist() == [0, 0]
    assert hand.record["engaged"].tolist() == [0, 0]
    hand.send(hand.now_ns, [9.0, 9.0, 9.0])
    assert hand.tick().tolist() == [9.0, 9.0, 9.0]  # starts there, not on the way from the old place


def test_the_period_is_measured_and_bounded():
    for sent_ms, period in (
        (11, 0.011),
        (16, 0.016),
        (2, smoothing.LEAST_PERIOD),
        (40, smoothing.MOST_PERIOD),
    ):
        hand = Hand()
        hand.follow(lambda t: [0.0, 0.0, 0.0], 600, period=sent_ms * MS)
        assert hand.record["period"] == pytest.approx(period, rel=0.02)
