"""The head: AVATRINA's verification (j), rate, limits, speed, and arms in its way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from elsewhere.bodies._capsule_kernels import FIXED, nearest, place
from elsewhere.bodies.capsules import Capsules, scratch
from elsewhere.motion.look import Look
from elsewhere.records import FRAME, REQUEST, Views, zeros

HOME = tuple(np.radians([0.0, 32.0, 0.0]))
OUTER = 250


def quat(rotation):
    return rotation.as_quat(scalar_first=True)


class Neck:
    def __init__(self, body):
        self.look = Look(body, HOME, OUTER)
        self.state, self.request = Views(np.zeros((), Look.STATE)), Views(zeros(REQUEST))
        self.frame = Views(zeros(FRAME))
        self.frame.head_tracked[0] = 1
        self.q = np.zeros((2, 8))
        for side, arm in enumerate(body.arms):
            self.q[side, :7] = arm.home
        self.look.init(self.state, np.array(HOME), 0.06)
        self.ticks = 0

    def run(self, seconds, gain=1.0):
        angles = []
        for _ in range(round(seconds * OUTER)):
            due = self.ticks % self.look.divisor == 0
            self.look.step(self.state, self.frame, self.request, True, gain, self.q, due)
            self.ticks += 1
            angles.append(self.state.angles.copy())
        return np.array(angles)

    def turn(self, rotation):
        self.frame.head_q[:] = quat(rotation)


@pytest.fixture
def neck(body):
    return Neck(body)


def test_verification_j_after_rehoming_an_equal_pose_gives_the_robots_home(neck):
    neck.turn(Rotation.from_euler("ZYX", [0.8, 0.2, 0.1]))
    neck.run(0.2)
    neck.turn(Rotation.from_euler("ZYX", [0.2, 0.5, -0.1]))
    neck.run(1.0)
    assert np.abs(neck.state.angles - HOME).max() > 0.2
    neck.request.rehome[0] += np.uint64(1)
    neck.run(1.0)
    assert np.allclose(neck.state.angles, HOME, atol=1e-9)


def test_follows_by_the_product_of_rotations(neck):
    home, now = Rotation.from_euler("ZYX", [1.0, 0.1, 0.0]), Rotation.from_euler("ZYX", [1.3, -0.2, 0.1])
    neck.turn(home)
    neck.run(0.1)
    neck.turn(now)
    neck.run(1.0)
    robot = Rotation.from_euler("ZYX", HOME) * home.inv() * now
    assert np.allclose(neck.state.angles, robot.as_euler("ZYX"), atol=1e-9)


def test_decides_fifty_times_a_second_and_keeps_limits_and_speed(neck, body):
    assert OUTER / neck.look.divisor == 50
    neck.run(0.1)
    neck.turn(Rotation.from_euler("ZYX", [3.0, 1.4, 0.9]))
    angles = neck.run(2.0)
    steps = np.diff(angles, axis=0) * OUTER
    assert (np.abs(steps) <= body.head.velocity + 1e-9).all()
    assert (angles >= body.head.lower - 1e-9).all()
    assert (angles <= body.head.upper + 1e-9).all()
    assert np.allclose(angles[-1, 0], body.head.upper[0])
    changes = np.flatnonzero(np.abs(np.diff(steps, axis=0)).max(axis=1) > 1e-6)
    assert set((changes - changes[0]) % neck.look.divisor) == {0}


def test_held_without_a_tracked_head(neck):
    neck.run(0.1)
    neck.frame.head_tracked[0] = 0
    neck.turn(Rotation.from_euler("Z", 1.0))
    assert np.array_equal(neck.run(0.5)[-1], np.array(HOME))


def gap_by_hand(body, neck, angles):
    """The same in plain NumPy: the head's capsule turned about its centre, against every arm's capsule."""
    shapes = Capsules.from_body(body)
    ends = shapes.ends.copy()
    place(shapes.arms, shapes.shapes, neck.q, scratch(), ends)
    turn, centre = Rotation.from_euler("ZYX", angles), body.head.position
    gaps = []
    for m in [i for i, name in enumerate(shapes.names) if name == "head"]:
        head = centre + turn.apply(shapes.ends[m] - centre)
        for k in np.flatnonzero(shapes.side != FIXED):
            gaps.append(nearest(head, ends[k])[2] - shapes.radius[m] - shapes.radius[k])
    return min(gaps)


def near_the_head(body, neck):
    """An arm whose hand is just beside the head, found by seeded search."""
    rng, arm = np.random.default_rng(0), body.arms[1]
    best, least = neck.q.copy(), np.inf
    for _ in range(4000):
        neck.q[1, :7] = rng.uniform(arm.limits.lower, arm.limits.upper)
        gap = neck.look.gap(np.array([0.0, 0.0, 0.0]), neck.q)
        if 0.035 < gap < least:
            best, least = neck.q.copy(), gap
    neck.q[:] = best
    return least


def test_the_gap_is_that_of_plain_numpy(body, neck):
    rng = np.random.default_rng(1)
    for _ in range(20):
        for side, arm in enumerate(body.arms):
            neck.q[side, :7] = rng.uniform(arm.limits.lower, arm.limits.upper)
        angles = rng.uniform(body.head.lower, body.head.upper)
        assert neck.look.gap(angles, neck.q) == pytest.approx(gap_by_hand(body, neck, angles), abs=1e-9)


def test_the_head_does_not_turn_into_an_arm_but_away_from_it(body, neck):
    least = near_the_head(body, neck)
    assert least < 0.06
    neck.state.angles[:] = 0.0
    worst = min(
        (neck.look.gap(np.array([yaw, pitch, roll]), neck.q), (yaw, pitch, roll))
        for yaw in np.linspace(-1.4, 1.4, 15)
        for pitch in np.linspace(-0.7, 0.9, 9)
        for roll in (-0.6, 0.0, 0.6)
    )
    assert worst[0] < Look.MARGIN, "the found arm is not near enough to be met"
    neck.look = Look(body, (0.0, 0.0, 0.0), OUTER)
    neck.run(0.02)
    neck.turn(Rotation.from_euler("ZYX", worst[1]))
    gaps = [neck.look.gap(angles, neck.q) for angles in neck.run(1.5)]
    assert min(gaps) >= Look.MARGIN - 1e-9
    assert neck.state.blocked[0] == 1
    neck.turn(Rotation.identity())
    neck.run(1.0)
    assert np.allclose(neck.state.angles, 0.0, atol=1e-9)
    assert neck.state.blocked[0] == 0
