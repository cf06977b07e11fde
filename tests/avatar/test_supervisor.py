"""The processes of an avatar: the robot outlives its controller, and what died is started again."""

from __future__ import annotations

import os
import signal
import time

import pytest

from elsewhere.avatar.supervisor import Supervisor
from elsewhere.status import Firmware
from elsewhere.world.scenes import make_scene
from elsewhere.world.simulation import assemble

pytestmark = pytest.mark.stack


def wait(condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in time"
        time.sleep(0.005)


def test_the_robot_brakes_when_its_controller_is_killed_and_obeys_the_next_one(rig, body):
    notices = []
    nq = assemble(body, make_scene("room")).nq
    with Supervisor(rig, nq=nq, notify=lambda *notice: notices.append(notice)) as avatar:
        folder = avatar.folder
        wait(lambda: int(avatar.state.read()["firmware"]) == Firmware.RUNNING)
        home = avatar.state.read()["q"].copy()
        applied = int(avatar.state.read()["command_seq"])
        os.kill(avatar.processes["control"].pid, signal.SIGKILL)
        wait(lambda: int(avatar.state.read()["firmware"]) == Firmware.BRAKED)
        assert abs(avatar.state.read()["q"] - home).max() < 0.02
        wait(lambda: int(avatar.state.read()["firmware"]) == Firmware.RUNNING)
        assert int(avatar.state.read()["command_seq"]) > applied
        assert abs(avatar.state.read()["q"] - home).max() < 0.02
        assert [notice[1] for notice in notices] == ["control_restarted"]
        pids = [process.pid for process in avatar.processes.values()]
    assert not folder.exists()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_world_is_started_again_too(rig, body):
    nq = assemble(body, make_scene("room")).nq
    with Supervisor(rig, nq=nq) as avatar:
        before = int(avatar.state.read()["seq"])
        os.kill(avatar.processes["world"].pid, signal.SIGKILL)
        wait(lambda: 0 < int(avatar.state.read()["seq"]) < before + 1)
        wait(lambda: int(avatar.state.read()["firmware"]) == Firmware.RUNNING)
