"""The base: AVATRINA's verification (i), rotation without translation, and the fast mode."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.motion import drive as driving
from elsewhere.motion._kernels import range_speed
from elsewhere.motion.drive import ACCELERATION, DECELERATION, Drive
from elsewhere.records import Views

DT = 0.004
FREE = np.zeros(4)  # nothing seen


class Base:
    def __init__(self, fast=1.0):
        self.drive = Drive(0.2, 0.5, DT, fast=fast)
        self.state = Views(np.zeros((), Drive.STATE))
        self.twists = [np.zeros(3)]

    def go(self, *wanted, seconds=0.0, ticks=0, ranges=FREE):
        for _ in range(ticks or round(seconds / DT)):
            self.drive.step(self.state, np.array(wanted, float), np.asarray(ranges, float))
            self.twists.append(self.state.twist.copy())
        return self.state.twist


def test_verification_i_rest_to_0_2_in_0_4_s_and_stop_in_0_2_s():
    base = Base()
    assert base.go(0.2, 0, 0, seconds=0.4 - DT)[0] < 0.2 - 1e-3
    assert base.go(0.2, 0, 0, ticks=1)[0] == pytest.approx(0.2)
    assert base.go(0, 0, 0, seconds=0.2 - DT)[0] > 1e-3
    assert base.go(0, 0, 0, ticks=1)[0] == pytest.approx(0.0, abs=1e-12)


def test_verification_i_translation_is_zero_while_rotating():
    base = Base()
    base.go(0.2, 0.1, 0, seconds=1.0)
    base.go(0.2, 0.1, 0.5, seconds=1.0)  # both are wanted: the turn has its way
    assert base.state.twist.tolist() == [0.0, 0.0, pytest.approx(0.5)]
    base.go(0.2, 0, 0, seconds=1.0)
    assert base.state.twist.tolist() == [pytest.approx(0.2), 0.0, 0.0]
    twists = np.array(base.twists)
    together = (np.abs(twists[:, :2]).max(axis=1) > 0) & (twists[:, 2] != 0)
    assert not together.any()


wishes = st.lists(st.tuples(*[st.floats(-3, 3)] * 3, st.integers(1, 60)), min_size=1, max_size=8)


@given(wishes=wishes, ranges=st.lists(st.floats(0, 5), min_size=4, max_size=4))
def test_whatever_is_wanted_profile_and_exclusion_hold(wishes, ranges):
    base = Base()
    for x, y, turn, ticks in wishes:
        base.go(x, y, turn, ticks=ticks, ranges=ranges)
    twists = np.array(base.twists)
    assert np.linalg.norm(twists[:, :2], axis=1).max() <= 1.0 * math.sqrt(2)
    assert np.abs(twists[:, 2]).max() <= 0.5 + 1e-12
    assert (np.abs(np.diff(twists, axis=0)) <= np.maximum(ACCELERATION, DECELERATION) * DT + 1e-12).all()
    assert not ((np.abs(twists[:, :2]).max(axis=1) > 0) & (twists[:, 2] != 0)).any()


def test_normal_speed_is_bounded_in_every_direction():
    base = Base()
    base.go(0.15, 0.15, 0, seconds=2.0)  # together above 0.2: the fast mode, and nothing in sight
    assert np.linalg.norm(base.state.twist) == pytest.approx(0.15 * math.sqrt(2))
    slow = Base(fast=0.0)  # without range finders
    slow.go(0.9, 0.9, 0, seconds=3.0)
    assert np.linalg.norm(slow.state.twist) == pytest.approx(0.2)


@pytest.mark.parametrize(("way", "sensor"), [((1, 0), 0), ((0, 1), 1), ((-1, 0), 2), ((0, -1), 3)])
def test_fast_mode_is_slowed_and_stopped_before_what_is_seen(way, sensor):
    """Driving at a wall 3 m away, with readings 50 ms old: it stands before the clearance."""
    base, place = Base(), 0.0
    history = [3.0] * 13
    fastest = 0.0
    for _ in range(4000):
        ranges = np.zeros(4)
        ranges[sensor] = history[-13]
        twist = base.go(*way, 0, ticks=1, ranges=ranges)
        place += DT * float(twist[:2] @ way)
        fastest = max(fastest, float(np.linalg.norm(twist)))
        history.append(3.0 - place)
    assert fastest > 0.9
    assert np.linalg.norm(base.state.twist) < 5e-3
    assert driving.CLEARANCE - 0.01 <= 3.0 - place < driving.CLEARANCE + 0.15
    # Away from it, or at the normal speed, the base is free.
    ranges = np.zeros(4)
    ranges[sensor] = 3.0 - place
    assert np.linalg.norm(base.go(*(-1 * np.array(way)), 0, seconds=3.0, ranges=ranges)) > 0.9
    base.go(0, 0, 0, seconds=2.0)
    assert np.linalg.norm(base.go(*(0.2 * np.array(way)), 0, seconds=1.0, ranges=ranges)) == pytest.approx(
        0.2
    )


def test_range_speed_is_the_speed_from_which_one_still_stops():
    near = np.array([0.4, 0.15, 0.8])
    for distance in np.linspace(0.41, 4.0, 20):
        v = range_speed(distance, near)
        assert v * 0.15 + v * v / 1.6 == pytest.approx(distance - 0.4, abs=1e-9)
    assert range_speed(0.3, near) == 0.0
    assert range_speed(0.0, near) == math.inf
