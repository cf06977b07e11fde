"""The overlay page in a real Chromium: poses drawn, solvers, views, ratio, loss and return, camera, AR."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from overlay_relay import SOLVERS, Relay
from page_driving import State, wait_for

from elsewhere.overlay_messages import Tracked

pytestmark = pytest.mark.page

# WebGL by the processor.
FLAGS = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")

# What iwer lacks to find real surfaces: a room. This one is a bare floor.
FLOOR = """
  class Floor {
    environmentCanvas = document.createElement('canvas');
    trackedPlanes = new Set();
    trackedMeshes = new Set();
    render() {}
    computeHitTestResults(ray) {
      const [dx, dy, dz] = [-ray[8], -ray[9], -ray[10]];
      if (dy > -0.05) return [];
      const far = -ray[13] / dy;
      return [new Float32Array([1,0,0,0, 0,1,0,0, 0,0,1,0, ray[12] + far * dx, 0, ray[14] + far * dz, 1])];
    }
  }
  window.xrDevice.installSEM(Floor);
"""


class Viewer:
    """One viewer's page."""

    def __init__(self, page: Any, relay: Relay) -> None:
        self.page, self.relay = page, relay

    @property
    def state(self) -> State:
        """What the page knows now."""
        state: State = self.page.evaluate("window.elsewhere.state")
        return state

    def wait(self, predicate: Callable[[State], Any], what: str) -> State:
        """Until the page shows it."""
        return wait_for(self.page, predicate, what)

    def drawn(self, more: int = 3) -> State:
        """After so many more pictures."""
        before = self.state["frames"]
        return self.wait(lambda s: s["frames"] >= before + more, f"{more} more pictures")

    def seen(self) -> State:
        """Once the human is wholly there."""
        return self.wait(lambda s: s["opacity"] == 1 and s["accepted"] > 3, "the human")

    def text(self, selector: str) -> str:
        """What an element says."""
        return str(self.page.text_content(selector))


@pytest.fixture(scope="module")
def relay() -> Iterator[Relay]:
    with Relay() as running:
        yield running


@pytest.fixture(scope="module")
def page(relay: Relay, browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 560, "height": 320})
    page = context.new_page()
    page.goto(f"{relay.url}overlay.html?emulate-xr", wait_until="domcontentloaded")
    yield page
    context.close()


@pytest.fixture
def viewer(page: Any, relay: Relay) -> Iterator[Viewer]:
    """The page with all well, and left so."""
    viewer = Viewer(page, relay)
    viewer.seen()
    yield viewer
    relay.fault, relay.silent, relay.broken, relay.backwards, relay.marker = "", False, None, False, None


def test_poses_are_drawn_and_their_age_is_told(viewer: Viewer) -> None:
    before = viewer.state["sequence"]
    state = viewer.wait(
        lambda s: s["sequence"] > before + 5 and s["ageMs"] is not None, "poses with an age"
    )
    assert state["connection"] == "live"
    assert state["solvers"] == SOLVERS
    assert state["solver"] == "onia"
    assert state["ageMs"]["p50"] > 0
    assert "OverlayHello" in viewer.relay.heard
    assert viewer.text("#connection") == "Live"
    viewer.wait(lambda _: viewer.text("#metrics tr:nth-child(5) td") == "ok", "metrics")
    # The wrists of the drawn human are where the solver put them: on the robot's.
    left, right = state["wrists"]
    assert 0.2 < left[1] < 0.6
    assert -0.6 < right[1] < -0.2
    assert 0.9 < left[2] < 1.6


def test_keys_switch_the_solver_and_nothing_else(viewer: Viewer) -> None:
    before = viewer.state
    viewer.page.keyboard.press("3")
    state = viewer.drawn()
    assert state["solver"] == "fabrik"
    assert viewer.page.is_checked("input[value=fabrik]")
    viewer.wait(lambda _: viewer.text("#metrics tr:nth-child(5) td") == "held", "that solver's metrics")
    assert viewer.text("#metrics tr:nth-child(2) td") == "27"
    assert (state["view"], state["eye"], state["opacity"]) == (before["view"], before["eye"], 1)
    viewer.page.keyboard.press("1")
    assert viewer.drawn()["solver"] == "onia"


