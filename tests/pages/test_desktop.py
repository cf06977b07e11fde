"""The operator page at a desk: mouse, keyboard, seat, stop, loss of control."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from page_driving import PATIENCE_S, Cockpit, State, palm, shown, target, turn, wait_for, yaw

from elsewhere.lab.running import RunningAvatar, free_port
from elsewhere.link.client import connect
from elsewhere.messages import Event

pytestmark = pytest.mark.page

# For real tabs: Playwright's own pages always believe that they are seen.
DEBUGGER = free_port()
FLAGS = (f"--remote-debugging-port={DEBUGGER}",)
STEP = 0.04  # metres
ASIDE = 0.02
KEYS = {
    "KeyU": (2, +1),
    "KeyI": (0, +1),
    "KeyJ": (1, +1),
    "KeyL": (1, -1),
    "KeyK": (0, -1),
    "KeyO": (2, -1),
}


def test_connects_and_shows_the_avatar(driving: Cockpit) -> None:
    state = driving.wait(lambda s: s["fps"] > 3 and s["videoAgeMs"] is not None, "pictures and their age")
    assert state["welcome"]["drives"]
    assert driving.page.evaluate("video.videoWidth") == state["welcome"]["video_width"]
    assert state["clock"]["roundTripMs"] >= 0
    assert state["task"]["goals"]
    assert set(state["task"]["goals"].values()) == {False}
    assert driving.page.evaluate("mode.dataset.mode") == "track"
    first = state["lastState"]["seq"]
    driving.wait(lambda s: s["lastState"]["seq"] > first + 20, "a stream of states")


def test_pictures_differ_when_the_head_turns(driving: Cockpit) -> None:
    """The shown pixels are the avatar's, not a frozen first frame."""
    draw = """() => { const draw = new OffscreenCanvas(64, 24).getContext('2d');
      draw.drawImage(video, 0, 0, 64, 24);
      return [...draw.getImageData(0, 0, 64, 24).data]; }"""
    before = driving.page.evaluate(draw)
    assert max(before[::4]) - min(before[::4]) > 40
    with driving.holding("ArrowRight"):
        driving.wait(lambda s: yaw(s["lastState"]["head_orientation"]) < -0.3, "a look to the right")
    driving.wait(lambda _: _difference(before, driving.page.evaluate(draw)) > 8, "another picture")
    driving.page.keyboard.press("KeyH")
    driving.wait(lambda s: abs(yaw(s["lastState"]["head_orientation"])) < 0.03, "a look straight ahead")


def _difference(a: list[int], b: list[int]) -> float:
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) / len(a)


def test_space_takes_the_hand_and_lets_it_go(driving: Cockpit) -> None:
    before = driving.state
    with driving.holding("Space"):
        taken = driving.await_clutch()
        assert not taken["clutched"]["left"]
        assert not taken["lastState"]["left"]["clutched"]
        still = driving.after_frames()
        assert math.dist(palm(still), palm(before)) < 0.005, "taking the hand moved it"
    driving.await_clutch(taken=False)


def test_select_both_takes_both_hands(driving: Cockpit) -> None:
    driving.page.click("#select-both")
    with driving.holding("Space"):
        driving.await_clutch("left")
        driving.await_clutch("right")
    driving.page.click("#select-right")
    driving.await_clutch("left", taken=False)


def test_keys_move_the_palm(driving: Cockpit) -> None:
    with driving.holding("Space"):
        driving.await_clutch()
        for key, (axis, sign) in KEYS.items():
            before = palm(driving.at_rest())
            with driving.holding(key):
                driving.wait(_moved(before, axis, sign), f"a motion by {key}")
            after = palm(driving.at_rest())
            assert sign * (after[axis] - before[axis]) > STEP
            assert all(abs(after[i] - before[i]) < ASIDE for i in range(3) if i != axis), (
                key,
                before,
                after,
            )
            assert not driving.page.locator("#hand-right.unreachable").count()


def test_keys_do_not_move_a_released_hand(driving: Cockpit) -> None:
    before = driving.state
    with driving.holding("KeyU"):
        after = driving.after_frames()
    assert math.dist(target(before), target(after)) < 1e-6
    assert math.dist(palm(before), palm(after)) < 0.005


