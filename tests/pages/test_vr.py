"""The operator page in a headset: an emulated one, whose controllers are moved as a person moves them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from page_driving import Cockpit, State, digest, palm, shown, target, turn

from elsewhere.lab.running import RunningAvatar

pytestmark = pytest.mark.page

# WebGL by the processor, for the headset's view alone: the page itself is painted without it.
FLAGS = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")
STEP = 0.05  # metres
ASIDE = 0.025


class Headset(Cockpit):
    """An operator's page with an emulated headset (iwer). WebXR: x right, y up, -z forward."""

    def enter(self, button: str) -> State:
        """Put the headset on."""
        self.page.click(button)
        self.wait(lambda s: s["vr"] and s["lastFrame"]["right"]["tracked"], "a session in the headset")
        return self.await_driving()

    def do(self, script: str) -> None:
        """Move the device `xr`."""
        self.page.evaluate(f"(() => {{ const xr = window.xrDevice; {script} }})()")

    def press(self, button: str, value: float, side: str = "right") -> None:
        """Press a button of a controller, from 0 to 1."""
        self.do(f"xr.controllers.{side}.updateButtonValue('{button}', {value});")

    def reach(self, right: float, up: float, back: float, side: str = "right") -> None:
        """Move a controller by metres."""
        self.do(f"const p = xr.controllers.{side}.position;p.set(p.x + {right}, p.y + {up}, p.z + {back});")

    def squeeze(self, side: str = "right") -> State:
        """Take a hand. The page lets go by itself when the headset stalls; then squeeze anew."""
        state = self.state
        for _ in range(20):
            if state["clutched"][side] and state["lastState"][side]["clutched"]:
                return state
            self.press("squeeze", 0, side)
            self.after_frames(5)
            self.press("squeeze", 1, side)
            state = self.after_frames(10)
        raise AssertionError(f"The {side} hand cannot be taken: {digest(state)}")

    def let_go(self) -> None:
        """No button is held any more, and no stick is tilted."""
        self.do(
            "for (const hand of Object.values(xr.controllers)) {"
            "  for (const id of ['squeeze', 'trigger']) hand.updateButtonValue(id, 0);"
            "  hand.updateAxes('thumbstick', 0, 0); }"
        )


@pytest.fixture(scope="module")
def cockpit(avatar: RunningAvatar, browser: Any) -> Iterator[Headset]:
    """The page with the emulated headset, which was put on from the greeting."""
    context = browser.new_context(viewport={"width": 320, "height": 240})
    headset = Headset(context.new_page())
    headset.page.goto(f"{avatar.url}?emulate-xr", wait_until="domcontentloaded")
    headset.enter("#welcome-vr")
    yield headset
    context.close()


def test_the_headset_tracks_and_matches_the_eyes(driving: Headset) -> None:
    state = driving.state
    assert state["vr"]
    assert state["lastFrame"]["head"]["tracked"]
    assert state["lastFrame"]["left"]["tracked"]
    assert driving.page.locator("canvas").count() == 1
    eyes_mm = 1e3 * driving.page.evaluate("xrDevice.ipd")
    driving.wait(lambda s: abs(s["lastState"]["baseline_mm"] - eyes_mm) < 1.0, "the distance of the eyes")


def test_squeezing_takes_the_hand(driving: Headset) -> None:
    before = driving.state
    state = driving.squeeze()
    assert not state["clutched"]["left"]
    assert math.dist(palm(driving.after_frames()), palm(before)) < 0.005, "taking the hand moved it"
    driving.press("squeeze", 0)
    driving.await_clutch(taken=False)
    driving.squeeze("left")
    driving.press("squeeze", 0, "left")
    driving.await_clutch("left", taken=False)


def test_the_palm_follows_the_controller(driving: Headset) -> None:
    for step, axis, sign in (
        ((0.0, 0.02, 0.0), 2, +1),
        ((0.0, -0.02, 0.0), 2, -1),
        ((-0.02, 0.0, 0.0), 1, +1),
        ((0.02, 0.0, 0.0), 1, -1),
        ((0.0, 0.0, -0.02), 0, +1),
        ((0.0, 0.0, 0.02), 0, -1),
    ):
        before = palm(driving.at_rest())

        def reach(step: tuple[float, float, float] = step) -> None:
            driving.squeeze()
            driving.reach(*step)

        def moved(s: State, b: float = before[axis], axis: int = axis, sign: int = sign) -> bool:
            return sign * (palm(s)[axis] - b) > STEP

        after = palm(driving.again(reach, moved, f"a motion by {step}"))
        assert all(abs(after[i] - before[i]) < ASIDE for i in range(3) if i != axis), (step, before, after)


