from __future__ import annotations

import numpy as np
import pytest

from elsewhere.records import COMMAND, zeros
from elsewhere.status import Firmware
from elsewhere.world.firmware import REUSE_TICKS
from elsewhere.world.simulation import Simulation

from .conftest import gravity_command


def run(simulation: Simulation, ticks: int, first: int = 1) -> int:
    for seq in range(first, first + ticks):
        simulation.step(gravity_command(simulation, seq))
    return first + ticks - 1


def test_starts_braked_at_home(simulation: Simulation) -> None:
    state = simulation.state()
    assert state["firmware"] == Firmware.BRAKED
    assert state["command_seq"] == 0
    for side, arm in enumerate(simulation.body.arms):
        if arm:
            assert np.abs(state["q"][side, : len(arm.joints)] - arm.home).max() < 0.01


def test_fresh_commands_run(simulation: Simulation) -> None:
    last = run(simulation, 30)
    state = simulation.state()
    assert state["firmware"] == Firmware.RUNNING
    assert state["command_seq"] == last


def test_reuses_twenty_ticks_then_brakes(simulation: Simulation) -> None:
    run(simulation, 5)
    old = gravity_command(simulation, 5)
    for _ in range(REUSE_TICKS):
        simulation.step(old)
        assert simulation.state()["firmware"] == Firmware.REUSING
    simulation.step(old)
    assert simulation.state()["firmware"] == Firmware.BRAKED


def test_reuse_applies_the_last_torque(simulation: Simulation) -> None:
    run(simulation, 5)
    before = simulation.data.ctrl[simulation.wiring.arm_actuator].copy()
    stale = zeros(COMMAND)
    stale["seq"], stale["tau"] = 3, 5.0
    simulation.step(stale)
    assert np.array_equal(simulation.data.ctrl[simulation.wiring.arm_actuator], before)
    assert simulation.state()["command_seq"] == 5


def test_holds_still_within_a_centimetre_and_recovers(simulation: Simulation) -> None:
    # Let it move first, so that there is something to brake.
    for seq in range(1, 151):
        command = gravity_command(simulation, seq)
        command["tau"][:, 3] += 2.0
        command["base_twist"] = (-0.3, 0.0, 0.2)
        simulation.step(command)
    for _ in range(200):
        simulation.step(command)
    data = simulation.data
    palms = [data.site(f"{side}_palm").xpos.copy() for side in ("left", "right")]
    for _ in range(2000):
        simulation.step(command)
    for side, palm in zip(("left", "right"), palms, strict=True):
        assert np.linalg.norm(data.site(f"{side}_palm").xpos - palm) < 0.01
    assert np.abs(simulation.state()["base_twist"]).max() < 1e-3
    assert simulation.state()["firmware"] == Firmware.BRAKED
    run(simulation, 3, first=151)
    assert simulation.state()["firmware"] == Firmware.RUNNING


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("field", ["tau", "motors", "head", "baseline", "base_twist"])
def test_refuses_what_is_not_finite(simulation: Simulation, field: str, bad: float) -> None:
    run(simulation, 3)
    command = gravity_command(simulation, 4)
    if command[field].shape:
        command[field].reshape(-1)[0] = bad
    else:
        command[field] = bad
    simulation.step(command)
    state = simulation.state()
    assert state["firmware"] == Firmware.REUSING
    assert state["command_seq"] == 3
    assert np.isfinite(simulation.data.ctrl).all()
    simulation.step(gravity_command(simulation, 4))
    assert simulation.state()["command_seq"] == 4


def test_clamps_torque(simulation: Simulation) -> None:
    command = zeros(COMMAND)
    command["seq"], command["tau"] = 1, 1e4
    simulation.step(command)
    assert np.array_equal(
        simulation.data.ctrl[simulation.wiring.arm_actuator], simulation.wiring.arm_torque
    )


def test_base_twist_is_in_the_base_frame(simulation: Simulation) -> None:
    simulation.data.joint("base_x").qpos[0] = -0.6
    simulation.data.joint("base_yaw").qpos[0] = np.pi / 2
    for seq in range(1, 301):
        command = gravity_command(simulation, seq)
        command["base_twist"] = (0.2, 0.0, 0.0)
        simulation.step(command)
    state = simulation.state()
    assert state["base_twist"] == pytest.approx([0.2, 0.0, 0.0], abs=0.02)
    assert state["base"][1] > 0.03  # forward is the room's y now
    assert abs(state["base"][0] + 0.6) < 0.01
