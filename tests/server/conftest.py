from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import mujoco
import pytest
from server_stage import RIG, Stage

from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.rig import Rig, parse_rig
from elsewhere.world.simulation import Simulation

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "link"))


@pytest.fixture(scope="session")
def avatar() -> tuple[Rig, Body, mujoco.MjModel]:
    rig = parse_rig(RIG)
    body = compose(rig)
    return rig, body, Simulation(body).model


@pytest.fixture
async def stage(avatar: tuple[Rig, Body, mujoco.MjModel]) -> AsyncIterator[Stage]:
    stage = Stage(*avatar)
    await stage.start()
    yield stage
    await stage.stop()
