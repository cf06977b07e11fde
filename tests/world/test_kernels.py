"""The compiled wiring against plain NumPy, on the real model with arbitrary contents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.records import COMMAND, ROBOT_STATE, Record, zeros
from elsewhere.world import _kernels
from elsewhere.world.simulation import RANGE_LIMITS, Simulation

seeds = st.integers(0, 2**32 - 1)


def reference_state(simulation: Simulation) -> Record:
    """What `Simulation.state` tells of the robot, field by field."""
    record, wiring, data = zeros(ROBOT_STATE), simulation.wiring, simulation.data
    flat = {name: record[name].reshape(-1) for name in ROBOT_STATE.names or ()}
    qpos, qvel, sensors = data.qpos, data.qvel, data.sensordata
    flat["q"][wiring.arm_place] = qpos[wiring.arm_qpos]
    flat["dq"][wiring.arm_place] = qvel[wiring.arm_dof]
    flat["tau"][wiring.torque_place] = sensors[wiring.torque_sensor]
    flat["wrench"][wiring.wrench_place] = -sensors[wiring.wrench_sensor]
    motors = wiring.motor_actuator
    bias, gain = simulation.model.actuator_biasprm[motors], simulation.model.actuator_gainprm[motors, 0]
    share = -(bias[:, 0] + bias[:, 1] * data.actuator_length[motors]) / gain
    flat["motors"][wiring.motor_place] = np.clip(share, 0.0, 1.0)
    flat["fingertips"][wiring.tip_place] = sensors[wiring.tip_sensor]
    flat["head"][:] = qpos[wiring.head_qpos]
    record["baseline"] = qpos[wiring.eye_qpos].sum()
    flat["base"][:] = qpos[wiring.base_qpos]
    (vx, vy, wz), yaw = qvel[wiring.base_dof], qpos[wiring.base_qpos[2]]
    c, s = np.cos(yaw), np.sin(yaw)
    flat["base_twist"][:] = (c * vx + s * vy, c * vy - s * vx, wz)
    seen = sensors[wiring.range_sensor]
    flat["ranges"][wiring.range_place] = np.clip(np.where(seen < 0.0, RANGE_LIMITS[1], seen), *RANGE_LIMITS)
    return record


@settings(max_examples=100)
@given(seeds)
def test_a_state_holds_what_numpy_gathers(shared_simulation: Simulation, seed: int) -> None:
    rng, data = np.random.default_rng(seed), shared_simulation.data
    for values in (data.qpos, data.qvel, data.sensordata, data.actuator_length):
        values[:] = rng.normal(0.0, 2.0, values.shape)
    state, expected = shared_simulation.state(), reference_state(shared_simulation)
    for name in (ROBOT_STATE.names or ())[5:]:
        assert state[name] == pytest.approx(expected[name], abs=1e-9), name


def test_a_state_is_new_and_a_read_one_is_not(simulation: Simulation) -> None:
    state, read = simulation.state(), simulation.read_state()
    simulation.step(zeros(COMMAND))
    assert simulation.read_state() is read
    assert read["seq"] == state["seq"] + 1


@settings(max_examples=100)
@given(seeds, st.sampled_from([0.0, np.nan, np.inf, -np.inf]), st.integers(0, 34))
def test_controls_are_those_of_numpy(
    shared_simulation: Simulation, seed: int, bad: float, place: int
) -> None:
    rng, wiring = np.random.default_rng(seed), shared_simulation.wiring
    command = np.zeros(1, COMMAND)
    words = command.view(np.float64)
    words[2:] = rng.normal(0.0, 60.0, len(words) - 2)
    words[2 + place] += bad
    before = rng.normal(size=shared_simulation.model.nu)
    ctrl, twist = before.copy(), np.zeros(3)
    done = _kernels.obey(*wiring.obeying(), 2, len(words) - 3, words, twist, ctrl)
    assert done == bool(np.isfinite(bad))
    expected = before.copy()
    if done:
        tau = command["tau"].reshape(-1)[wiring.arm_place]
        expected[wiring.arm_actuator] = np.clip(tau, -wiring.arm_torque, wiring.arm_torque)
        expected[wiring.motor_actuator] = command["motors"].reshape(-1)[wiring.motor_place]
        expected[wiring.head_actuator] = command["head"][0]
        expected[wiring.eye_actuator] = 0.5 * command["baseline"][0]
    assert np.array_equal(ctrl, expected)
    assert np.array_equal(twist, command["base_twist"][0] if done else np.zeros(3))


@given(seeds, st.booleans(), st.booleans(), st.booleans())
def test_the_base_rolls_or_stands_as_in_numpy(seed: int, rolls: bool, standing: bool, slow: bool) -> None:
    rng = np.random.default_rng(seed)
    places = np.stack([rng.permutation(5)[:3] for _ in range(3)])
    qpos, qvel, ctrl, stand = (rng.normal(size=5) for _ in range(4))
    qvel *= 1e-3 if slow else 1.0
    stand, twist = stand[:3], rng.normal(size=3) * rolls
    here, speed, expected = qpos[places[0]], np.abs(qvel[places[1]]).max(), ctrl.copy()
    if rolls:
        c, s = np.cos(here[2]), np.sin(here[2])
        wanted = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ twist
        stood = False
    else:
        wanted = 4.0 * ((stand if standing else here) - here)
        stood = standing or speed < 0.02
    expected[places[2]] = wanted
    assert _kernels.roll(twist, standing, 4.0, 0.02, places, qpos, qvel, stand, ctrl) == stood
    assert ctrl == pytest.approx(expected, abs=1e-9)
    if not rolls:
        assert np.array_equal(stand, here) or standing
