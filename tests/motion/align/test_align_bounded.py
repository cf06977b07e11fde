"""The bounded solver against brute force, and where it must be ONIA."""

from __future__ import annotations

import numpy as np
import pytest
from align_cases import LEFT, points, random_arms, random_references, rotation, unit

from elsewhere.motion.align import AlignStatus, ArmReference, Bounded, Onia

LOW, HIGH = 0.8, 1.3
SOLVER = Bounded(LOW, HIGH)


def deviations(arm, reference, solver=SOLVER):
    return solver.solve(arm, reference).deviation(arm, reference)


def least_wrist(arm, reference):
    """Distance of the robot's wrist from all that can be reached: over a grid of stretches and bends."""
    upper = np.linalg.norm(arm.upper) * np.linspace(LOW, HIGH, 21)
    fore = np.linalg.norm(arm.fore) * np.linspace(LOW, HIGH, 21)
    cosine = np.cos(np.linspace(0.0, np.pi, 91))
    u, f, c = np.meshgrid(upper, fore, cosine, indexing="ij")
    reached = np.sqrt(np.maximum(u * u + f * f + 2.0 * u * f * c, 0.0))
    # The direction of the whole arm is free, so only its length matters.
    return np.abs(reached - np.linalg.norm(reference.wrist - arm.shoulder)).min()


def least_elbow(arm, wrist, reference, n=100):
    """Distance of the robot's elbow from all elbows for this wrist: over a grid of the shell, in space."""
    radius = np.linalg.norm(arm.upper) * np.linspace(LOW, HIGH, 30)
    k = np.arange(n * n)
    z = 1.0 - (2.0 * k + 1.0) / (n * n)  # evenly spread over the sphere (Fibonacci)
    turn = np.pi * (1.0 + np.sqrt(5.0)) * k
    s = np.sqrt(1.0 - z * z)
    directions = np.stack([s * np.cos(turn), s * np.sin(turn), z], axis=1)
    best = np.inf
    low, high = LOW * np.linalg.norm(arm.fore), HIGH * np.linalg.norm(arm.fore)
    for r in radius:
        elbows = arm.shoulder + r * directions
        fore = np.linalg.norm(elbows - wrist, axis=1)
        allowed = (fore >= low) & (fore <= high)
        if allowed.any():
            best = min(best, np.linalg.norm(elbows[allowed] - reference.elbow, axis=1).min())
    return best


def test_no_wrist_is_nearer():
    random = np.random.default_rng(1)
    out = 0
    for spread in (0.1, 0.2, 0.5):
        for row in random_references(random, 40, spread=spread):
            reference = ArmReference.unpack(row)
            _, ours = deviations(LEFT, reference)
            brute = least_wrist(LEFT, reference)
            assert ours <= brute + 1e-9
            assert brute <= ours + 1e-2  # and the grid comes near: it is no other problem
            out += ours > 1e-3
    assert out > 10


def test_no_elbow_is_nearer_with_that_wrist():
    random = np.random.default_rng(2)
    moved = 0
    for row in random_references(random, 25):
        reference = ArmReference.unpack(row)
        pose = SOLVER.solve(LEFT, reference)
        ours, wrist_off = pose.deviation(LEFT, reference)
        if wrist_off > 1e-9:
            continue  # a stretched or folded arm has one elbow only
        brute = least_elbow(LEFT, pose.wrist(LEFT), reference)
        assert ours <= brute + 1e-9
        assert brute <= ours + 1.5e-2
        moved += ours > 1e-3
    assert moved > 10


@pytest.mark.parametrize("bounds", [(0.8, 1.3), (0.95, 1.05), (1.0, 1.0), (0.2, 3.0)])
def test_the_bounds_hold_always_and_poses_are_whole(bounds):
    random = np.random.default_rng(3)
    solver = Bounded(*bounds)
    for arm in [LEFT, *random_arms(random, 8)]:
        rows = random_references(random, 2000, arm, spread=0.3)
        poses = solver.solve_batch(arm, rows)
        assert np.isfinite(poses).all()
        assert (poses[:, 27:29] >= bounds[0]).all()
        assert (poses[:, 27:29] <= bounds[1]).all()
        R = poses[:, :27].reshape(-1, 3, 3)
        assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-9
        # The wrist is exactly as far off as the robot's is beyond reach, and no further.
        found = poses[:, 29] != AlignStatus.DEGENERATE
        lengths = [np.linalg.norm(d) for d in (arm.upper, arm.fore)]
        (u0, u1), (f0, f1) = ((length * bounds[0], length * bounds[1]) for length in lengths)
        there = np.linalg.norm(rows[:, 3:6] - arm.shoulder, axis=1)
        near, far = max(0.0, u0 - f1, f0 - u1), u1 + f1
        beyond = np.maximum(0.0, np.maximum(there - far, near - there))
        off = np.linalg.norm(points(arm.packed, poses)[1] - rows[:, 3:6], axis=1)
        assert np.abs(off - beyond)[found].max() < 3e-9