def test_the_eye_moves_by_mouse_wheel_and_keys(viewer: Viewer) -> None:
    page = viewer.page
    front = viewer.state["eye"]
    box = page.locator("#view").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 200, steps=3)
    page.mouse.up()
    dragged = viewer.state["eye"]
    assert dragged[1] < front[1] - 0.2
    page.mouse.wheel(0, 200)
    viewer.wait(lambda s: math.dist(s["eye"], dragged) > 0.1, "a step back")
    page.locator("#view").focus()
    page.keyboard.press("ArrowRight")
    assert viewer.state["eye"][1] > dragged[1]
    page.keyboard.press("s")
    assert viewer.state["eye"][1] < -1.0
    page.click("[data-preset=front]")
    assert math.dist(viewer.state["eye"], front) < 1e-6


def test_classes_show_the_overlay_ratio(viewer: Viewer) -> None:
    page = viewer.page
    page.check("input[name=view][value=classes]", force=True)
    state = viewer.wait(lambda s: s["shares"]["ratio"] > 0.3, "a ratio")
    assert state["shares"]["uncovered"] > 0
    assert state["shares"]["human"] > 0
    assert page.is_visible("#legend")
    viewer.wait(lambda _: float(viewer.text("#ratio")) > 0.3, "the ratio on the page")
    for view in ("human", "robot", "through", "over"):
        page.check(f"input[name=view][value={view}]", force=True)
        assert viewer.drawn()["view"] == view
    assert not page.is_visible("#legend")


def test_old_and_broken_poses_are_ignored(viewer: Viewer) -> None:
    viewer.relay.backwards = True
    refused = viewer.state["refused"]
    viewer.wait(lambda s: s["refused"] > refused + 3, "old poses refused")
    viewer.relay.backwards = False
    viewer.seen()
    viewer.relay.broken = 0
    viewer.wait(lambda s: "no sound pose" in s["alarm"], "a word about it")
    state = viewer.state
    assert all(math.isfinite(x) for wrist in state["wrists"] for x in wrist)
    viewer.page.keyboard.press("2")
    viewer.wait(lambda s: s["alarm"] == "", "another solver that works")
    viewer.page.keyboard.press("1")


def test_a_fault_holds_then_hides_the_human(viewer: Viewer) -> None:
    viewer.relay.fault = "the left arm does not answer"
    viewer.wait(lambda s: "The left arm does not answer." in s["alarm"], "the fault")
    viewer.wait(lambda _: viewer.page.is_visible("#sign"), "a sign")
    viewer.wait(lambda s: s["opacity"] == 0, "the human gone")
    viewer.wait(lambda _: viewer.text("#ratio") == "–", "no ratio of nobody")
    viewer.relay.fault = ""
    viewer.seen()
    viewer.wait(lambda _: not viewer.page.is_visible("#sign"), "no sign")


def test_a_silent_robot_hides_the_human(viewer: Viewer) -> None:
    viewer.relay.silent = True
    viewer.wait(lambda s: s["opacity"] == 0 and "No poses" in s["alarm"], "the human gone")
    viewer.relay.silent = False
    viewer.seen()


def test_the_page_comes_back_by_itself(viewer: Viewer) -> None:
    viewer.page.keyboard.press("4")
    accepted = viewer.state["accepted"]
    viewer.relay.drop()
    state = viewer.wait(
        lambda s: s["connection"] == "live" and s["accepted"] > accepted, "a new connection"
    )
    assert state["solver"] == "bounded", "the choice was forgotten"
    viewer.page.keyboard.press("1")


