"""The wrench on a palm from joint torques: kernel, and real loads on the simulated arm."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from elsewhere.avatar.tick import Tick
from elsewhere.records import FRAME, REQUEST, zeros
from elsewhere.touch.wrench_estimate import WrenchEstimate
from elsewhere.world.simulation import Simulation


def test_agrees_with_numpy(body):
    for arm in body.arms:
        rng, estimate = np.random.default_rng(arm.side), WrenchEstimate(arm)
        p, quat, wrench = np.zeros(3), np.zeros(4), np.zeros(6)
        for _ in range(20):
            q, tau = rng.uniform(arm.limits.lower, arm.limits.upper), 20.0 * rng.normal(size=arm.chain.n)
            estimate.step(q, tau, p, quat, wrench)
            _, position, J = arm.chain.forward(q)
            inverse = np.linalg.inv(J @ J.T + 1e-4 * np.eye(6)) @ J
            expected = -inverse @ (tau - arm.chain.bias(q, np.zeros(arm.chain.n)))
            assert wrench == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert p == pytest.approx(position, abs=1e-12)


def loaded(body, side, force):
    """The tap of an arm at rest with `force` on its palm, through the real tick and the simulation."""
    tick, sim = Tick(body), Simulation(body, "empty", 0)
    memory = tick.init(sim.state())
    frame, request = zeros(FRAME), zeros(REQUEST)
    model, data = sim.model, sim.data
    link = int(model.jnt_bodyid[model.joint(body.arms[side].joints[-1]).id])
    for _ in range(1500):
        tap = tick.step(memory, sim.state(), frame, request, sim.time_ns)
        data.xfrc_applied[:] = 0.0
        point = np.array(tap["palm_p"][side])  # the base stands at the origin
        generalised = np.zeros(model.nv)
        mujoco.mj_applyFT(model, data, np.array(force), np.zeros(3), point, link, generalised)
        data.qfrc_applied[:] = generalised
        sim.step(tap["command"])
    return tap.copy()


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("force", [(-5.0, 0.0, 0.0), (0.0, 0.0, -9.8)])
def test_loads_of_figure_19_are_felt_within_ten_percent(body, side, force):
    """AVATRINA, verification list, item k: 5 N from the front, 9.8 N from above."""
    tap = loaded(body, side, force)
    felt = tap["wrench_estimate"]
    size = np.linalg.norm(force)
    assert np.linalg.norm(felt[side, :3] - force) < 0.1 * size
    assert np.linalg.norm(felt[1 - side, :3]) < 0.1 * size
