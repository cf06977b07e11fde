"""The Cartesian impedance: kernel against plain NumPy, gains, and a fade that never jumps."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from test_joint_pd import limited, reference_barrier
from test_reference import Course

from elsewhere.motion.torque import _impedance_kernels
from elsewhere.motion.torque.task_inertia import damping_for, inertia_matrix, task_inertia
from elsewhere.records import MAX_JOINTS, TERMS


def reference_terms(law, arm, q, dq, w, equilibrium, dw, ddw):
    """The terms in the order of TERMS, without the power cut."""
    n, c, limits = arm.chain.n, law.constants, arm.limits
    R, p, J = arm.chain.forward(q)
    R_w, p_w, _ = arm.chain.forward(equilibrium)
    dp = np.concatenate([p - p_w, Rotation.from_matrix(R @ R_w.T).as_rotvec()])
    posture = c["stiffness"][:n] * (equilibrium - q) + c["damping"][:n] * (dw - dq)
    inverse = np.linalg.inv(J @ J.T + 1e-4 * np.eye(6)) @ J
    gravity = arm.chain.bias(q, np.zeros(n))
    v = limits.velocity
    ends = np.minimum(limits.lower, w - 0.05), np.maximum(limits.upper, w + 0.05)
    return np.stack(
        [
            J.T @ (-c["task_stiffness"] * dp),
            J.T @ (-c["task_damping"] @ (J @ (dq - dw))),
            gravity,
            arm.chain.bias(q, dq) - gravity,
            np.clip(inertia_matrix(arm.chain, q) @ ddw, -12.0, 12.0),
            reference_barrier(q, *ends, 0.05, 0.5 * limits.torque),
            reference_barrier(dq, -v, v, 0.25 * v, 0.5 * limits.torque),
            posture - J.T @ (inverse @ posture),
        ]
    )


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.4, 1.0]))
def test_agrees_with_numpy(body, seed, share):
    rng, arm = np.random.default_rng(seed), body.arms[1]
    n, limits = arm.chain.n, arm.limits
    course = Course(arm, rng.uniform(limits.lower, limits.upper), "impedance")
    state, held = course.state, course.state.q.copy()
    q, dq = state.q.copy(), np.zeros(MAX_JOINTS)
    q[:n] += rng.uniform(-0.05, 0.05, n)
    dq[:n] = 0.5 * rng.normal(size=n)
    state.velocity[:n] = rng.normal(size=n)
    logged = np.zeros((len(TERMS), MAX_JOINTS), np.float32)
    course.motion.torque(state, q, dq, True, course.tau, logged, share)
    w, dw, ddw = state.reference[:n], state.dreference[:n], state.push[:n]
    start = w if share == 0.0 else held[:n]
    equilibrium = start + (share if share > 0.0 else 1.0) * (w - start)
    terms = reference_terms(course.motion.torque_law, arm, q[:n], dq[:n], w, equilibrium, dw, ddw)
    cut, tau = limited(terms, dq[:n], limits)
    assert course.tau[:n] == pytest.approx(tau, abs=1e-9)
    assert logged[:, :n] == pytest.approx(np.concatenate([terms, cut[None]]), rel=1e-5, abs=1e-4)


def test_the_spring_never_jumps_whatever_becomes_of_a_fade(body):
    """NimbRo, (1-s) tau_init + s tau_cmd: fade, break it off, hold, fade again, track, hold."""
    course = Course(body.arms[1], torque="impedance")
    state, n = course.state, course.n
    place, before, far = np.zeros(MAX_JOINTS), None, 0.0
    shares = [0.0] * 50 + list(np.linspace(0, 0.6, 300)) + [0.0] * 200 + list(np.linspace(0, 1, 400))
    shares += [1.0] * 200 + [0.0] * 100
    for tick, share in enumerate(shares):
        course.step(np.full(n, 0.3 * np.sin(0.01 * tick)), share=share)
        _impedance_kernels.fade(state.whole, n, share, place)  # once more changes nothing
        if before is not None:
            assert np.abs(place - before).max() < 2e-3  # no faster than 2 rad/s
        far = max(far, float(np.abs(place - state.reference).max()))
        if share == 1.0:
            assert place[:n] == pytest.approx(state.reference[:n], abs=1e-12)
        before = place.copy()
    assert far > 0.01  # the fade did hold it back


def test_inertia_agrees_with_mujoco(body):
    model = body.spec.compile()
    data = mujoco.MjData(model)
    for arm in body.arms:
        rng = np.random.default_rng(arm.side)
        q = rng.uniform(arm.limits.lower, arm.limits.upper)
        joints = [model.joint(name) for name in arm.joints]
        for joint, angle in zip(joints, q, strict=True):
            data.qpos[joint.qposadr] = angle
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, full, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, full)
        dofs = [int(joint.dofadr[0]) for joint in joints]
        expected = full[np.ix_(dofs, dofs)]
        assert inertia_matrix(arm.chain, q) == pytest.approx(expected, abs=1e-6)
        assert np.diag(inertia_matrix(arm.chain, q)) == pytest.approx(arm.chain.inertia_diagonal(q))


def test_damping_gives_every_mode_its_ratio(body):
    arm = body.arms[1]
    inertia, K = task_inertia(arm.chain, arm.home), np.array([1500.0] * 3 + [60.0] * 3)
    D = damping_for(inertia, K, 0.9)
    assert pytest.approx(D.T) == D
    # Poles of inertia x'' + D x' + K x = 0: none oscillates much.
    inverse = np.linalg.inv(inertia)
    system = np.block([[np.zeros((6, 6)), np.eye(6)], [-inverse @ np.diag(K), -inverse @ D]])
    poles = np.linalg.eigvals(system)
    assert (-poles.real / np.abs(poles) > 0.75).all()
