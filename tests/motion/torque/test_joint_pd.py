"""One inner tick of an arm against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.motion.torque._kernels import DISPLACED, MOVING, REST
from elsewhere.motion.torque.joint_pd import JointPD

DT = 1e-3


def reference_motion(bounds, leash, velocity, q, dq, q_wanted, dq_wanted):
    """`advance` for all joints at once: (outcome, commanded joints, their velocities)."""
    low, high, top, a = bounds
    if (np.abs(q_wanted - q) > 0.4).any():
        return DISPLACED, q, np.zeros_like(q)
    share = np.clip((0.9 - (np.abs(dq) / top).max()) / 0.15, 0.0, 1.0)
    up, down = np.maximum(0.0, high - q_wanted), np.maximum(0.0, q_wanted - low)
    lead = (q_wanted - q) / leash
    goal = np.minimum(share * velocity, np.minimum(np.sqrt(1.8 * a * up), 2.0 * top * (1.0 - lead)))
    goal = np.maximum(goal, np.maximum(-np.sqrt(1.8 * a * down), -2.0 * top * (1.0 + lead)))
    v = dq_wanted + np.clip(np.clip(goal, -top, top) - dq_wanted, -a * DT, a * DT)
    v = np.where(v > 0.0, np.minimum(v, up / DT), np.maximum(v, -down / DT))
    return (MOVING if (np.abs(v) > 1e-4).any() else REST), q_wanted + v * DT, v


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.02, 0.2]), st.sampled_from([0.0, 0.3, 1.0]))
def test_agrees_with_numpy(body, seed, apart, hurry):
    rng, arm = np.random.default_rng(seed), body.arms[1]
    law, limits, n = JointPD(arm), arm.limits, arm.chain.n
    bounds = np.stack([limits.lower, limits.upper, limits.velocity, 0.8 * limits.acceleration])
    q = rng.uniform(limits.lower, limits.upper)
    q_wanted, dq_wanted = q + apart * rng.normal(size=n), hurry * rng.normal(size=n)
    velocity, dq = hurry * rng.normal(size=n), hurry * limits.velocity * rng.uniform(-1.0, 1.0, n)
    outcome, q_next, dq_next = reference_motion(bounds, law.leash, velocity, q, dq, q_wanted, dq_wanted)
    tau = np.zeros(n)
    assert law.step(bounds, velocity, q, dq, DT, q_wanted, dq_wanted, tau) == outcome
    assert q_wanted == pytest.approx(q_next, abs=1e-9)
    assert dq_wanted == pytest.approx(dq_next, abs=1e-9)
    expected = law.stiffness * (q_next - q) + law.damping * (dq_next - dq) + arm.chain.bias(q, dq)
    assert tau == pytest.approx(expected, abs=1e-9)
