"""Self-collision: the commanded arms stop before they touch, slide along, and come free again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.bodies import _capsule_kernels as capsule_kernels
from elsewhere.bodies.capsules import scratch
from elsewhere.bodies.compose import compose
from elsewhere.motion import _self_collision_kernels as kernels
from elsewhere.motion.arm_motion import ArmMotion
from elsewhere.motion.ik.base import Solver
from elsewhere.motion.look import Look
from elsewhere.motion.self_collision import SelfCollision
from elsewhere.motion.torque._kernels import advance
from elsewhere.rig import Control, load_rig
from elsewhere.spatial._kernels import quat_from_matrix
from elsewhere.status import LEFT, RIGHT

CONTROL = Control()
INNER, OUTER = 1.0 / CONTROL.rate_hz, 1.0 / CONTROL.outer_hz


class Arms:
    """The commanded arms of a body, as the tick moves them; the real ones follow exactly."""

    def __init__(self, body):
        self.body = body
        self.guard = SelfCollision(body, OUTER)
        self.motions = [arm and ArmMotion(arm, CONTROL) for arm in body.arms]
        self.q, self.dq = np.zeros((2, 8)), np.zeros((2, 8))
        for side, arm in enumerate(body.arms):
            if arm:
                self.q[side, : arm.chain.n] = arm.home

    def step(self, wished):
        """One outer tick; the velocities that passed, and the flags."""
        velocity = wished.copy()
        flags = self.guard.step(self.q, self.dq, velocity).copy()
        for side, motion in enumerate(self.motions):
            if motion:
                own = self.q[side], self.dq[side]
                for _ in range(round(OUTER / INNER)):
                    limits = *motion.bounds, motion.torque_law.leash
                    advance(velocity[side], own[0], np.zeros(8), *limits, INNER, *own)
        return velocity, flags

    def solve(self, side, p, quat):
        """What the solver asks of one arm to bring its palm to a pose."""
        wished = np.zeros((2, 8))
        solver, self.memory = self.motions[side].solver, getattr(self, "memory", {})
        state = self.memory.setdefault(side, solver.new_state())
        solver.step(state, self.q[side], p, quat, np.zeros(6), wished[side])
        return wished

    def palm(self, side):
        R, p, _ = self.body.arms[side].chain.forward(self.q[side])
        quat = np.zeros(4)
        quat_from_matrix(R, quat)
        return p.copy(), quat

    @property
    def gap(self):
        return self.guard.capsules.least_gap(self.q)[0]


@pytest.fixture
def arms(body):
    return Arms(body)


def approach(arms, side, target, ticks=500):
    """Lead a palm towards a point; the least gap on the way, and whether that arm was flagged."""
    quat, least, flagged = arms.palm(side)[1], np.inf, False
    for _ in range(ticks):
        _, flags = arms.step(arms.solve(side, target, quat))
        least, flagged = min(least, arms.gap), flagged or flags[side]
    return least, flagged


def test_gradient_agrees_with_finite_differences(arms):
    capsules, rng = arms.guard.capsules, np.random.default_rng(0)
    row, checked = np.zeros((2, 8)), 0
    for _ in range(20):
        q = np.zeros((2, 8))
        for side, arm in enumerate(arms.body.arms):
            q[side, :7] = rng.uniform(arm.limits.lower, arm.limits.upper)
        frames, ends = scratch(), capsules.ends.copy()
        for a, b in capsules.pairs[rng.integers(0, len(capsules.pairs), 5)]:
            capsule_kernels.place(capsules.arms, capsules.shapes, q, frames, ends)
            gap = kernels.gradient(capsules.shapes, capsules.arms[1], a, b, frames, ends, row)
            if gap < 0.0:
                continue
            expected, h = np.zeros((2, 8)), 1e-6
            for side in range(2):
                for joint in range(7):
                    for sign in (1.0, -1.0):
                        moved = q.copy()
                        moved[side, joint] += sign * h
                        capsule_kernels.place(capsules.arms, capsules.shapes, moved, frames, ends)
                        expected[side, joint] += (
                            sign * capsule_kernels.gap(ends, capsules.radius, a, b) / (2 * h)
                        )
            assert np.allclose(row, expected, atol=1e-4)
            checked += 1
    assert checked > 40


def test_crossing_arms_stop_before_they_touch_and_moving_back_frees_them(arms):
    left, right = arms.palm(LEFT), arms.palm(RIGHT)
    least, touched = np.inf, np.zeros(2, bool)
    for _ in range(600):  # each hand is sent to where the other one is
        wished = arms.solve(LEFT, right[0], left[1]) + arms.solve(RIGHT, left[0], right[1])
        _, flags = arms.step(wished)
        touched |= flags
        least = min(least, arms.gap)
    assert touched.all()
    assert least > 0.9 * SelfCollision.MARGIN
    assert arms.gap < 0.08  # they came near each other, no more than they had to
    assert np.abs(arms.dq).max() < 0.3
    for tick in range(800):
        wished = arms.solve(LEFT, *left) + arms.solve(RIGHT, *right)
        velocity, _ = arms.step(wished)
        if tick == 5:
            assert np.linalg.norm(velocity) > 0.5 * np.linalg.norm(wished)
    assert np.linalg.norm(arms.palm(LEFT)[0] - left[0]) < 0.01
    assert np.linalg.norm(arms.palm(RIGHT)[0] - right[0]) < 0.01


def test_an_arm_at_rest_is_not_pushed_away_by_the_other(arms):
    before = arms.q[LEFT].copy()
    least, flagged = approach(arms, RIGHT, arms.palm(LEFT)[0])
    assert flagged
    assert least > 0.9 * SelfCollision.MARGIN
    assert np.array_equal(arms.q[LEFT], before)


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_a_hand_stops_before_the_torso_and_comes_back(arms, side):
    home = arms.palm(side)
    least, flagged = approach(arms, side, np.array([-0.15, 0.0, 0.95]))
    assert flagged
    assert least > 0.9 * SelfCollision.MARGIN
    assert arms.gap < 0.1
    for _ in range(800):
        arms.step(arms.solve(side, *home))
    assert np.linalg.norm(arms.palm(side)[0] - home[0]) < 0.01


def test_motion_along_an_obstacle_slides(arms):
    """Only the closing component is taken: a wish at an angle still moves the hand along."""
    approach(arms, RIGHT, arms.palm(LEFT)[0])
    (start, quat), gap = arms.palm(RIGHT), arms.gap
    up = start + np.array([0.0, 0.05, 0.15])  # up, and a little further into the other hand
    for _ in range(300):
        arms.step(arms.solve(RIGHT, up, quat))
    assert arms.palm(RIGHT)[0][2] - start[2] > 0.08
    assert arms.gap > 0.9 * min(gap, SelfCollision.MARGIN)


def test_from_inside_the_margin_only_opening_motion_passes(arms):
    guard = arms.guard
    approach(arms, RIGHT, arms.palm(LEFT)[0])
    arms.dq[:] = 0.0
    # The same pose under a margin that it breaks.
    guard.buffers.margin[:] = arms.gap + 0.02
    inside = arms.gap
    rng, passed = np.random.default_rng(0), 0
    for _ in range(200):
        velocity = rng.normal(size=(2, 8)) * 0.3
        velocity[:, 7] = 0.0
        before = arms.q.copy()
        taken, _ = arms.step(velocity)
        passed += np.linalg.norm(taken) > 0.1
        assert arms.gap > inside - 5e-5  # the way is looked at in a few places only
        arms.q[:], arms.dq[:] = before, 0.0
    assert passed > 50
    away = arms.palm(RIGHT)[0] + [0.0, -0.2, 0.1]
    for _ in range(400):
        arms.step(arms.solve(RIGHT, away, arms.palm(RIGHT)[1]))
        assert arms.gap > inside - 1e-6
    assert arms.gap > inside + 0.05


wishes = st.lists(
    st.tuples(st.integers(0, 2**32 - 1), st.sampled_from([0.2, 1.0]), st.integers(1, 60)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40)
@given(wishes)
def test_whatever_velocities_are_wished_no_gap_closes(body, sequence):
    arms = _arms(body)
    for seed, size, ticks in sequence:
        rng = np.random.default_rng(seed)
        wished = rng.uniform(-1.0, 1.0, (2, 8)) * arms.guard.buffers.top * size
        wished[int(rng.integers(0, 4)) % 3 :] = 0.0  # now and then one arm rests, or both
        for _ in range(ticks):
            arms.step(wished)
            assert arms.gap > 0.0


_made = {}


def _arms(body):
    """One guard for all examples; the arms at home, at rest."""
    arms = _made.setdefault("arms", Arms(body))
    arms.dq[:] = 0.0
    for side, arm in enumerate(body.arms):
        arms.q[side, :7] = arm.home
    return arms


def test_work_on_the_table_is_not_hindered(arms):
    """The right palm straight down over the table, the left arm at home: nothing is taken at all.

    High above the table it goes as far as the middle, low as far as 0.05 m beyond. Higher up there, the
    open jaws really are within a centimetre of the left thumb.
    """
    down = arms.palm(RIGHT)[1]
    high = [(x, y, z) for x in (0.40, 0.525, 0.65) for y in (-0.40, -0.2, 0.0) for z in (1.05, 0.9, 0.76)]
    low = [
        (x, y, 0.76 + z) for x in (0.65, 0.525, 0.40) for y, z in ((0.0, 0.0), (0.05, 0.0), (0.05, 0.05))
    ]
    for end in np.array(high + low):
        start = arms.palm(RIGHT)[0]
        count = max(2, int(np.linalg.norm(end - start) / 0.25 / OUTER))  # at 0.25 m/s
        for share in np.linspace(0.0, 1.0, count):
            wished = arms.solve(RIGHT, start + share * (end - start), down)
            velocity, flags = arms.step(wished)
            assert not flags.any(), (end, arms.guard.capsules.least_gap(arms.q))
            assert np.array_equal(velocity, wished)
        assert np.linalg.norm(arms.palm(RIGHT)[0] - end) < 0.03


def test_one_armed_rigs_are_kept_off_their_body():
    arms = Arms(compose(load_rig("one-arm")))
    least, flagged = approach(arms, RIGHT, np.array([-0.15, 0.0, 0.95]))
    assert flagged
    assert least > 0.9 * SelfCollision.MARGIN


def test_the_guard_counts_on_the_acceleration_that_the_joint_motion_uses(arms):
    for side, motion in enumerate(arms.motions):
        assert np.allclose(arms.guard.buffers.acceleration[side, :7], motion.bounds[3])
        assert np.allclose(arms.guard.buffers.top[side, :7], Solver.SHARE * motion.arm.limits.velocity)


def test_a_hand_keeps_off_a_head_that_is_turned(body):
    """The head's ears stick out forward where it looks aside: the hand stops earlier."""
    look, aside = Look(body, (0.0, 0.0, 0.0), CONTROL.outer_hz), np.array([1.4, 0.0, 0.0])
    target, least = body.head.position + np.array([0.05, -0.02, 0.0]), {}
    for told in (True, False):
        arms = Arms(body)
        if told:
            arms.guard.step(arms.q, arms.dq, np.zeros((2, 8)), aside)
        approach(arms, RIGHT, target, ticks=900)
        least[told] = look.gap(aside, arms.q)
    assert least[True] > SelfCollision.MARGIN
    assert least[False] < least[True] - 0.002
