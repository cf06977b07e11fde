"""Damped least squares and FABRIK: limits, convergence, memory, and FABRIK's trap."""

from __future__ import annotations

import numpy as np
import pytest
from align_cases import LEFT, mirrored_arm, random_references, rotation, unit

from elsewhere.errors import ModelError, UnknownNameError
from elsewhere.motion.align import (
    AlignStatus,
    ArmLimits,
    ArmReference,
    DampedLeastSquares,
    Fabrik,
    make_align_solver,
)
from elsewhere.motion.align.registry import SOLVERS

BASELINES = ["dls", "fabrik"]
LIMITS = ArmLimits()


def human(random, n, reach=0.9):
    """References that an arm within its limits can reach: swing, twist, hinge and stretches at random."""
    rows = np.full((n, 18), np.nan)
    for row in rows:
        swing = random.uniform(0.0, reach * LIMITS.swing)
        turn = random.uniform(0.0, 2.0 * np.pi)
        R = rotation([np.cos(turn), 0.0, np.sin(turn)], swing)
        R = R @ rotation([0.0, 1.0, 0.0], random.uniform(-1.0, 1.0) * reach * LIMITS.twist)
        hinge = rotation(LEFT.elbow_axis, random.uniform(0.1, reach * LIMITS.hinge[1]))
        row[0:3] = LEFT.shoulder + random.uniform(0.85, 1.25) * R @ LEFT.upper
        row[3:6] = row[0:3] + random.uniform(0.85, 1.25) * R @ hinge @ LEFT.fore
        row[6:15] = np.eye(3).ravel()
    return rows


def angles(pose):
    """Swing, twist and hinge of a pose [rad], taken apart from its matrices."""
    u, a = unit(LEFT.upper), LEFT.elbow_axis
    new = pose.R_shoulder @ u
    swing = np.arctan2(np.linalg.norm(np.cross(u, new)), u @ new)
    c = np.cross(u, new)
    swung = a if np.linalg.norm(c) < 1e-12 else rotation(c, swing) @ a
    axis = pose.R_shoulder @ a
    twist = np.arctan2(new @ np.cross(swung, axis), swung @ axis)
    f = pose.R_elbow @ unit(LEFT.fore)
    return swing, twist, np.arctan2(axis @ np.cross(new, f), new @ f)


@pytest.mark.parametrize("name", BASELINES)
def test_limits_hold_whatever_is_asked(name):
    solver = make_align_solver(name)
    state = solver.init(LEFT)
    for row in random_references(np.random.default_rng(1), 300, spread=0.3):
        pose = solver.solve(LEFT, ArmReference.unpack(row), state)
        swing, twist, hinge = angles(pose)
        assert swing <= LIMITS.swing + 1e-6
        assert abs(twist) <= LIMITS.twist + 1e-6
        assert LIMITS.hinge[0] - 1e-6 <= hinge <= LIMITS.hinge[1] + 1e-6
        for stretch in (pose.stretch_upper, pose.stretch_fore):
            assert 0.8 - 1e-9 <= stretch <= 1.3 + 1e-9
        assert np.array_equal(pose.R_wrist.ravel(), row[6:15])


def test_dls_converges_on_what_an_arm_can_reach():
    solver = DampedLeastSquares()
    off = []
    for row in human(np.random.default_rng(2), 100):
        reference = ArmReference.unpack(row)
        off.append(solver.solve(LEFT, reference).deviation(LEFT, reference))
    assert np.median(off, axis=0)[1] < 2e-3
    # Many more iterations end at the reference itself: what is left is slowness, not an error.
    solver = DampedLeastSquares(iterations=20_000, tolerance=0.0)
    reference = ArmReference.unpack(human(np.random.default_rng(3), 1)[0])
    assert max(solver.solve(LEFT, reference).deviation(LEFT, reference)) < 1e-6


def test_dls_takes_the_step_of_equation_1():
    # One iteration against J by finite differences of the kernel's own poses.
    random = np.random.default_rng(4)
    free = ArmLimits(swing=3.0, twist=3.0, hinge=(-3.0, 3.0), stretch=(0.1, 10.0))
    one, still = DampedLeastSquares(free, iterations=1), DampedLeastSquares(free, iterations=0)
    for row in human(random, 20, reach=0.6):
        reference = ArmReference.unpack(row)
        state = np.array([0.3, -0.2, 0.1, 0.8, 0.05, -0.05]) + 0.1 * random.normal(size=6)

        def joints(theta, reference=reference):
            pose = still.solve(LEFT, reference, np.array(theta))
            return np.concatenate([pose.wrist(LEFT), 0.1 * pose.elbow(LEFT)])

        h = 1e-6
        J = np.stack([(joints(state + h * e) - joints(state - h * e)) / (2 * h) for e in np.eye(6)], axis=1)
        dp = np.concatenate([row[3:6], 0.1 * row[0:3]]) - joints(state)
        step = J.T @ np.linalg.solve(J @ J.T + 0.04 * np.eye(6), dp)
        after = state.copy()
        one.solve(LEFT, reference, after)
        assert after - state == pytest.approx(step, abs=1e-7)


