"""What an operator sees when a part of the avatar dies, and that driving goes on by itself afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from page_driving import Cockpit, State, palm, shown

from elsewhere.lab.running import CONTROL, RunningAvatar
from elsewhere.records import ROBOT_STATE
from elsewhere.shared import Slot
from elsewhere.status import Firmware

pytestmark = pytest.mark.page


@pytest.fixture(scope="module")
def avatar() -> Iterator[RunningAvatar]:
    """The default avatar, which tests end and start again, always at the same address."""
    running = RunningAvatar("commodity", arguments=("--no-record",))
    running.__enter__()
    yield running
    running.close()


def drive_up(cockpit: Cockpit) -> State:
    """Take the right hand and raise it a little: proof that this page drives."""
    with cockpit.holding("Space"):
        start = palm(cockpit.await_clutch())
        with cockpit.holding("KeyU"):
            return cockpit.wait(lambda s: palm(s)[2] - start[2] > 0.02, "a raised hand")


def kill_all(avatar: RunningAvatar) -> None:
    """End every process of the avatar at once, without a word, and clear away what they left."""
    for process in avatar.processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    shutil.rmtree(avatar.folder, ignore_errors=True)
    avatar.close()


def control_process(avatar: RunningAvatar) -> int:
    """The process of the control loop."""
    for process in avatar.processes:
        with contextlib.suppress(OSError):
            if CONTROL in Path(f"/proc/{process}/cmdline").read_text().split("\0"):
                return process
    raise AssertionError("There is no control process.")


def test_a_dead_controller_is_replaced(driving: Cockpit, avatar: RunningAvatar) -> None:
    drive_up(driving)
    robot = Slot(avatar.folder / "state", ROBOT_STATE)
    joints = robot.read()["q"].copy()
    dead = control_process(avatar)
    driving.hold("Space")
    driving.await_clutch()
    os.kill(dead, signal.SIGKILL)
    driving.wait(lambda _: robot.read()["firmware"] == Firmware.BRAKED, "the robot to brake by itself")
    text = shown(driving.page, "#toasts [data-code=control_restarted]")
    assert "control process" in text
    held = robot.read()
    assert np.abs(held["q"] - joints).max() < 0.05, "the arms fell or jumped"
    driving.wait(lambda _: robot.read()["firmware"] == Firmware.RUNNING, "a new controller")
    assert control_process(avatar) != dead
    assert np.abs(robot.read()["q"] - joints).max() < 0.05, "the new controller moved the arms"
    driving.let_go()
    state = driving.await_driving()
    assert "control_restarted" in [event["code"] for event in state["events"]]
    driving.await_clutch(taken=False)
    drive_up(driving)


def test_a_stop_outlives_the_controller(driving: Cockpit, avatar: RunningAvatar) -> None:
    """Stopped, resumed, stopped: a new controller must not take the old resume for its own."""
    page = driving.page
    page.keyboard.press("KeyX")
    driving.wait(lambda s: s["mode"] == "stopped", "a stop")
    page.keyboard.press("Enter")
    driving.await_driving()
    page.keyboard.press("KeyX")
    before = driving.wait(lambda s: s["mode"] == "stopped", "a stop")
    os.kill(control_process(avatar), signal.SIGKILL)
    notices = [event["code"] for event in before["events"]].count("control_restarted")
    driving.wait(
        lambda s: [event["code"] for event in s["events"]].count("control_restarted") > notices,
        "the notice of the new controller",
    )
    state = driving.after_frames()
    assert state["mode"] == "stopped", "a dead controller's stop was forgotten"
    page.keyboard.press("Enter")
    driving.await_driving()
    drive_up(driving)


@pytest.mark.parametrize("how", ["killed", "ended"])
def test_the_page_comes_back_by_itself(driving: Cockpit, avatar: RunningAvatar, how: str) -> None:
    page = driving.page
    driving.hold("Space")
    first = driving.await_clutch()["welcome"]["session"]
    if how == "killed":
        kill_all(avatar)
    else:
        avatar.close()
    driving.wait(lambda s: s["connection"] == "lost" and s["role"] == "none", "the loss")
    assert "holds still" in shown(page, "#veil-text")
    assert page.is_disabled("#stop")
    driving.let_go()
    avatar.__enter__()
    state = driving.await_driving()
    assert state["welcome"]["session"] != first
    assert not state["clutched"]["right"]
    driving.wait(lambda s: s["fps"] > 3, "pictures")
    assert page.is_hidden("#veil")
    drive_up(driving)
