from __future__ import annotations

import numpy as np
import pytest

from elsewhere.avatar.drivers.simulated import SimulatedRobot
from elsewhere.records import COMMAND, zeros
from elsewhere.world.simulation import RANGE_LIMITS, Simulation

from .conftest import gravity_command


def wiggle(simulation: Simulation, ticks: int) -> np.ndarray:
    rng = np.random.default_rng(7)
    for seq in range(1, ticks + 1):
        command = gravity_command(simulation, seq)
        command["tau"][:, :7] += rng.normal(0.0, 1.0, (2, 7))
        command["motors"] = 0.5
        simulation.step(command)
    return simulation.qpos


def test_equal_seeds_give_equal_trajectories(simulation: Simulation) -> None:
    first = wiggle(simulation, 150)
    state = simulation.state()
    simulation.time_ns = 0
    simulation.reset(0)
    assert np.array_equal(wiggle(simulation, 150), first)
    again = simulation.state()
    for name in ("q", "dq", "tau", "wrench", "motors", "ranges", "base", "command_seq"):
        assert np.array_equal(again[name], state[name]), name


def test_a_step_is_one_millisecond(simulation: Simulation) -> None:
    seq = int(simulation.state()["seq"])
    for _ in range(5):
        simulation.step(zeros(COMMAND))
    state = simulation.state()
    assert state["sampled_ns"] == 5_000_000
    assert state["seq"] == seq + 5


def test_reset_restores(simulation: Simulation) -> None:
    start = simulation.qpos
    resets = simulation.resets
    wiggle(simulation, 100)
    assert not np.array_equal(simulation.qpos, start)
    simulation.reset(0)
    assert np.array_equal(simulation.qpos, start)
    assert simulation.resets == resets + 1
    simulation.reset(3)
    assert simulation.scene_description().seed == 3
    assert not np.array_equal(simulation.qpos, start)


def test_reset_can_refuse_commands_from_before(simulation: Simulation) -> None:
    simulation.reset(0, command_seq=50)
    simulation.step(gravity_command(simulation, 50))
    assert simulation.state()["command_seq"] == 50
    assert simulation.state()["firmware"] == 2
    simulation.step(gravity_command(simulation, 51))
    assert simulation.state()["firmware"] == 0


def test_wrench_is_the_weight_of_the_hand_at_rest(simulation: Simulation) -> None:
    for _ in range(300):
        simulation.step(zeros(COMMAND))
    state, model, data = simulation.state(), simulation.model, simulation.data
    for side, name in enumerate(("left", "right")):
        site = model.site(f"{name}_wrist_sensor")
        mass = model.body_subtreemass[site.bodyid[0]]
        force = data.site(site.id).xmat.reshape(3, 3) @ state["wrench"][side, :3]
        assert force == pytest.approx([0.0, 0.0, -9.81 * mass], abs=0.05 * 9.81 * mass)


def test_wrench_shows_a_push_on_the_hand(simulation: Simulation) -> None:
    for _ in range(200):
        simulation.step(zeros(COMMAND))
    before = simulation.state()["wrench"][1].copy()
    site = simulation.model.site("right_wrist_sensor")
    push = np.array([0.0, 5.0, 0.0])  # N, in the room, at the hand's centre of mass
    for _ in range(400):
        simulation.data.xfrc_applied[site.bodyid[0], :3] = push
        simulation.step(zeros(COMMAND))
    R_room_sensor = simulation.data.site(site.id).xmat.reshape(3, 3)
    felt = R_room_sensor @ (simulation.state()["wrench"][1] - before)[:3]
    simulation.data.xfrc_applied[:] = 0.0
    assert felt == pytest.approx(push, abs=0.6)


def test_motors_follow_their_command(simulation: Simulation) -> None:
    for seq in range(1, 801):
        command = gravity_command(simulation, seq)
        command["motors"][:] = 0.6
        simulation.step(command)
    motors = simulation.state()["motors"]
    for side, hand in enumerate(simulation.body.hands):
        if hand:
            assert motors[side, : len(hand.motors)] == pytest.approx(0.6, abs=0.08)
            assert (motors[side, len(hand.motors) :] == 0.0).all()


def test_head_and_baseline_follow_their_command(simulation: Simulation) -> None:
    state = simulation.state()
    home = np.radians(simulation.body.rig.control.head_home_deg)
    assert state["head"] == pytest.approx(home, abs=0.02)
    for seq in range(1, 801):
        command = gravity_command(simulation, seq)
        command["head"], command["baseline"] = (0.3, 0.4, -0.1), 0.055
        simulation.step(command)
    state = simulation.state()
    assert state["head"] == pytest.approx([0.3, 0.4, -0.1], abs=0.03)
    assert state["baseline"] == pytest.approx(0.055, abs=0.001)


def test_ranges_stay_within_what_the_finders_can_tell(simulation: Simulation) -> None:
    ranges = simulation.state()["ranges"]
    assert (ranges >= RANGE_LIMITS[0]).all()
    assert (ranges <= RANGE_LIMITS[1]).all()
    assert ranges[1] == pytest.approx(2.1, abs=0.05)  # the left wall


def test_simulated_robot_steps_in_lockstep(simulation: Simulation) -> None:
    robot = SimulatedRobot(simulation.body, simulation)
    before = robot.read()
    sent = robot.write(gravity_command(simulation, 1))
    after = robot.read()
    assert sent["seq"] == 1
    assert after["sampled_ns"] - before["sampled_ns"] == 1_000_000
    assert after["command_seq"] == 1