def test_fabrik_reaches_what_an_arm_can_reach():
    solver = Fabrik()
    for row in human(np.random.default_rng(5), 100):
        reference = ArmReference.unpack(row)
        assert max(solver.solve(LEFT, reference).deviation(LEFT, reference)) < 2e-3


def test_the_binary_search_lowers_the_larger_deviation():
    references = [ArmReference.unpack(row) for row in random_references(np.random.default_rng(6), 200)]
    worst = []
    for solver in (Fabrik(bisections=0), Fabrik()):
        worst.append(
            [max(solver.solve(LEFT, reference).deviation(LEFT, reference)) for reference in references]
        )
    plain, searched = np.array(worst)
    assert (searched <= plain + 1e-9).all()
    assert searched.mean() < 0.95 * plain.mean()


@pytest.mark.parametrize("name", BASELINES)
def test_the_baselines_remember(name):
    # (g), second half: another order gives other poses
    references = random_references(np.random.default_rng(7), 40)
    order = np.random.default_rng(8).permutation(40)
    solver = make_align_solver(name)
    one = solver.solve_batch(LEFT, references, state=solver.init(LEFT))
    other = solver.solve_batch(LEFT, references[order], state=solver.init(LEFT))
    assert np.abs(one[order] - other).max() > 1e-2
    again = solver.solve_batch(LEFT, references, state=solver.init(LEFT))
    assert np.array_equal(one, again)


@pytest.mark.parametrize("name", BASELINES)
def test_frame_by_frame_and_as_a_stream_are_the_same(name):
    references = random_references(np.random.default_rng(9), 30)
    solver = make_align_solver(name)
    state = solver.init(LEFT)
    single = [solver.solve(LEFT, ArmReference.unpack(row), state).packed for row in references]
    assert np.array_equal(single, solver.solve_batch(LEFT, references))


@pytest.mark.parametrize("name", BASELINES)
def test_both_sides_are_alike(name):
    M = np.diag([1.0, -1.0, 1.0])
    solver, right = make_align_solver(name), mirrored_arm(LEFT)
    states = solver.init(LEFT), solver.init(right)
    for row in human(np.random.default_rng(10), 20):
        reference = ArmReference.unpack(row)
        other = ArmReference(M @ reference.elbow, M @ reference.wrist, np.eye(3))
        pose, mirrored = solver.solve(LEFT, reference, states[0]), solver.solve(right, other, states[1])
        assert np.abs(M @ pose.R_shoulder @ M - mirrored.R_shoulder).max() < 1e-6
        assert mirrored.packed[27:29] == pytest.approx(pose.packed[27:29], abs=1e-6)


def test_fabrik_stays_in_its_trap():
    # The robot bends where a human elbow cannot, beyond the twist's limits: FABRIK ends nearly
    # straight. Another reference frees it.
    solver = Fabrik()
    state = solver.init(LEFT)
    elbow = LEFT.elbow
    outward = ArmReference(elbow, elbow + np.array([-0.18, 0.18, 0.0]), np.eye(3))
    for _ in range(50):
        pose = solver.solve(LEFT, outward, state)
    _, twist, hinge = angles(pose)
    assert hinge < np.radians(20.0)
    assert pose.deviation(LEFT, outward)[1] > 0.05
    inward = ArmReference(elbow, elbow + np.array([0.18, 0.18, 0.0]), np.eye(3))
    pose = solver.solve(LEFT, inward, state)
    assert max(pose.deviation(LEFT, inward)) < 2e-3
    assert abs(angles(pose)[1]) < 0.05 < abs(twist) + 0.1


def test_fabrik_keeps_a_straight_arm_on_a_straight_robot():
    solver = Fabrik()
    state = solver.init(LEFT)
    down = unit(np.array([0.0, 0.3, -0.5]))
    reference = ArmReference(LEFT.shoulder + 0.3 * down, LEFT.shoulder + 0.56 * down, np.eye(3))
    pose = solver.solve(LEFT, reference, state)
    assert pose.status == AlignStatus.STRAIGHT
    assert max(pose.deviation(LEFT, reference)) < 2e-3


def test_solvers_by_name():
    assert set(SOLVERS) == {"onia", "dls", "fabrik", "bounded"}
    for name in SOLVERS:
        assert make_align_solver(name).name == name
    with pytest.raises(UnknownNameError, match=r"alignment solver 'onja'.*Did you mean 'onia'"):
        make_align_solver("onja")


@pytest.mark.parametrize(
    "wrong", [{"swing": 4.0}, {"twist": -1.0}, {"hinge": (1.0, 0.0)}, {"stretch": (0.0, 1.0)}]
)
def test_limits_that_are_none_are_refused(wrong):
    with pytest.raises(ModelError):
        ArmLimits(**wrong)
