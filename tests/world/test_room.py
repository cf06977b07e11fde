from __future__ import annotations

from itertools import combinations

import mujoco
import numpy as np
import pytest

from elsewhere.errors import UnknownNameError
from elsewhere.messages import SceneChanged, encode
from elsewhere.records import COMMAND, zeros
from elsewhere.world import room, things
from elsewhere.world.referee import Referee
from elsewhere.world.scenes import make_scene, scene_names
from elsewhere.world.simulation import Simulation


def test_registry_names_the_valid_scenes() -> None:
    assert "room" in scene_names()
    with pytest.raises(UnknownNameError, match="room"):
        make_scene("rom")


def corners(data: mujoco.MjData, name: str) -> np.ndarray:
    """The four corners of a block seen from above."""
    rotation = data.body(name).xmat.reshape(3, 3)[:2, :2]
    square = things.BLOCK * np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)])
    return data.body(name).xpos[:2] + square @ rotation.T


@pytest.mark.parametrize("seed", range(20))
def test_every_seed_is_free_and_within_reach(shared_simulation: Simulation, seed: int) -> None:
    simulation = shared_simulation
    simulation.reset(seed)
    data = simulation.data
    assert not any(simulation.goals().values())
    tray = data.body("tray").xpos[:2]
    half = np.array(things.TRAY_INNER) + things.TRAY_RIM
    outlines = {name: corners(data, name) for name in things.BLOCKS}
    for name in things.BLOCKS:
        x, y, z = data.body(name).xpos
        assert 0.42 <= x <= 0.62
        assert -0.385 <= y <= 0.005
        assert z == pytest.approx(things.TABLE_TOP + things.BLOCK, abs=0.001)
        outside = np.maximum(np.abs(outlines[name] - tray) - half, 0.0)
        assert np.hypot(*outside.T).min() >= room.GAP - 0.001
    for one, other in combinations(things.BLOCKS, 2):
        gaps = outlines[one][:, None] - outlines[other][None]
        assert np.hypot(gaps[..., 0], gaps[..., 1]).min() >= room.GAP - 0.001
    red = outlines["block_red"]
    low, high = red.min(axis=0), red.max(axis=0)
    for name in things.BLOCKS[1:]:
        if outlines[name][:, 0].max() > low[0] and outlines[name][:, 0].min() < high[0]:
            beside = max(outlines[name][:, 1].min() - high[1], low[1] - outlines[name][:, 1].max())
            assert beside >= room.LANE - 0.001
    assert max(tray[1] - half[1] - high[1], low[1] - tray[1] - half[1]) >= room.LANE - 0.001


@pytest.mark.parametrize("seed", [0, 7])
def test_nothing_moves_by_itself(shared_simulation: Simulation, seed: int) -> None:
    shared_simulation.reset(seed)
    data = shared_simulation.data
    names = [*things.BLOCKS, *things.CANISTERS, "tray", "peg"]
    before = {name: data.body(name).xpos.copy() for name in names}
    for _ in range(1000):
        shared_simulation.step(zeros(COMMAND))
    for name in names:
        limit = 0.004 if name == "peg" else 0.001  # the peg may lean in its hole
        assert np.linalg.norm(data.body(name).xpos - before[name]) < limit, name
    assert not any(shared_simulation.goals().values())
    assert abs(data.joint("lever").qpos[0] + things.LEVER_RANGE) < 0.05


def test_seeds_differ_in_tray_side_and_heavy_canister(shared_simulation: Simulation) -> None:
    sides, heavy = set(), set()
    for seed in range(12):
        data = shared_simulation.data
        shared_simulation.scene.place(shared_simulation.model, data, np.random.default_rng(seed))
        mujoco.mj_kinematics(shared_simulation.model, data)
        sides.add(bool(data.body("tray").xpos[1] > -0.19))
        heavy.add(bool(data.body("canister_heavy").xpos[1] > data.body("canister_light").xpos[1]))
    assert sides == heavy == {True, False}


