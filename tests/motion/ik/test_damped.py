"""The plain solver: bounds are exact, it converges, and it comes back from out of reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.motion.ik._kernels import solve_box
from elsewhere.motion.ik.damped import Damped
from elsewhere.spatial._kernels import quat_from_matrix
from elsewhere.status import Status

DT = 0.004


def pose(arm, q):
    R, p, _ = arm.chain.forward(q)
    quat = np.zeros(4)
    quat_from_matrix(R, quat)
    return p.copy(), quat


def follow(solver, q, p, quat, steps):
    velocity, status = np.zeros(8), Status.OK
    arm = solver.arm
    for _ in range(steps):
        status = solver.step(q, p, quat, np.zeros(6), velocity)
        n = arm.chain.n
        assert (np.abs(velocity[:n]) <= arm.limits.velocity + 1e-12).all()
        q[:n] += DT * velocity[:n]
        assert ((q[:n] >= arm.limits.lower) & (q[:n] <= arm.limits.upper)).all()
    return status


@pytest.fixture
def solver(body):
    return Damped(body.arms[1], DT)


def start(solver):
    q = np.zeros(8)
    q[: solver.arm.chain.n] = solver.arm.home
    return q


def test_reaches_a_near_target_to_a_tenth_of_a_millimetre(solver):
    q = start(solver)
    p, quat = pose(solver.arm, q)
    p += [0.05, 0.08, -0.06]
    assert follow(solver, q, p, quat, 500) == Status.OK
    now, turn = pose(solver.arm, q)
    assert np.linalg.norm(now - p) < 1e-4
    assert abs(turn @ quat) > 1 - 1e-8


def test_a_target_a_metre_out_of_reach_is_told_and_left_again(solver):
    q = start(solver)
    p, quat = pose(solver.arm, q)
    assert follow(solver, q, p + np.array([1.5, 0.0, 0.0]), quat, 1000) == Status.UNREACHABLE
    assert follow(solver, q, p, quat, 1500) == Status.OK
    assert np.linalg.norm(pose(solver.arm, q)[0] - p) < 1e-3


def test_a_target_turned_by_pi_is_finite(solver):
    q = start(solver)
    p, quat = pose(solver.arm, q)
    flipped = np.array([-quat[1], quat[0], -quat[3], quat[2]])
    follow(solver, q, p, flipped, 300)
    assert np.isfinite(q).all()


def test_from_outside_the_range_it_only_comes_back(solver):
    q = start(solver)
    q[1] = solver.arm.limits.upper[1] + 0.02
    p, quat = pose(solver.arm, start(solver))
    velocity = np.zeros(8)
    solver.step(q, p, quat, np.zeros(6), velocity)
    assert velocity[1] <= 0.0


@settings(max_examples=300)
@given(st.integers(0, 10_000))
def test_box_solution_keeps_bounds_and_is_the_optimum(seed):
    """Against a projected-gradient reference."""
    rng = np.random.default_rng(seed)
    n = 7
    A = rng.normal(size=(6, n))
    H = A.T @ A + 0.05 * np.eye(n)
    g = A.T @ rng.normal(size=6)
    upper, lower = rng.uniform(0.05, 1.0, n), -rng.uniform(0.05, 1.0, n)
    x, fixed, L = np.zeros(8), np.zeros(n, np.int64), np.zeros((n + 1, n))
    solve_box(H, g, lower, upper, x, fixed, L)
    assert ((x[:n] >= lower) & (x[:n] <= upper)).all()
    y = np.zeros(n)
    step = 1.0 / np.linalg.eigvalsh(H).max()
    for _ in range(4000):
        y = np.clip(y - step * (H @ y - g), lower, upper)

    def cost(v):
        return 0.5 * v @ H @ v - g @ v

    assert cost(x[:n]) <= cost(np.zeros(n)) + 1e-12
    assert cost(x[:n]) - cost(y) <= 1e-6 * abs(cost(y)) + 1e-9
