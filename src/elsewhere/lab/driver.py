"""Driving the operator page as a person does: by its mouse, never by its code.

The left button on the avatar's picture is the clutch of the selected hand, and moving the mouse up
and down moves that hand up and down (web/src/controls/pointer.ts).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from elsewhere.errors import BrowserError, LinkError
from elsewhere.lab.delays import Nudge
from elsewhere.lab.probe import PageClock, Probe

CONNECT_S = 30.0
POLL_S = 0.1
UP = (0.0, 0.0, 1.0)
DOWN = (0.0, 0.0, -1.0)
REASON = """(({connection, lastState, fps}) =>
  `${connection}, ${lastState?.reason}, ${fps} frames/s`)(elsewhere.state)"""
STATE = "window.elsewhere && elsewhere.state.connection"


class PageDriver:
    """A hand on the mouse of one operator page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.x = self.y = 0.0

    def connect(self, url: str) -> None:
        """Open the page and take the seat. Raises LinkError with what the page shows."""
        self.page.goto(url, wait_until="domcontentloaded")
        deadline = time.monotonic() + CONNECT_S
        while self.page.evaluate(STATE) != "connected":
            if time.monotonic() > deadline:
                shown = " ".join(self.page.inner_text("body").split())[:200]
                raise LinkError(
                    f"The operator page did not connect within {CONNECT_S:.0f} s. It shows: '{shown}'."
                )
            time.sleep(POLL_S)

    def grasp_view(self) -> None:
        """Leave the greeting, put the mouse on the picture and press the clutch."""
        greeting = self.page.locator("dialog[open]").get_by_role("button", name="Start driving")
        if greeting.count():
            greeting.click()
        view = self.page.locator("#view").bounding_box()
        size = self.page.viewport_size
        if not view or not size:
            raise BrowserError("The operator page shows no picture. Build the page anew with 'make web'.")
        # The picture may be larger than the window.
        self.x = (max(view["x"], 0) + min(view["x"] + view["width"], size["width"])) / 2
        self.y = (max(view["y"], 0) + min(view["y"] + view["height"], size["height"])) / 2
        self.page.mouse.move(self.x, self.y)
        self.page.mouse.down()

    def keep_clutch(self) -> None:
        """Press again where the page let go by itself, as it does when the link was lost for a moment."""
        if not self.page.evaluate("elsewhere.state.clutched.right"):
            self.page.mouse.up()
            self.page.mouse.down()

    def nudge(self, pixels: float) -> None:
        """Move the mouse at once by so many pixels, up positive."""
        self.y -= pixels
        self.page.mouse.move(self.x, self.y)

    def release(self) -> None:
        """Let go of the clutch."""
        self.page.mouse.up()

    def hold_until(self, condition: Callable[[], bool], seconds: float, otherwise: str) -> None:
        """Wait, clutched, until `condition` holds, or raise LinkError."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise LinkError(f"{otherwise} The page says: {self.page.evaluate(REASON)}.")
            self.page.wait_for_timeout(1e3 * POLL_S)
            self.keep_clutch()


def nudges(probe: Probe, clock: PageClock) -> list[Nudge]:
    """The up and down motions that the page heard, each at the time stamp of its first event."""
    found: list[Nudge] = []
    last_y: float | None = None
    for stamp_ms, _, _, y in probe.inputs:
        if last_y is not None and y != last_y:
            at_ns = float(clock.monotonic_ns(stamp_ms))  # type: ignore[arg-type]
            found.append(Nudge(at_ns, UP if y < last_y else DOWN))
        last_y = y
    return found