def test_the_mouse_moves_the_palm(driving: Cockpit) -> None:
    drag, wheel = driving.drag, driving.page.mouse.wheel
    driving.press_mouse()
    for act, axis, sign, what in (
        (lambda: drag(-10, 0), 1, +1, "a drag to the left"),
        (lambda: drag(10, 0), 1, -1, "a drag to the right"),
        (lambda: drag(0, -10), 2, +1, "a drag upwards"),
        (lambda: drag(0, 10), 2, -1, "a drag downwards"),
        (lambda: wheel(0, -60), 0, +1, "forward by the wheel"),
        (lambda: wheel(0, 60), 0, -1, "back by the wheel"),
    ):
        before = palm(driving.at_rest())
        after = palm(driving.again(act, _moved(before, axis, sign), what))
        assert all(abs(after[i] - before[i]) < ASIDE for i in range(3) if i != axis), (what, before, after)
    driving.let_go()
    driving.await_clutch(taken=False)
    free = target(driving.state)
    driving.page.mouse.move(420, 240, steps=12)
    assert math.dist(target(driving.after_frames()), free) < 1e-6, "a free mouse moved the hand"


def _moved(before: Sequence[float], axis: int, sign: int) -> Callable[[State], bool]:
    """Whether the right palm has moved by STEP from `before`, that way."""
    return lambda state: sign * (palm(state)[axis] - before[axis]) > STEP


def test_shift_turns_the_palm(driving: Cockpit) -> None:
    def turned(state: State) -> float:
        return turn(state["lastState"]["right"]["orientation"], before)

    start = driving.press_mouse()
    before = start["lastState"]["right"]["orientation"]
    with driving.holding("Shift"):
        there = driving.again(
            lambda: driving.drag(-10, 0), lambda s: turned(s) > 0.15, "a turn to the left"
        )
        assert math.dist(palm(there), palm(start)) < ASIDE
        driving.again(lambda: driving.drag(10, 0), lambda s: turned(s) < 0.03, "a right turn")


def test_f_closes_the_gripper_and_g_opens_it(driving: Cockpit) -> None:
    with driving.holding("KeyF"):
        driving.wait(lambda s: min(s["lastState"]["right"]["fingers"]) > 0.9, "a closed gripper")
    closed = driving.after_frames()["lastState"]
    assert min(closed["right"]["fingers"]) > 0.9, "the grasp did not outlive the key"
    assert max(closed["left"]["fingers"]) < 0.1
    assert driving.page.input_value("#fingers-right") == "100"
    with driving.holding("KeyG"):
        driving.wait(lambda s: max(s["lastState"]["right"]["fingers"]) < 0.1, "an open gripper")


def test_the_slider_closes_the_left_hand(driving: Cockpit) -> None:
    driving.page.fill("#fingers-left", "80")
    driving.wait(lambda s: min(s["lastState"]["left"]["fingers"][1:5]) > 0.6, "a closed left hand")
    driving.page.fill("#fingers-left", "0")
    driving.wait(lambda s: max(s["lastState"]["left"]["fingers"][1:5]) < 0.2, "an open left hand")
    driving.page.mouse.click(480, 300)


@pytest.mark.parametrize("how", ["another window", "the event", "a card"])
def test_loss_of_focus_releases(driving: Cockpit, how: str) -> None:
    page = driving.page
    driving.hold("Space", "KeyU")
    driving.await_clutch()
    if how == "another window":
        _look_away(driving)
    elif how == "the event":
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        _assert_released(driving)
    else:
        page.click("#help-button")
        _assert_released(driving)
        page.click("#help-close")
    # The keys are still down, and count again only when they are pressed anew.
    assert not driving.after_frames()["clutched"]["right"]
    driving.let_go()
    with driving.holding("Space"):
        driving.await_clutch()


def _look_away(cockpit: Cockpit) -> None:
    """Give the focus to another window, and take it back. Playwright lets every page believe it has it."""
    page = cockpit.page
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    other = page.context.new_page()
    other.bring_to_front()
    cockpit.wait(lambda _: not page.evaluate("document.hasFocus()"), "the loss of the focus")
    _assert_released(cockpit)
    other.close()
    page.bring_to_front()
    session.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
    session.detach()