def test_a_released_controller_moves_nothing(driving: Headset) -> None:
    before = driving.state
    driving.reach(0.0, 0.1, 0.0)
    after = driving.after_frames()
    assert math.dist(target(after), target(before)) < 1e-6
    driving.reach(0.0, -0.1, 0.0)


def test_turning_the_controller_turns_the_palm(driving: Headset) -> None:
    before = driving.squeeze()["lastState"]["right"]["orientation"]
    for step in range(1, 9):
        half = 0.025 * step
        driving.squeeze()
        driving.do(f"xr.controllers.right.quaternion.set(0, {math.sin(half)}, 0, {math.cos(half)});")
        driving.after_frames(5)
    driving.wait(lambda s: turn(s["lastState"]["right"]["orientation"], before) > 0.1, "a turn to the left")
    driving.press("squeeze", 0)
    driving.await_clutch(taken=False)
    driving.do("xr.controllers.right.quaternion.set(0, 0, 0, 1);")


def test_the_trigger_closes_the_fingers(driving: Headset) -> None:
    driving.press("trigger", 1)
    driving.wait(lambda s: min(s["lastState"]["right"]["fingers"]) > 0.9, "a closed gripper")
    assert max(driving.state["lastState"]["left"]["fingers"][1:5]) < 0.2
    driving.press("trigger", 0)
    driving.wait(lambda s: max(s["lastState"]["right"]["fingers"]) < 0.1, "an open gripper")


def test_the_head_follows_the_head(driving: Headset) -> None:
    home = driving.state["lastState"]["head_orientation"]
    driving.do("xr.quaternion.set(0, Math.sin(0.2), 0, Math.cos(0.2));")
    driving.wait(lambda s: turn(s["lastState"]["head_orientation"], home) > 0.25, "a look to the left")
    driving.do("xr.quaternion.set(0, 0, 0, 1);")
    driving.wait(lambda s: math.dist(s["lastState"]["head_orientation"], home) < 0.02, "straight ahead")


def test_the_stick_drives_the_base(driving: Headset) -> None:
    start = driving.state["lastState"]["base_pose"]
    driving.do("xr.controllers.left.updateAxes('thumbstick', 0, -1);")
    driving.wait(lambda s: s["lastState"]["base_pose"][0] - start[0] > 0.05, "a drive forward")
    driving.let_go()
    assert max(map(abs, driving.at_rest()["lastState"]["base_twist"])) < 0.01, "it did not stop"
    driving.do("xr.controllers.left.updateAxes('thumbstick', 0, 1);")
    driving.wait(lambda s: s["lastState"]["base_pose"][0] - start[0] < 0.01, "a drive back")
    driving.do("xr.controllers.left.updateAxes('thumbstick', 0, 0);")
    driving.do("xr.controllers.right.updateAxes('thumbstick', -1, 0);")
    driving.wait(lambda s: s["lastState"]["base_pose"][2] - start[2] > 0.1, "a turn to the left")
    driving.do("xr.controllers.right.updateAxes('thumbstick', 1, 0);")
    driving.wait(lambda s: s["lastState"]["base_pose"][2] - start[2] < 0.03, "a turn to the right")


def test_buttons_stop_and_resume(driving: Headset) -> None:
    driving.squeeze()
    driving.press("b-button", 1)
    driving.wait(lambda s: s["mode"] == "stopped", "a stop")
    driving.press("b-button", 0)
    driving.press("squeeze", 0)
    driving.await_clutch(taken=False)
    driving.press("a-button", 1)
    driving.wait(lambda s: s["mode"] in ("fade", "track"), "a gentle return")
    driving.press("a-button", 0)
    driving.await_driving()


def test_a_hidden_session_releases(driving: Headset) -> None:
    """The headset is taken off, or its own menu comes up."""
    driving.squeeze()
    driving.do("xr.updateVisibilityState('hidden');")
    driving.await_clutch(taken=False)
    driving.do("xr.updateVisibilityState('visible');")
    driving.wait(lambda s: s["lastFrame"]["right"]["tracked"], "the controllers again")
    # The grip is still squeezed, and counts again only when it is squeezed anew.
    assert not driving.after_frames()["clutched"]["right"]
    driving.press("squeeze", 0)
    driving.after_frames(10)
    driving.squeeze()


def test_the_end_of_the_session_releases_and_leads_back(driving: Headset) -> None:
    driving.squeeze()
    driving.do("xr.activeSession.end();")
    driving.wait(lambda s: not s["vr"], "the end of the session")
    state = driving.await_clutch(taken=False)
    assert state["role"] == "operator"
    assert driving.page.locator("canvas").count() == 0
    assert shown(driving.page, "#mode-name")
    driving.await_driving()
    with driving.holding("Space"):
        driving.await_clutch()
    driving.await_clutch(taken=False)
    driving.let_go()
    driving.enter("#enter-vr")
    driving.squeeze()
