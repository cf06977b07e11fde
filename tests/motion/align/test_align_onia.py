"""ONIA: the digest's verification list (a) to (g), and the NumPy form of the equations."""

from __future__ import annotations

import numpy as np
import pytest
from align_cases import (
    LEFT,
    mirrored_arm,
    onia,
    perpendicular,
    points,
    random_arms,
    random_references,
    rotation,
    rotations,
    shortest,
    signed,
    unit,
)
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.motion.align import AlignStatus, ArmPose, ArmReference, Onia

SOLVER = Onia()


def test_elbow_and_wrist_are_exact_on_a_hundred_thousand_arms():
    # (a)
    random = np.random.default_rng(1)
    n = 100_000
    shoulder = random.normal(size=(n, 3))
    directions = random.normal(size=(4, n, 3))
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    lengths = random.uniform(0.15, 0.5, size=(2, n, 1))
    elbow = shoulder + lengths[0] * directions[0]
    wrist = elbow + lengths[1] * directions[1]
    arms = np.hstack([shoulder, elbow, wrist, directions[2], directions[3]])
    references = random_references(random, n)
    references[:, 0:6] += np.hstack([shoulder, shoulder]) - np.tile(LEFT.shoulder, 2)
    poses = SOLVER.solve_batch(arms, references)
    assert np.isfinite(poses).all()
    found = poses[:, 29] != AlignStatus.DEGENERATE
    assert found.mean() > 0.9999
    elbow, wrist = points(arms, poses)
    assert np.abs(elbow - references[:, 0:3])[found].max() < 1e-9
    assert np.abs(wrist - references[:, 3:6])[found].max() < 1e-9
    R = poses[:, :27].reshape(n, 3, 3, 3)
    assert np.abs(R @ R.transpose(0, 1, 3, 2) - np.eye(3)).max() < 1e-12
    assert (np.linalg.det(R) > 0).all()


def test_kernel_agrees_with_the_equations():
    random = np.random.default_rng(2)
    for arm, row in zip(random_arms(random, 400), random_references(random, 400), strict=True):
        row[0:6] += np.tile(arm.shoulder - LEFT.shoulder, 2)
        reference = ArmReference.unpack(row)
        pose = SOLVER.solve(arm, reference)
        if pose.status != AlignStatus.OK:
            continue
        R_s, R_e, S_u, S_f = onia(arm, reference)
        # Where a wrist vector lies nearly along the forearm the twist fades: not an equation of the paper.
        f = unit(row[3:6] - row[0:3])
        faded = min(np.linalg.norm(np.cross(R @ arm.wrist_vector, f)) for R in (reference.hand, R_e)) < 0.06
        assert np.abs(pose.R_shoulder - R_s).max() < 1e-9
        assert faded or np.abs(pose.R_elbow - R_e).max() < 1e-9
        assert np.array_equal(pose.R_wrist, reference.hand)
        assert [pose.stretch_upper, pose.stretch_fore] == pytest.approx([S_u, S_f], abs=1e-12)


def test_one_by_one_and_in_a_batch_are_the_same_bits():
    references = random_references(np.random.default_rng(3), 50)
    many = SOLVER.solve_batch(LEFT, references)
    rows = np.tile(LEFT.packed, (50, 1))
    assert np.array_equal(many, SOLVER.solve_batch(rows, references))
    for row, pose in zip(references, many, strict=True):
        assert np.array_equal(SOLVER.solve(LEFT, ArmReference.unpack(row)).packed, pose)


def test_batches_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="3 references need 1 or 3 arms"):
        SOLVER.solve_batch(np.tile(LEFT.packed, (2, 1)), np.zeros((3, 18)))


def test_an_identical_robot_gives_the_identity():
    # (b)
    pose = SOLVER.solve(LEFT, ArmReference(LEFT.elbow, LEFT.wrist, np.eye(3)))
    for R in (pose.R_shoulder, pose.R_elbow, pose.R_wrist):
        assert np.abs(R - np.eye(3)).max() < 1e-12
    assert (pose.stretch_upper, pose.stretch_fore) == pytest.approx((1.0, 1.0), abs=1e-12)
    assert pose.status == AlignStatus.STRAIGHT


@given(st.integers(0, 10_000))
def test_turning_and_moving_everything_turns_the_pose(seed):
    # (c): world rotations of default-pose vectors conjugate by G
    random = np.random.default_rng(seed)
    G, p = rotations(random, 1)[0], random.normal(size=3)
    reference = ArmReference.unpack(random_references(random, 1)[0])
    moved = ArmReference(G @ reference.elbow + p, G @ reference.wrist + p, G @ reference.hand @ G.T)
    pose, other = SOLVER.solve(LEFT, reference), SOLVER.solve(LEFT.moved(G, p), moved)
    for name in ("R_shoulder", "R_elbow", "R_wrist"):
        assert np.abs(G @ getattr(pose, name) @ G.T - getattr(other, name)).max() < 1e-8
    assert other.packed[27:] == pytest.approx(pose.packed[27:], abs=1e-9)


@given(st.integers(0, 10_000))
def test_mirrored_arms_have_mirrored_poses(seed):
    # (d)
    M = np.diag([1.0, -1.0, 1.0])
    reference = ArmReference.unpack(random_references(np.random.default_rng(seed), 1)[0])
    other = ArmReference(M @ reference.elbow, M @ reference.wrist, M @ reference.hand @ M)
    pose, mirrored = SOLVER.solve(LEFT, reference), SOLVER.solve(mirrored_arm(LEFT), other)
    for name in ("R_shoulder", "R_elbow", "R_wrist"):
        assert np.abs(M @ getattr(pose, name) @ M - getattr(mirrored, name)).max() < 1e-9