def test_description_tells_no_secret(simulation: Simulation) -> None:
    scene = simulation.scene_description()
    names = {thing.name for thing in scene.things}
    assert {"block_red", "tray", "canister_left", "canister_right", "peg", "lever", "table"} <= names
    assert b"heavy" not in encode(SceneChanged(scene))
    half = {thing.name: thing.half_size for thing in scene.things}
    assert half["block_red"] == pytest.approx((things.BLOCK,) * 3)
    assert half["canister_left"] == pytest.approx((0.033, 0.033, 0.06))


def test_description_shows_where_the_hand_must_go(simulation: Simulation) -> None:
    data = simulation.data
    seen = {thing.name: thing for thing in simulation.scene_description().things}
    hole = seen["peg_hole"]
    goal = (things.BOARD[0], things.BOARD[1] + things.HOLES, things.TABLE_TOP + 0.5 * things.BOARD_HEIGHT)
    assert hole.position == pytest.approx(goal, abs=1e-6)
    assert hole.half_size[0] - seen["peg"].half_size[0] == pytest.approx(0.0023, abs=1e-6)  # of play a side
    handle = seen["lever_handle"]
    rod = data.body("lever").xmat.reshape(3, 3)[:, 0]
    ball = handle.position - (handle.half_size[0] - handle.half_size[2]) * rod
    assert np.allclose(ball, data.geom("lever").xpos, atol=0.001)
    axle = handle.position + handle.half_size[0] * rod
    assert np.allclose(axle, data.body("lever").xpos, atol=0.004)


def settle(simulation: Simulation, ticks: int = 400) -> None:
    for _ in range(ticks):
        simulation.step(zeros(COMMAND))


def put(simulation: Simulation, joint: str, position: np.ndarray) -> None:
    simulation.data.joint(joint).qpos[:] = (*position, 1.0, 0.0, 0.0, 0.0)
    simulation.data.joint(joint).qvel[:] = 0.0
    mujoco.mj_forward(simulation.model, simulation.data)


def test_goal_block_on_tray(simulation: Simulation) -> None:
    tray = simulation.data.body("tray").xpos.copy()
    put(simulation, "block_red", tray + np.array((0.02, 0.01, 0.06)))
    assert not simulation.goals()["block_on_tray"]
    settle(simulation)
    assert simulation.goals()["block_on_tray"]
    referee = Referee(simulation.scene, simulation.model)
    assert not referee.judge(simulation.qpos, 1)["block_on_tray"]
    assert referee.judge(simulation.qpos, 50_000_001)["block_on_tray"]


def test_goal_peg_in_hole(simulation: Simulation) -> None:
    hole = np.array((things.BOARD[0], things.BOARD[1] + things.HOLES, things.TABLE_TOP))
    put(simulation, "peg", hole + np.array((0.001, -0.001, things.PEG_HALF + things.BOARD_HEIGHT - 0.01)))
    assert not simulation.goals()["peg_in_hole"]
    settle(simulation)
    assert simulation.goals()["peg_in_hole"]


def test_the_lever_stays_on_either_side(simulation: Simulation) -> None:
    lever = simulation.data.joint("lever")
    lever.qpos[0] = 0.25
    settle(simulation)
    assert lever.qpos[0] > things.LEVER_UP
    assert simulation.goals()["lever_up"]
    lever.qpos[0] = -0.25
    settle(simulation)
    assert lever.qpos[0] < -things.LEVER_UP


def test_goal_heavy_canister_lifted(simulation: Simulation) -> None:
    up = simulation.data.body("canister_light").xpos + np.array((0.0, 0.0, 0.1))
    put(simulation, "canister_light", up)
    assert not simulation.goals()["heavy_canister_lifted"]
    up = simulation.data.body("canister_heavy").xpos + np.array((0.0, 0.0, 0.1))
    put(simulation, "canister_heavy", up)
    assert simulation.goals()["heavy_canister_lifted"]
