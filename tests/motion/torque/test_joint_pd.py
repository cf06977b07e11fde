"""Torques of the joint law: kernel against plain NumPy, terms, barriers, power."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_reference import Course

from elsewhere.errors import UnknownNameError
from elsewhere.motion.arm_motion import ArmMotion
from elsewhere.motion.torque import _kernels
from elsewhere.motion.torque.registry import find_torque_law, torque_law_names
from elsewhere.motion.torque.task_inertia import inertia_matrix
from elsewhere.records import MAX_JOINTS, TERMS
from elsewhere.rig import Control


def reference_barrier(x, low, high, band, strength):
    above, below = np.maximum(0.0, x - high + band) / band, np.maximum(0.0, low + band - x) / band
    return strength * (np.minimum(below, 10.0) ** 2 - np.minimum(above, 10.0) ** 2)


def limited(terms, dq, limits):
    """Power limit and clamp of a sum of terms: (power cut, torque)."""
    total = terms.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        allowed = np.where(total * dq > limits.power, limits.power / dq, total)
    return allowed - total, np.clip(allowed, -limits.torque, limits.torque)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.02, 0.2]), st.sampled_from([0.0, 0.3, 1.2]))
def test_agrees_with_numpy(body, seed, apart, hurry):
    rng, arm = np.random.default_rng(seed), body.arms[1]
    limits, n, chain = arm.limits, arm.chain.n, arm.chain
    course = Course(arm, rng.uniform(limits.lower, limits.upper))
    law = course.motion.torque_law
    q, dq = course.state.q.copy(), np.zeros(MAX_JOINTS)
    q[:n] += apart * rng.uniform(-1.0, 1.0, n)
    dq[:n] = hurry * limits.velocity * rng.uniform(-1.0, 1.0, n)
    course.state.velocity[:n] = rng.normal(size=n)
    logged = np.zeros((len(TERMS), MAX_JOINTS), np.float32)
    course.motion.torque(course.state, q, dq, True, course.tau, logged)
    w, dw, q, dq = course.state.reference[:n], course.state.dreference[:n], q[:n], dq[:n]
    ddw = course.state.push[:n]
    gravity = chain.bias(q, np.zeros(n))
    terms = np.stack(
        [
            law.stiffness * (w - q),
            law.damping * (dw - dq),
            gravity,
            chain.bias(q, dq) - gravity,
            np.clip(inertia_matrix(chain, q) @ ddw, -12.0, 12.0),
            reference_barrier(
                q,
                np.minimum(limits.lower, w - 0.05),
                np.maximum(limits.upper, w + 0.05),
                0.05,
                0.5 * limits.torque,
            ),
            reference_barrier(
                dq, -limits.velocity, limits.velocity, 0.25 * limits.velocity, 0.5 * limits.torque
            ),
            np.zeros(n),
        ]
    )
    cut, tau = limited(terms, dq, limits)
    assert course.tau[:n] == pytest.approx(tau, abs=1e-9)
    assert logged[:, :n] == pytest.approx(np.concatenate([terms, cut[None]]), rel=1e-6, abs=1e-5)


def test_barrier_is_zero_at_the_band_monotone_full_at_the_limit_and_grows_beyond():
    """Corrected eq. 6 of AVATRINA (verification list, item g); printed, it is K at the band's edge."""

    def at(x):
        return _kernels.barrier(x, -1.0, 1.0, 0.1, 7.0)

    assert at(0.9) == pytest.approx(0.0, abs=1e-12)
    assert at(1.0) == pytest.approx(-7.0)
    assert at(1.05) < at(1.0)
    values = np.array([at(x) for x in np.linspace(0.85, 1.2, 300)])
    assert (np.diff(values) <= 1e-12).all()
    assert at(-0.97) == pytest.approx(-at(0.97))
    assert np.isfinite(at(1e300))
    xs = np.linspace(-1.3, 1.3, 99)
    assert [at(x) for x in xs] == pytest.approx(reference_barrier(xs, -1.0, 1.0, 0.1, 7.0), abs=1e-9)


@pytest.mark.parametrize("torque", ["joint-pd", "impedance"])
@given(st.integers(0, 2**32 - 1))
def test_power_never_exceeds_its_limit(body, torque, seed):
    """AVATRINA, verification list, item h."""
    rng, arm = np.random.default_rng(seed), body.arms[0]
    limits, n = arm.limits, arm.chain.n
    course = Course(arm, rng.uniform(limits.lower, limits.upper), torque)
    dq = np.zeros(MAX_JOINTS)
    for _ in range(4):
        q = course.state.q.copy()
        q[:n] += rng.uniform(-0.3, 0.3, n)
        dq[:n] = 1.5 * limits.velocity * rng.uniform(-1.0, 1.0, n)
        course.step(rng.normal(size=n), q, dq)
        assert (course.tau[:n] * dq[:n] <= limits.power * (1 + 1e-12)).all()
        assert (np.abs(course.tau[:n]) <= limits.torque).all()


def test_power_limit_leaves_braking_alone():
    assert _kernels.power_limited(50.0, 2.0, 60.0) == 30.0
    assert _kernels.power_limited(-50.0, -2.0, 60.0) == -30.0
    assert _kernels.power_limited(-50.0, 2.0, 60.0) == -50.0
    assert _kernels.power_limited(50.0, 0.0, 60.0) == 50.0


@pytest.mark.parametrize("torque", ["joint-pd", "impedance"])
@pytest.mark.parametrize("name", TERMS)
def test_each_term_can_be_switched_off(body, torque, name):
    arm = body.arms[1]
    q = arm.home.copy()
    q[6] = arm.limits.upper[6] - 0.06  # measured nearer to the limit: in the position barrier
    logs = []
    always = ("damping",) if name == "power_cut" else ()  # which leaves no power to cut
    for off in (always, (*always, name)):
        course = Course(arm, q)
        course.motion = ArmMotion(arm, Control(torque=torque, torque_terms_off=tuple(off)))
        course.motion.init(course.state, np.append(q, 0.0))
        terms = np.zeros((len(TERMS), MAX_JOINTS), np.float32)
        measured = np.append(q, 0.0)
        measured[:6] -= 0.2  # pulled hard in the direction of motion: more power than is allowed
        measured[6] += 0.03
        dq = np.append(0.8 * arm.limits.velocity, 0.0)  # in the velocity barrier
        dq[1] *= -1.0
        course.motion.torque(course.state, measured, dq, True, course.tau, terms)
        logs.append(terms)
    row = TERMS.index(name)
    if name != "null_space" or torque == "impedance":
        assert np.abs(logs[0][row]).max() > 1e-3
    assert (logs[1][row] == 0.0).all()
    others = [k for k in range(len(TERMS) - 1) if k != row]
    assert np.array_equal(logs[0][others], logs[1][others])


def test_unknown_names_are_refused_with_the_valid_ones(body):
    assert torque_law_names() == ["impedance", "joint-pd"]
    with pytest.raises(UnknownNameError, match="impedance, joint-pd"):
        find_torque_law("joint-dp")
    with pytest.raises(UnknownNameError, match="coriolis"):
        ArmMotion(body.arms[1], Control(torque_terms_off=("corioli",)))
