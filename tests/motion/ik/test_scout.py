"""Our own solver: exact at rest, calm out of reach, and quick to find another posture."""

from __future__ import annotations

import numpy as np
import pytest
from ik_arms import DT, follow, pose, start

from elsewhere.motion.ik._kernels import ASKEW, FAR
from elsewhere.motion.ik._scout_kernels import SEARCHING, TRAVELLING
from elsewhere.motion.ik.biases import BIASES
from elsewhere.motion.ik.qp import QP
from elsewhere.motion.ik.scout import Scout
from elsewhere.spatial.minimum_jerk import difference
from elsewhere.status import Status


@pytest.mark.parametrize("bias", BIASES)
def test_no_steady_error_remains_whatever_the_bias(body, bias):
    arm = body.arms[1]
    solver, q = Scout(arm, DT, bias), start(arm)
    p, quat = pose(arm, q)
    p += [0.05, 0.08, -0.06]
    assert follow(solver, q, p, quat, 1500) == Status.OK
    now, turn = pose(arm, q)
    assert np.linalg.norm(now - p) < 1e-4
    assert abs(turn @ quat) > 1 - 1e-8


def test_the_null_space_bias_leaves_no_steady_error_in_the_quadratic_program(body):
    """The neutral bias leaves millimetres (digest, 2.2); its projection a tenth of one at most."""
    arm, left = body.arms[1], {}
    for bias in ("neutral", "null-space"):
        solver, q = QP(arm, 0.008, bias), start(arm)
        p, quat = pose(arm, q)
        follow(solver, q, p, quat, 3000)
        left[bias] = np.linalg.norm(pose(arm, q)[0] - p)
    assert left["null-space"] < 1e-4 < 1e-3 < left["neutral"]


def test_no_way_begins_while_the_hand_tracks(body):
    """A slow hand through the whole front: within tolerance, nothing is searched, nothing travelled."""
    arm = body.arms[1]
    solver, q, state, velocity = Scout(arm, DT), start(arm), None, np.zeros(8)
    state = solver.new_state()
    (p, quat), rng = pose(arm, q), np.random.default_rng(0)
    goal = p.copy()
    for tick in range(4000):
        if tick % 400 == 0:
            goal = np.array([0.52, -0.2, 0.95]) + rng.uniform(-1, 1, 3) * [0.08, 0.12, 0.1]
        p += np.clip(goal - p, -1e-3, 1e-3)
        now, turn = pose(arm, q)
        within = np.linalg.norm(now - p) < FAR and np.linalg.norm(difference(quat, turn)) < ASKEW
        solver.step(state, q, p, quat, np.zeros(6), velocity)
        if within:
            assert not state.memory[TRAVELLING]
            assert not state.memory[SEARCHING]
        q[:7] += DT * velocity[:7]


def test_out_of_reach_the_arm_is_still_and_comes_back_at_once(body):
    arm = body.arms[1]
    solver, q, velocity = Scout(arm, DT), start(arm), np.zeros(8)
    state = solver.new_state()
    p, quat = pose(arm, q)
    out = p + np.array([0.0, -1.2, 0.2])
    follow(solver, q, out, quat, 1500, state)
    speeds = []
    for _ in range(200):
        assert solver.step(state, q, out, quat, np.zeros(6), velocity) == Status.UNREACHABLE
        speeds.append(np.abs(velocity).max())
        q[:7] += DT * velocity[:7]
    assert max(speeds) < 0.02, "no jitter at full extension"
    follow(solver, q, p, quat, 250, state)
    assert np.linalg.norm(pose(arm, q)[0] - p) < FAR


def test_a_folded_arm_finds_another_posture(body):
    """From postures all over the ranges to one and the same target: the step alone gets stuck in some."""
    arm, rng = body.arms[1], np.random.default_rng(5)
    p, quat = pose(arm, start(arm))
    reached = {"scout": 0, "qp": 0}
    for _ in range(12):
        begin = rng.uniform(arm.limits.lower + 0.1, arm.limits.upper - 0.1)
        for name, kind in (("scout", Scout), ("qp", QP)):
            q = np.zeros(8)
            q[:7] = begin
            follow(kind(arm, DT), q, p, quat, 1200)
            now, turn = pose(arm, q)
            reached[name] += np.linalg.norm(now - p) < FAR and abs(turn @ quat) > np.cos(0.5 * ASKEW)
    assert reached["scout"] == 12
    assert reached["qp"] < 12


def test_a_way_that_is_blocked_is_given_up(body):
    """The joints do not move, whatever is asked: it stops travelling, and takes no way to that target."""
    arm = body.arms[1]
    solver, q, velocity = Scout(arm, DT), np.zeros(8), np.zeros(8)
    q[:7] = [2.0, -1.5, 2.0, -0.3, 2.0, 3.0, -2.0]  # far from anything that works at the target
    state = solver.new_state()
    p, quat = pose(arm, start(arm))
    seen = []
    for _ in range(800):
        solver.step(state, q, p, quat, np.zeros(6), velocity)
        seen.append(bool(state.memory[TRAVELLING]))
    assert any(seen)
    assert not any(seen[-200:])
