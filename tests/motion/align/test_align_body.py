"""Body alignment, the torso that gives way, fingers and the hold."""

from __future__ import annotations

import numpy as np
import pytest
from align_cases import LEFT, mirrored_arm, random_references, rotation, rotations
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.errors import ModelError
from elsewhere.motion.align import (
    AlignStatus,
    ArmPose,
    ArmReference,
    Bounded,
    FingerRange,
    Hold,
    Onia,
    Together,
    TorsoBounds,
    align_body,
)

ARMS = (LEFT, mirrored_arm(LEFT))
SHOULDERS = np.array([arm.shoulder for arm in ARMS])
LENGTH = np.linalg.norm(LEFT.upper)


@given(st.integers(0, 10_000))
def test_shoulders_come_to_lie_on_shoulders(seed):
    random = np.random.default_rng(seed)
    middle, yaw = random.normal(size=3), random.uniform(-np.pi, np.pi)
    line = rotation([0, 0, 1], yaw) @ rotation([1, 0, 0], random.uniform(-1.2, 1.2)) @ [0.0, 0.11, 0.0]
    robot = np.array([middle + line, middle - line])
    (R, p), status = align_body(SHOULDERS, robot)
    assert status == AlignStatus.OK
    placed = SHOULDERS @ R.T + p
    assert placed.mean(0) == pytest.approx(middle, abs=1e-12)
    assert np.cross(placed[0] - placed[1], line) == pytest.approx(np.zeros(3), abs=1e-12)
    assert (placed[0] - placed[1]) @ line > 0
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-12
    # Half the difference of the widths is left, and no turn about the line brings up nearer to up.
    assert np.linalg.norm(placed[0] - robot[0]) == pytest.approx(abs(0.19 - 0.11), abs=1e-12)
    ups = [(rotation(line, t) @ R)[2, 2] for t in np.linspace(0, 2 * np.pi, 73)]
    assert R[2, 2] >= max(ups) - 1e-12


@pytest.mark.parametrize(
    "robot",
    [
        [[0, 0, 1], [0, 0, 1]],
        [[0, 0, 1.2], [0, 0, 1.0]],
        [[0, np.nan, 1.2], [0, 0, 1.0]],
        [[0, np.inf, 1.2], [0, 0, 1.0]],
    ],
)
def test_without_a_shoulder_line_the_last_pose_is_held(robot):
    last = (rotation([0, 0, 1], 0.3), np.ones(3))
    assert align_body(SHOULDERS, robot, last=last) == (last, AlignStatus.HELD)
    (R, p), status = align_body(SHOULDERS, robot)
    assert status == AlignStatus.DEGENERATE
    assert np.array_equal(R, np.eye(3))
    assert not p.any()
    _, status = align_body(np.zeros((2, 3)), SHOULDERS)
    assert status == AlignStatus.DEGENERATE
    _, status = align_body(SHOULDERS, SHOULDERS, up=np.zeros(3))
    assert status == AlignStatus.DEGENERATE


def robot_arms(random, width, upper, spread=1.0):
    """A robot's two arms: shoulders `width` apart, upper arms of these lengths, any direction."""
    references = []
    for i, side in enumerate((1.0, -1.0)):
        shoulder = np.array([0.0, 0.5 * side * width, 1.4])
        u = np.array([0.5, side * 0.5, -0.5]) + spread * random.normal(size=3)
        elbow = shoulder + upper[i] * u / np.linalg.norm(u)
        wrist = elbow + 0.25 * rotations(random, 1)[0][0]
        references.append(ArmReference(elbow, wrist, np.eye(3), shoulder))
    return references[0], references[1]


def misfit(outcome):
    """The stated criterion: squared difference of the bones' lengths [m^2]."""
    return sum((LENGTH * (pose.stretch_upper - 1.0)) ** 2 for pose in outcome.poses)


ALONE = Together(bounds=TorsoBounds(0.0, 0.0, 0.0))


@given(st.integers(0, 10_000))
def test_together_is_never_worse_than_each_alone(seed):
    random = np.random.default_rng(seed)
    bounds = TorsoBounds(*random.uniform(0.0, [0.1, 0.4, 0.06]))
    references = robot_arms(random, random.uniform(0.1, 0.6), random.uniform(0.15, 0.45, size=2))
    together, alone = Together(bounds=bounds).solve(ARMS, references), ALONE.solve(ARMS, references)
    assert misfit(together) <= misfit(alone) + 1e-12
    for outcome in (together, alone):
        for arm, pose, reference in zip(outcome.arms, outcome.poses, references, strict=True):
            assert max(pose.deviation(arm, reference)) < 1e-9
    # And the torso stays within its bounds.
    (R, p), (R0, p0) = together.body, alone.body
    turned = R @ R0.T
    assert np.arccos(np.clip((np.trace(turned) - 1) / 2, -1, 1)) <= bounds.lean + 1e-7
    middle = SHOULDERS.mean(0)
    assert np.linalg.norm(R @ middle + p - R0 @ middle - p0) <= bounds.shift + 1e-12
    assert (np.linalg.norm(together.shrug, axis=1) <= bounds.shrug + 1e-12).all()