def test_within_the_bounds_it_is_onia():
    rows = random_references(np.random.default_rng(4), 5000, spread=0.18)
    ours, theirs = SOLVER.solve_batch(LEFT, rows), Onia().solve_batch(LEFT, rows)
    within = ((theirs[:, 27:29] >= LOW) & (theirs[:, 27:29] <= HIGH)).all(axis=1)
    assert 200 < within.sum() < 4000
    assert np.array_equal(ours[within], theirs[within])
    assert not np.array_equal(ours[~within], theirs[~within])


def test_continuous_where_a_bound_begins_to_act():
    # Outward and inward through each bound of each bone, along random lines.
    random = np.random.default_rng(5)
    for _ in range(40):
        u, f = unit(random.normal(size=3)), unit(random.normal(size=3))
        if np.linalg.norm(np.cross(u, f)) < 0.2:
            continue
        for bone, bound in ((0, LOW), (0, HIGH), (1, LOW), (1, HIGH)):
            poses = []
            for step in (-1e-7, 1e-7):
                stretch = [1.0, 1.0]
                stretch[bone] = bound + step
                elbow = LEFT.shoulder + 0.3 * stretch[0] * u
                reference = ArmReference(elbow, elbow + 0.26 * stretch[1] * f, np.eye(3))
                poses.append(SOLVER.solve(LEFT, reference).packed)
            assert np.abs(poses[0][:29] - poses[1][:29]).max() < 1e-5


def test_continuous_where_the_wrist_leaves_the_reach():
    # The last of the bend goes as a square root: a step of 1e-10 moves the elbow by 1e-5.
    far = HIGH * (0.3 + 0.26)
    u = unit(np.array([0.5, 0.6, -0.4]))
    elbow = LEFT.shoulder + 0.3 * rotation([0, 0, 1], 0.2) @ u
    poses = [
        SOLVER.solve(LEFT, ArmReference(elbow, LEFT.shoulder + (far + step) * u, np.eye(3)))
        for step in (-1e-10, 1e-10)
    ]
    assert np.abs(poses[0].elbow(LEFT) - poses[1].elbow(LEFT)).max() < 1e-4
    assert np.abs(poses[0].packed[:29] - poses[1].packed[:29]).max() < 1e-2


def test_an_arm_pulled_straight_keeps_the_robots_elbow_axis():
    u = unit(np.array([0.4, 0.7, -0.3]))
    elbow = LEFT.shoulder + 0.5 * rotation([0.2, 0.1, 1.0], 0.4) @ u
    reference = ArmReference(elbow, LEFT.shoulder + 0.95 * u, np.eye(3))
    pose = SOLVER.solve(LEFT, reference)
    assert pose.status == AlignStatus.STRAIGHT
    assert (pose.stretch_upper, pose.stretch_fore) == pytest.approx((HIGH, HIGH))
    axis = unit(np.cross(elbow - LEFT.shoulder, reference.wrist - elbow))
    axis = unit(axis - (axis @ u) * u)
    assert pose.R_shoulder @ LEFT.elbow_axis == pytest.approx(axis, abs=1e-9)


def test_a_wrist_in_the_shoulder_is_finite():
    for bounds in ((0.8, 1.3), (1.0, 1.0)):
        reference = ArmReference(LEFT.shoulder + np.array([0.2, 0.1, 0.0]), LEFT.shoulder, np.eye(3))
        pose = Bounded(*bounds).solve(LEFT, reference)
        assert np.isfinite(pose.packed).all()
        off = pose.deviation(LEFT, reference)[1]
        assert off == pytest.approx(max(0.0, 0.3 * bounds[0] - 0.26 * bounds[1]), abs=1e-9)


def test_bounds_must_be_an_interval():
    with pytest.raises(ValueError, match="low <= high"):
        Bounded(1.3, 0.8)
