"""The paper's two solvers and its shoulder bias against plain references."""

from __future__ import annotations

import numpy as np
import pytest
from ik_arms import DT, pose, start
from scipy.optimize import lsq_linear

from elsewhere.motion.ik._kernels import posture_pull
from elsewhere.motion.ik._manipulability_kernels import keep_manipulable, measure, measure_gradient
from elsewhere.motion.ik.base import NO_RESERVE
from elsewhere.motion.ik.biases import SHOULDER_GAINS
from elsewhere.motion.ik.qp import QP
from elsewhere.spatial._kernels import quat_log
from elsewhere.spatial.minimum_jerk import difference, turned


def wide(J):
    out = np.zeros((6, 8))
    out[:, : J.shape[1]] = J
    return out


def test_the_quadratic_program_is_equation_4(body):
    """Against the printed weights, stacked and solved by scipy."""
    arm, dt = body.arms[1], 0.008
    solver, rng, velocity = QP(arm, dt, "neutral", NO_RESERVE), np.random.default_rng(0), np.zeros(8)
    for _ in range(20):
        q = np.zeros(8)
        q[:7] = rng.uniform(arm.limits.lower, arm.limits.upper)
        p, quat = pose(arm, q)
        target_p, target_q = p + rng.normal(size=3) * 0.02, turned(quat, rng.normal(size=3) * 0.05)
        solver.step(solver.new_state(), q, target_p, target_q, np.zeros(6), velocity)
        J = arm.chain.forward(q)[2]
        error = np.concatenate([target_p - p, difference(target_q, quat)])
        A = np.vstack([J, np.sqrt(0.02) * np.eye(7), np.sqrt(0.0005) * np.eye(7)])
        b = np.concatenate([error, np.zeros(7), np.sqrt(0.0005) * (arm.neutral - q[:7])])
        lower = np.maximum(arm.limits.lower - q[:7], -arm.limits.velocity * dt)
        upper = np.minimum(arm.limits.upper - q[:7], arm.limits.velocity * dt)
        expected = lsq_linear(A, b, (lower, upper), tol=1e-14).x
        assert np.allclose(dt * velocity[:7], expected, atol=1e-6)


@pytest.mark.parametrize("count", [6, 7, 8])
def test_the_gradient_of_the_measure_agrees_with_finite_differences(body, own_arms, count):
    arm = body.arms[1] if count == 7 else own_arms[count]
    rng, h = np.random.default_rng(count), 1e-6
    for _ in range(10):
        q = rng.uniform(arm.limits.lower, arm.limits.upper)
        J, A, gradient = wide(arm.chain.forward(q)[2]), np.zeros((6, 6)), np.zeros(8)
        m = measure(J, count, A)
        assert m == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)), rel=1e-6, abs=1e-7)
        measure_gradient(J, count, A, m, np.zeros(6), gradient)
        for i in range(count):
            values = []
            for sign in (1.0, -1.0):
                moved = q.copy()
                moved[i] += sign * h
                values.append(measure(wide(arm.chain.forward(moved)[2]), count, A))
            assert gradient[i] == pytest.approx((values[0] - values[1]) / (2 * h), abs=1e-5)


def test_the_filter_takes_only_what_lowers_a_low_measure(body):
    arm, rng = body.arms[1], np.random.default_rng(2)
    J = wide(arm.chain.forward(arm.home)[2])
    A, work, gradient = np.zeros((6, 6)), np.zeros(6), np.zeros(8)
    m = measure(J, 7, A)
    for _ in range(20):
        step = rng.normal(size=6)
        filtered = step.copy()
        keep_manipulable(J, 7, A, 0.5 * m, 0.1 * m, 0.2, filtered, work, gradient)
        assert np.array_equal(filtered, step), "far above the threshold nothing is changed"
        keep_manipulable(J, 7, A, 2.0 * m, 0.1 * m, 0.2, filtered, work, gradient)
        n = np.linalg.pinv(J[:, :7]).T @ gradient[:7]
        n /= np.linalg.norm(n)
        expected = step if n @ step >= 0 else step - (n @ step) * n + 0.2 * m * n
        assert np.allclose(filtered, expected, atol=1e-6)


@pytest.mark.parametrize("side", [0, 1])
def test_the_shoulder_bias_is_equation_15(body, side):
    arm, (k_a, k_z, z_0) = body.arms[side], SHOULDER_GAINS
    record, pull, q = QP(arm, DT, "shoulder").packed[0], np.zeros(8), start(arm)
    for p, vector in (([0.5, 0.0, 1.1], [0.3, 1.0, 0.5]), ([0.5, 0.0, 0.7], [0.0, -2.0, 0.1])):
        quat = turned(np.array([1.0, 0, 0, 0]), np.array(vector))
        J = arm.chain.forward(q)[2]
        assert J.shape == (6, 7)
        posture_pull(record, q, np.array(p), quat, False, pull)
        r = np.zeros(3)
        quat_log(quat, r)
        sign = 1.0 if side == 0 else -1.0
        wanted = sign * (max(k_a * (r[1] - sign * r[2]), 0.0) + k_z * (p[2] - z_0))
        assert pull[0] + q[0] == pytest.approx(wanted)
        assert np.allclose(pull[1:7] + q[1:7], arm.neutral[1:])
