"""Driving a page as a person does, and waiting for what follows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

State = dict[str, Any]
"""`window.elsewhere.state` of a page (web/src/surface.ts)."""

PATIENCE_S = 90.0
POLL_MS = 40
READ = "window.elsewhere && window.elsewhere.state"


def wait_for(page: Any, predicate: Callable[[State], Any], what: str = "what was expected") -> State:
    """Read the page's state until `predicate` holds for it. Otherwise an AssertionError says what it was.

    A state in which something is still missing does not fulfil a predicate that asks for it.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        state: State = page.evaluate(READ) or {}
        try:
            if predicate(state):
                return state
        except (KeyError, TypeError):
            pass
        assert time.monotonic() < deadline, f"Waited in vain for {what}. The page shows: {digest(state)}"
        page.wait_for_timeout(POLL_MS)


def digest(state: State) -> str:
    """The parts of a state that tell what went wrong."""
    names = ("connection", "role", "mode", "clutched", "frameSeq", "fps", "vr")
    shown = {name: state.get(name) for name in names}
    last = state.get("lastState") or {}
    shown |= {name: last.get(name) for name in ("seq", "reason", "frame_seq", "base_pose", "base_twist")}
    for side in ("left", "right"):
        hand = last.get(side) or {}
        shown[side] = {name: hand.get(name) for name in ("position", "target_position", "clutched")}
    shown["events"] = [event["code"] for event in state.get("events") or []]
    return str(shown)


class Cockpit:
    """One operator's page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.held: list[str] = []
        self.mouse: tuple[int, int] | None = None

    def open(self, url: str) -> State:
        """Open the page as a newcomer, leave its greeting and wait until the avatar follows."""
        self.page.goto(url, wait_until="domcontentloaded")
        self.page.click("#start-driving")
        return self.await_driving()

    def await_driving(self) -> State:
        """Wait until this page sits in the seat and the avatar follows it."""
        return self.wait(
            lambda s: (s["connection"], s["role"], s["mode"]) == ("connected", "operator", "track"),
            "driving",
        )

    @property
    def state(self) -> State:
        """What the page knows now."""
        return self.wait(lambda s: s["lastState"], "a state of the avatar")

    def wait(self, predicate: Callable[[State], Any], what: str = "what was expected") -> State:
        """See `wait_for`."""
        return wait_for(self.page, predicate, what)

    def hold(self, *keys: str) -> None:
        """Press keys, in this order, and keep them down."""
        for key in keys:
            self.page.keyboard.down(key)
            self.held.append(key)

    @contextmanager
    def holding(self, *keys: str) -> Iterator[None]:
        """Hold keys down for a while."""
        self.hold(*keys)
        try:
            yield
        finally:
            for key in reversed(keys):
                self.page.keyboard.up(key)
                self.held.remove(key)

    def let_go(self) -> None:
        """No button and no key is held any more."""
        if self.mouse:
            self.page.mouse.up()
            self.mouse = None
        while self.held:
            self.page.keyboard.up(self.held.pop())

    def again(self, act: Callable[[], Any], predicate: Callable[[State], Any], what: str) -> State:
        """Do a little, again and again, until `predicate` holds.

        A busy machine may miss the watchdog's time for a moment; then the avatar does not follow, and a
        person goes on.
        """
        for _ in range(60):
            act()
            state = self.after_frames(6)
            if predicate(state):
                return state
        raise AssertionError(f"Tried in vain for {what}. The page shows: {digest(self.state)}")

    def drag(self, dx: int, dy: int) -> None:
        """Move the held mouse on by so many pixels."""
        assert self.mouse, "no button is held"
        self.mouse = self.mouse[0] + dx, self.mouse[1] + dy
        self.page.mouse.move(*self.mouse)

    def press_mouse(self, x: int = 480, y: int = 300) -> State:
        """Hold the left button on the picture."""
        self.mouse = x, y
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        return self.await_clutch()

    def await_clutch(self, side: str = "right", taken: bool = True) -> State:
        """Wait until page and avatar both say that the hand is taken, or let go."""
        return self.wait(
            lambda s: s["clutched"][side] is taken and s["lastState"][side]["clutched"] is taken,
            f"the {side} hand {'taken' if taken else 'released'}",
        )

    def after_frames(self, count: int = 40) -> State:
        """Wait until the avatar has taken in so many more frames of this page."""
        due = self.state["frameSeq"] + count
        return self.wait(lambda s: s["lastState"]["frame_seq"] >= due, f"frame {due} at the avatar")

    def at_rest(self) -> State:
        """Wait until hands, head and base stand still, from one state to one that is five later."""
        before = self.state
        while True:
            seq = before["lastState"]["seq"]
            now = self.wait(lambda s, seq=seq: s["lastState"]["seq"] >= seq + 5, "newer states")
            if math.dist(_pose(before), _pose(now)) < 5e-4:
                return now
            before = now


def _plain(state: State) -> State:
    return {name: value for name, value in state.items() if isinstance(value, str)}


def _pose(state: State) -> list[float]:
    last = state["lastState"]
    hands = (last[side]["position"] for side in ("left", "right"))
    return [*(value for hand in hands for value in hand), *last["head_orientation"], *last["base_pose"]]


def palm(state: State, side: str = "right") -> list[float]:
    """Where a palm is, in the base frame [m]."""
    return list(state["lastState"][side]["position"])


def target(state: State, side: str = "right") -> list[float]:
    """Where a palm should be, in the base frame [m]."""
    return list(state["lastState"][side]["target_position"])


def yaw(q: Sequence[float]) -> float:
    """The heading of an orientation w, x, y, z [rad], left positive."""
    w, x, y, z = q
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def turn(now: Sequence[float], before: Sequence[float]) -> float:
    """By how much `before` was turned about the vertical to become `now` [rad], left positive."""
    (w, x, y, z), (a, b, c, d) = now, before
    # now before^-1, about axes that do not turn with the hand
    return yaw(
        (
            w * a + x * b + y * c + z * d,
            x * a - w * b - y * d + z * c,
            y * a - w * c + x * d - z * b,
            z * a - w * d - x * c + y * b,
        )
    )


def shown(page: Any, selector: str) -> str:
    """The text of an element, once it can be seen."""
    element = page.locator(selector).first
    element.wait_for(state="visible", timeout=1e3 * PATIENCE_S)
    return str(element.inner_text())