def sweep(angles, direction=(0.5, 0.6, -0.3), plane=(0.2, -0.3, 0.8)):
    """References whose elbow goes through straight, in one plane."""
    u = unit(np.array(direction))
    k = unit(np.cross(u, plane))
    elbow = LEFT.shoulder + 0.3 * u
    return [ArmReference(elbow, elbow + 0.25 * (rotation(k, a) @ u), np.eye(3)) for a in angles]


def test_through_the_straight_arm_nothing_jumps_but_what_must():
    # (e): finite throughout, and steps that shrink with the sampling
    R, bend = [], np.linspace(-0.02, 0.02, 4001)
    for reference in sweep(bend):
        pose = SOLVER.solve(LEFT, reference)
        assert np.isfinite(pose.packed).all()
        assert np.abs(pose.elbow(LEFT) - reference.elbow).max() < 1e-9
        assert np.abs(pose.wrist(LEFT) - reference.wrist).max() < 1e-9
        R.append(pose.R_shoulder.copy())
    steps = np.linalg.norm(np.diff(R, axis=0), axis=(1, 2)) / np.sqrt(2)
    # The elbow axis turns round by pi from one side to the other, spread over 4000 steps of 1e-5 rad.
    assert steps.max() < 0.02
    assert np.linalg.norm(R[0] - R[-1]) > 1.0
    statuses = [SOLVER.solve(LEFT, reference).status for reference in sweep([-0.02, 0.0, 0.005, 0.02])]
    assert [status.text for status in statuses] == ["ok", "straight", "straight", "ok"]


def test_the_share_of_the_forearm():
    # (f)
    random = np.random.default_rng(6)
    none, all_, some = Onia(alpha=0.0), Onia(alpha=1.0), Onia()
    for row in random_references(random, 100):
        reference = ArmReference.unpack(row)
        f = unit(row[3:6] - row[0:3])
        poses = [solver.solve(LEFT, reference) for solver in (none, all_, some)]
        R_s = poses[0].R_shoulder
        swing = shortest(R_s @ LEFT.fore, f, R_s @ LEFT.elbow_axis) @ R_s
        assert np.abs(poses[0].R_elbow - swing).max() < 1e-9
        palms = [perpendicular(pose.R_elbow @ LEFT.wrist_vector, f) for pose in poses]
        theirs = perpendicular(reference.hand @ LEFT.wrist_vector, f)
        if min(np.linalg.norm(palms[0]), np.linalg.norm(theirs)) < 0.05:
            continue
        assert np.abs(unit(palms[1]) - unit(theirs)).max() < 1e-9
        assert signed(palms[0], palms[2], f) == pytest.approx(0.4 * signed(palms[0], theirs, f), abs=1e-9)


def test_order_does_not_matter():
    # (g), first half; the baselines' half is in test_align_baselines.py
    references = random_references(np.random.default_rng(7), 60)
    order = np.random.default_rng(8).permutation(60)
    assert np.array_equal(
        SOLVER.solve_batch(LEFT, references)[order], SOLVER.solve_batch(LEFT, references[order])
    )


def test_no_twist_brings_the_elbow_axes_nearer():
    # The optimality that the paper remarks on after eq. 13.
    random = np.random.default_rng(9)
    for arm, row in zip(random_arms(random, 30), random_references(random, 30), strict=True):
        row[0:6] += np.tile(arm.shoulder - LEFT.shoulder, 2)
        reference = ArmReference.unpack(row)
        pose = SOLVER.solve(arm, reference)
        u = unit(row[0:3] - arm.shoulder)
        a_r = unit(np.cross(u, row[3:6] - row[0:3]))
        ours = (pose.R_shoulder @ arm.elbow_axis) @ a_r
        others = [
            (rotation(u, t) @ pose.R_shoulder @ arm.elbow_axis) @ a_r for t in np.linspace(0, 6.3, 300)
        ]
        assert ours >= max(others) - 1e-9


def test_printed_equation_8_contradicts_equation_10():
    # Printed: from the robot's upper arm to the human's. Then d_u^r is not R_swing (S_u d_u^h).
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    assert shortest(x, y, None) @ x == pytest.approx(y)
    assert shortest(y, x, None) @ x == pytest.approx(-y)
    reference = ArmReference.unpack(random_references(np.random.default_rng(10), 1)[0])
    d_u_r = reference.elbow - LEFT.shoulder
    S_u = np.linalg.norm(d_u_r) / np.linalg.norm(LEFT.upper)
    corrected, printed = shortest(LEFT.upper, d_u_r, None), shortest(d_u_r, LEFT.upper, None)
    assert corrected @ (S_u * LEFT.upper) == pytest.approx(d_u_r, abs=1e-12)
    assert np.linalg.norm(printed @ (S_u * LEFT.upper) - d_u_r) > 0.1


def test_a_pose_says_where_its_joints_are():
    reference = ArmReference.unpack(random_references(np.random.default_rng(11), 1)[0])
    pose = SOLVER.solve(LEFT, reference)
    assert pose.deviation(LEFT, reference) == pytest.approx((0.0, 0.0), abs=1e-12)
    copy = ArmPose(
        pose.R_shoulder, pose.R_elbow, pose.R_wrist, pose.stretch_upper, pose.stretch_fore, pose.status
    )
    assert np.array_equal(copy.packed, pose.packed)
    longer = ArmPose(
        pose.R_shoulder, pose.R_elbow, pose.R_wrist, pose.stretch_upper + 0.1, pose.stretch_fore
    )
    assert longer.deviation(LEFT, reference) == pytest.approx((0.03, 0.03), abs=1e-12)