def test_bones_fit_where_no_bound_is_met():
    random = np.random.default_rng(1)
    wide = Together(bounds=TorsoBounds(1.0, 3.0, 1.0))
    for _ in range(20):
        references = robot_arms(random, 0.3, random.uniform(0.2, 0.4, size=2))
        for pose in wide.solve(ARMS, references).poses:
            assert pose.stretch_upper == pytest.approx(1.0, abs=1e-9)


def test_a_robot_that_fits_moves_nothing():
    references = robot_arms(np.random.default_rng(2), 0.38, (LENGTH, LENGTH))
    outcome = Together().solve(ARMS, references)
    R, p = outcome.body
    assert np.abs(R - np.eye(3)).max() < 1e-12
    assert np.abs(R @ SHOULDERS[0] + p - references[0].shoulder).max() < 1e-12
    assert np.abs(outcome.shrug).max() < 1e-12
    assert [pose.stretch_upper for pose in outcome.poses] == pytest.approx([1.0, 1.0], abs=1e-12)


def test_the_default_bounds_help():
    random = np.random.default_rng(3)
    ours, theirs = [], []
    for _ in range(100):
        references = robot_arms(random, 0.2, (0.28, 0.28), spread=0.3)
        ours.append(misfit(Together().solve(ARMS, references)))
        theirs.append(misfit(ALONE.solve(ARMS, references)))
    assert np.mean(ours) < 0.2 * np.mean(theirs)


def test_together_is_continuous():
    random = np.random.default_rng(4)
    for _ in range(20):
        one = robot_arms(random, 0.25, (0.4, 0.2))
        moved = [ArmReference.unpack(reference.packed + 1e-7) for reference in one]
        for reference, original in zip(moved, one, strict=True):
            reference.packed[6:15] = original.packed[6:15]
        a, b = (Together().solve(ARMS, pair) for pair in (one, (moved[0], moved[1])))
        assert np.abs(a.body[0] - b.body[0]).max() < 1e-5
        assert np.abs(a.shrug - b.shrug).max() < 1e-5


def test_together_with_another_solver_and_with_lost_tracking():
    references = robot_arms(np.random.default_rng(5), 0.2, (0.5, 0.15))
    for pose in Together(Bounded()).solve(ARMS, references).poses:
        assert 0.8 <= pose.stretch_upper <= 1.3
    lost = (ArmReference(np.full(3, np.nan), np.zeros(3), np.eye(3)), references[1])
    last = (np.eye(3), np.zeros(3))
    outcome = Together().solve(ARMS, lost, last=last)
    assert outcome.status == AlignStatus.HELD
    assert outcome.poses[0].status == AlignStatus.DEGENERATE
    assert outcome.poses[1].status == AlignStatus.OK
    assert np.isfinite([pose.packed for pose in outcome.poses]).all()
    with pytest.raises(ModelError, match="bounds of the torso"):
        TorsoBounds(shift=-1.0)


def test_fingers_follow_the_gripper():
    fingers = FingerRange(closed=(0.7, 1.0, 1.2), wide=(0.1, 0.0, 0.2))
    assert fingers.angles(0.0) == pytest.approx([0.7, 1.0, 1.2])
    assert fingers.angles(1.0) == pytest.approx([0.1, 0.0, 0.2])
    assert fingers.angles(0.25) == pytest.approx([0.55, 0.75, 0.95])
    for outside, end in ((-3.0, 0.0), (-np.inf, 0.0), (1.7, 1.0), (np.inf, 1.0), (np.nan, 0.5)):
        assert fingers.angles(outside) == pytest.approx(fingers.angles(end))
    with pytest.raises(ModelError, match="finite"):
        FingerRange(closed=(np.nan, 1.0, 1.0))


def test_a_lost_arm_holds_its_last_pose_and_says_so():
    hold = Hold(hide_after=0.5)
    state = hold.init()
    lost = ArmReference(np.full(3, np.nan), np.zeros(3), np.eye(3))
    good = ArmReference.unpack(random_references(np.random.default_rng(6), 1)[0])
    solver, out = Onia(), np.empty(30)

    def frame(reference, now):
        solver.solve_into(LEFT.packed, reference.packed, out)  # every frame into the same array
        return hold.step(state, ArmPose.unpack(out), now)

    first = frame(lost, 0.0)
    assert first.status == AlignStatus.DEGENERATE
    assert np.array_equal(first.R_shoulder, np.eye(3))
    assert not hold.visible(state)
    shown = frame(good, 0.1).packed.copy()
    assert hold.visible(state)
    for now, visible in ((0.2, True), (0.6, True), (0.7, False)):
        held = frame(lost, now)
        assert held.status == AlignStatus.HELD
        assert np.array_equal(held.packed[:29], shown[:29])
        assert hold.visible(state) == visible
    assert state.held_for == pytest.approx(0.6)
    assert frame(good, 0.8).status == AlignStatus.OK
    assert hold.visible(state)
    assert state.held_for == 0.0
