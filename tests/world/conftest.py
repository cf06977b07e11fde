from __future__ import annotations

import numpy as np
import pytest

from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.records import COMMAND, Record, zeros
from elsewhere.rig import load_rig
from elsewhere.world.simulation import Simulation


@pytest.fixture(scope="session")
def body() -> Body:
    return compose(load_rig("commodity"))


@pytest.fixture(scope="session")
def shared_simulation(body: Body) -> Simulation:
    """One compiled model for the whole session: every test resets it."""
    return Simulation(body)


@pytest.fixture
def simulation(shared_simulation: Simulation) -> Simulation:
    shared_simulation.time_ns = 0
    shared_simulation.reset(0)
    return shared_simulation


def gravity_command(simulation: Simulation, seq: int) -> Record:
    """What a controller that only carries the arms' weight would send."""
    command = zeros(COMMAND)
    wiring, data = simulation.wiring, simulation.data
    command["seq"], command["made_ns"] = seq, simulation.time_ns
    command["tau"].reshape(-1)[wiring.arm_place] = (
        data.qfrc_bias[wiring.arm_dof] - 4.0 * data.qvel[wiring.arm_dof]
    )
    command["head"] = np.radians(simulation.body.rig.control.head_home_deg)
    command["baseline"] = 0.063
    return command
