"""The overlay page in a real Chromium before a real avatar: robot, relay, solvers, human and page."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest
from page_driving import wait_for

from elsewhere.bodies.human.make import make_human
from elsewhere.lab.running import RunningAvatar
from elsewhere.motion.align.dress import dress
from elsewhere.rig import load_rig

pytestmark = pytest.mark.page

# WebGL by the processor.
FLAGS = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")


@pytest.fixture(scope="module")
def avatar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningAvatar]:
    rig = tmp_path_factory.mktemp("rig") / "overlay.toml"
    rig.write_text(load_rig("overlay").path.read_text())
    with RunningAvatar(str(rig), arguments=("--no-record", "--script", "wave")) as running:
        yield running


@pytest.fixture(scope="module")
def page(avatar: RunningAvatar, browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 560, "height": 320})
    page = context.new_page()
    page.goto(f"{avatar.url}overlay.html", wait_until="domcontentloaded")
    wait_for(page, lambda s: s["opacity"] == 1 and s["frames"] > 3, "the human")
    yield page
    context.close()


def matrix(q: list[float]) -> Any:
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array(q))
    return R.reshape(3, 3)


def test_every_joint_is_where_python_dresses_it(page: Any) -> None:
    human = make_human()
    drawn = page.evaluate("window.elsewhere.pose()")
    solved = drawn["frame"]["solved"][drawn["solver"]]
    T_body = np.eye(4)
    T_body[:3, :3], T_body[:3, 3] = matrix(solved["body_q"]), solved["body_p"]
    poses = [
        SimpleNamespace(
            R_shoulder=matrix(arm["shoulder_q"]),
            R_elbow=matrix(arm["elbow_q"]),
            R_wrist=matrix(arm["wrist_q"]),
            stretch_upper=arm["stretch_upper"],
            stretch_fore=arm["stretch_fore"],
        )
        for arm in solved["arms"]
    ]
    expected = dress(human, T_body, poses, drawn["frame"]["fingers"])
    assert set(drawn["joints"]) == {joint.name for joint in human.joints}
    for joint, there in zip(human.joints, expected, strict=True):
        got = np.reshape(drawn["joints"][joint.name], (4, 4)).T
        assert got == pytest.approx(there, abs=1e-6)


def test_the_elbows_of_onia_are_on_the_robots(page: Any) -> None:
    frame = page.evaluate("window.elsewhere.pose()")["frame"]
    onia = frame["solved"][0]
    assert all(arm["elbow_off"] < 1e-9 and arm["wrist_off"] < 1e-9 for arm in onia["arms"])


def test_poses_go_on_coming_and_the_ratio_is_told(page: Any) -> None:
    before = page.evaluate("window.elsewhere.state")
    wait_for(page, lambda s: s["sequence"] > before["sequence"] + 20, "newer poses")
    state = wait_for(page, lambda s: s["shares"] is not None, "the ratio")
    assert 0.5 < state["shares"]["ratio"] <= 1.0


def test_a_second_viewer_comes_late_and_sees_the_same_robot(avatar: RunningAvatar, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 240})
    late = context.new_page()
    late.goto(f"{avatar.url}overlay.html", wait_until="domcontentloaded")
    wait_for(late, lambda s: s["opacity"] == 1 and s["accepted"] > 3, "the human")
    context.close()