def test_the_marker_stands_the_human_into_the_camera_picture(viewer: Viewer) -> None:
    page, relay = viewer.page, viewer.relay
    pictures = relay.pictures
    page.check("input[name=background][value=camera]", force=True)
    viewer.wait(lambda s: s["marker"]["answers"] > 1, "answers of the tracker")
    assert relay.pictures > pictures
    viewer.wait(lambda s: s["opacity"] == 0, "nobody, where no marker is seen")
    assert "marker" in viewer.text("#sign-text")
    # The base two metres ahead, its x axis to the camera, its z axis up.
    relay.marker = Tracked(0, True, (0.0, 1.2, 2.0), (0.5, 0.5, -0.5, -0.5), 0.2)
    viewer.wait(lambda s: s["marker"]["found"] and s["opacity"] == 1, "the human in the picture")
    relay.marker = None
    viewer.wait(lambda s: s["opacity"] == 0, "the human gone with the marker")
    page.check("input[name=background][value=robot]", force=True)
    viewer.seen()


def test_ar_places_turns_and_ends(viewer: Viewer) -> None:
    page = viewer.page
    page.evaluate(FLOOR)
    do = page.evaluate
    # A person of 1.6 m who looks at the floor, half down.
    do("xrDevice.position.set(0, 1.6, 0); xrDevice.quaternion.set(-Math.sin(0.35), 0, 0, Math.cos(0.35));")
    page.click("#enter-ar")
    state = viewer.wait(
        lambda s: s["ar"] and s["ar"]["placing"] and s["opacity"] == 0, "a session, nobody placed"
    )
    viewer.drawn()
    for value in (1, 0):
        do(f"xrDevice.controllers.right.updateButtonValue('trigger', {value})")
        viewer.drawn()
    state = viewer.wait(lambda s: s["ar"]["placed"] and s["ar"]["anchored"], "a place, anchored")
    x, y, z = state["ar"]["at"]
    assert abs(y) < 0.02
    assert abs(x) < 0.05
    assert z == pytest.approx(-1.6 / math.tan(0.7), abs=0.1)
    # It faces the viewer, who stands at +z of it: its x axis is (-sin yaw, -cos yaw).
    assert math.cos(state["ar"]["yaw"]) < -0.99
    viewer.wait(lambda s: s["opacity"] == 1, "the human in the room")
    do("xrDevice.controllers.right.updateAxes('thumbstick', 1, 0)")
    viewer.wait(lambda s: abs(s["ar"]["yaw"] - state["ar"]["yaw"]) > 0.1, "a turn")
    do("xrDevice.controllers.right.updateAxes('thumbstick', 0, 0)")
    before = viewer.drawn()["ar"]["at"]
    page.click("#ar-up")
    viewer.wait(lambda s: s["ar"]["at"][1] > before[1] + 0.005, "a nudge")
    kept = viewer.drawn()["ar"]
    page.click("#ar-leave")
    viewer.wait(lambda s: s["ar"] is None, "the end")
    viewer.drawn()
    page.click("#enter-ar")
    again = viewer.wait(lambda s: s["ar"]["placed"], "the place of the visit before")
    assert again["ar"]["at"] == pytest.approx(kept["at"], abs=1e-3)
    do("xrDevice.activeSession.end()")
    viewer.wait(lambda s: s["ar"] is None, "the end")
    viewer.seen()


def test_a_human_that_does_not_fit_is_named(relay: Relay, browser: Any) -> None:
    good, relay.human = relay.human, relay.human.replace(b'"left_hand"', b'"left_hook"')
    context = browser.new_context(viewport={"width": 400, "height": 300})
    try:
        viewer = Viewer(context.new_page(), relay)
        viewer.page.goto(f"{relay.url}overlay.html", wait_until="domcontentloaded")
        viewer.wait(lambda s: "no joint left_hand" in s["alarm"], "the missing joint")
    finally:
        relay.human = good
        context.close()