def _assert_released(cockpit: Cockpit) -> None:
    """Page and avatar let the hand go, and it goes nowhere any more though the keys are down."""
    cockpit.await_clutch(taken=False)
    before = cockpit.at_rest()
    after = cockpit.after_frames()
    assert math.dist(target(before), target(after)) < 1e-6
    assert math.dist(palm(before), palm(after)) < 0.003
    assert not after["clutched"]["right"]
    assert after["role"] == "operator", "the link itself must go on"


def test_stop_and_resume(driving: Cockpit) -> None:
    page = driving.page
    driving.hold("Space")
    driving.await_clutch()
    page.keyboard.press("KeyX")
    state = driving.wait(lambda s: s["mode"] == "stopped", "a stop")
    assert shown(page, "#mode[data-mode=stopped]")
    driving.await_clutch(taken=False)
    driving.let_go()
    before = palm(driving.at_rest())
    with driving.holding("Space", "KeyU", "KeyW"):
        state = driving.after_frames()
    assert state["mode"] == "stopped"
    assert math.dist(palm(state), before) < 0.003
    page.keyboard.press("Enter")
    driving.wait(lambda s: s["mode"] == "fade", "a gentle return")
    driving.await_driving()
    page.click("#stop")
    driving.wait(lambda s: s["mode"] == "stopped", "a stop by the button")
    page.click("#resume")
    driving.await_driving()


def test_w_drives_the_base(driving: Cockpit) -> None:
    start = driving.state["lastState"]["base_pose"]
    with driving.holding("KeyW"):
        driving.wait(lambda s: s["lastState"]["base_pose"][0] - start[0] > 0.05, "a drive forward")
    there = driving.at_rest()["lastState"]
    assert max(map(abs, there["base_twist"])) < 0.01, "it did not stop"
    assert abs(there["base_pose"][1] - start[1]) < 0.02
    assert abs(there["base_pose"][2] - start[2]) < 0.05
    with driving.holding("KeyS"):
        driving.wait(lambda s: s["lastState"]["base_pose"][0] - start[0] < 0.01, "a drive back")
    with driving.holding("KeyQ"):
        driving.wait(lambda s: s["lastState"]["base_pose"][2] - start[2] > 0.1, "a turn to the left")
    with driving.holding("KeyE"):
        driving.wait(lambda s: s["lastState"]["base_pose"][2] - start[2] < 0.03, "a turn to the right")


def test_arrows_turn_the_head(driving: Cockpit) -> None:
    home = driving.state["welcome"]["head_home"]
    with driving.holding("ArrowLeft"):
        driving.wait(lambda s: yaw(s["lastState"]["head_orientation"]) > 0.3, "a look to the left")
    driving.page.keyboard.press("KeyH")
    driving.wait(
        lambda s: math.dist(s["lastState"]["head_orientation"], home) < 0.02, "a look straight ahead"
    )


@pytest.fixture
def second(driving: Cockpit, avatar: RunningAvatar, browser: Any) -> Iterator[Cockpit]:
    """Another person's page. It is closed at the end, and the first one drives again."""
    page = browser.new_page(viewport={"width": 960, "height": 600})
    page.goto(avatar.url, wait_until="domcontentloaded")
    page.click("#start-driving")
    yield Cockpit(page)
    page.close()
    if driving.wait(lambda s: s["role"] != "none", "a place")["role"] != "operator":
        driving.page.click("#take-over")
    driving.await_driving()


def test_a_second_page_is_told_and_takes_over(driving: Cockpit, second: Cockpit) -> None:
    second.wait(lambda s: s["role"] == "taken" and s["lastState"], "a place to look on")
    assert "someone else" in shown(second.page, "#seat-text").lower()
    assert second.page.is_disabled("#stop")
    with second.holding("Space"):
        state = driving.after_frames()
        assert state["role"] == "operator", "the driver was disturbed"
        assert not state["lastState"]["right"]["clutched"], "a looker-on took the hand"
    second.page.click("#take-over")
    assert "another operator" in shown(driving.page, "#toasts [data-code=taken-over]").lower()
    driving.wait(lambda s: s["role"] == "taken", "the first page to look on")
    second.await_driving()
    with second.holding("Space"):
        second.await_clutch()
    second.page.close()
    # The seat is free, but was taken from the first page: it asks its person before it drives again.
    driving.wait(lambda _: driving.page.inner_text("#take-over") == "Drive", "a free seat")
    assert driving.state["role"] == "taken"


