from __future__ import annotations

from pathlib import Path

import numpy as np

from elsewhere.avatar.drivers.simulated import SharedRobot
from elsewhere.records import REQUEST, scene_record, zeros
from elsewhere.shared import Slot
from elsewhere.status import Firmware
from elsewhere.world.process import World
from elsewhere.world.simulation import Simulation

from .conftest import gravity_command


def test_world_talks_through_its_slots(simulation: Simulation, tmp_path: Path) -> None:
    world = World(simulation, tmp_path)
    robot = SharedRobot(simulation.body, tmp_path)
    world.tick(1_000)
    assert robot.read()["sampled_ns"] == 1_000
    assert robot.read()["firmware"] == Firmware.BRAKED
    robot.write(gravity_command(simulation, 1))
    world.tick(2_000)
    assert robot.read()["command_seq"] == 1
    assert robot.read()["firmware"] == Firmware.RUNNING
    scene = Slot(tmp_path / "scene", scene_record(simulation.model.nq))
    assert scene.version == 2  # every tick
    for now in range(3, 7):
        world.tick(now * 1_000)
    assert scene.version == 6
    assert scene.read()["sampled_ns"] == 6_000
    assert np.array_equal(scene.read()["qpos"].shape, simulation.qpos.shape)


def test_world_serves_a_reset_once(simulation: Simulation, tmp_path: Path) -> None:
    world = World(simulation, tmp_path)
    robot = SharedRobot(simulation.body, tmp_path)
    request = Slot(tmp_path / "request", REQUEST)
    robot.write(gravity_command(simulation, 9))
    world.tick(1)
    resets = simulation.resets
    asked = zeros(REQUEST)
    asked["reset"], asked["seed"] = 1, 4
    request.write(asked)
    for now in range(2, 6):
        world.tick(now)
    assert simulation.resets == resets + 1
    assert simulation.seed == 4
    # The command from before the reset is not applied again; a newer one is.
    assert robot.read()["firmware"] == Firmware.BRAKED
    robot.write(gravity_command(simulation, 10))
    world.tick(9)
    assert robot.read()["firmware"] == Firmware.RUNNING