GARBAGE = [b"", b"\x00", b"\xc1" * 40, b"\x80", b"hello", bytes(range(256)) * 8, b"\x81\xa4type\xa4Stop"]


def test_malformed_messages_disturb_nobody(driving: Cockpit, avatar: RunningAvatar) -> None:
    async def misbehave() -> set[str]:
        async with connect(avatar.url, "viewer") as client:
            for data in GARBAGE * 5:
                client.send_raw("latest", data)
                client.send_raw("reliable", data)
                await asyncio.sleep(0.01)
            async with asyncio.timeout(PATIENCE_S):
                async for message in client:
                    if isinstance(message, Event) and message.code in ("malformed", "viewer"):
                        return {message.code}
        return set()

    with driving.holding("Space"), ThreadPoolExecutor(1) as thread:
        before = driving.await_clutch()
        # Playwright occupies the event loop of this thread.
        work = thread.submit(asyncio.run, misbehave())
        driving.wait(lambda _: work.done(), "an answer to the garbage")
        assert work.result(), "the sender was not told"
        driving.after_frames()
        after = driving.await_clutch()
        assert after["role"] == "operator"
        assert after["mode"] != "stopped"
        assert math.dist(target(before), target(after)) < 0.003
        assert not {event["code"] for event in after["events"]} & {"malformed", "viewer"}


def test_reset_puts_the_scene_back(driving: Cockpit) -> None:
    page = driving.page
    start = driving.state
    scene, home = start["welcome"]["scene"], palm(start)
    with driving.holding("Space", "KeyU"):
        driving.wait(lambda s: palm(s)[2] - home[2] > STEP, "a raised hand")
    driving.at_rest()
    page.click("#reset")
    page.click("#reset-new")
    state = driving.wait(lambda s: s["welcome"]["scene"]["seed"] == scene["seed"] + 1, "another scene")
    assert state["welcome"]["scene"]["things"] != scene["things"]
    driving.wait(lambda s: palm(s)[2] - home[2] < STEP / 2, "the hand at home")
    driving.await_driving()


def test_a_stop_outlives_a_reset(driving: Cockpit) -> None:
    page = driving.page
    things = driving.state["welcome"]["scene"]["things"]
    home = palm(driving.state)
    with driving.holding("Space", "KeyU"):
        driving.wait(lambda s: palm(s)[2] - home[2] > STEP, "a raised hand")
    page.click("#stop")
    driving.wait(lambda s: s["mode"] == "stopped", "a stop")
    page.click("#reset")
    page.click("#reset-same")
    driving.wait(lambda s: palm(s)[2] - home[2] < STEP / 2, "the hand at home")
    state = driving.after_frames()
    assert state["mode"] == "stopped", "a reset ended the stop"
    # The same scene; what hangs on a joint settles by some micrometres after it was told.
    for before, after in zip(things, state["welcome"]["scene"]["things"], strict=True):
        assert after["name"] == before["name"]
        assert after["position"] == pytest.approx(before["position"], abs=1e-3)
    page.click("#resume")
    driving.await_driving()


def test_a_hidden_tab_releases(driving: Cockpit, avatar: RunningAvatar, browser: Any) -> None:
    """With real tabs, of which one hides the other. Comes last: it takes the seat."""
    tabs = browser.browser_type.connect_over_cdp(f"http://127.0.0.1:{DEBUGGER}", no_defaults=True)
    window = tabs.contexts[0]
    page = window.new_page()
    try:
        cockpit = Cockpit(page)
        page.goto(avatar.url, wait_until="domcontentloaded")
        page.click("#start-driving")
        page.click("#take-over")
        cockpit.await_driving()
        cockpit.hold("Space", "KeyU")
        cockpit.await_clutch()
        other = window.new_page()
        other.bring_to_front()
        cockpit.wait(lambda _: page.evaluate("document.visibilityState") == "hidden", "a hidden tab")
        _assert_released(cockpit)
        other.close()
        page.bring_to_front()
        wait_for(page, lambda _: page.evaluate("document.visibilityState") == "visible", "the tab again")
        assert not cockpit.after_frames()["clutched"]["right"]
    finally:
        page.close()
        tabs.close()
