"""What a real operator page shows and hears, seen from inside the browser.

`probe.js` is injected before the page's own scripts and listens only. Each video frame that the page
presents carries its number in its pixels (`elsewhere.presence.framestamp`); the `VideoStamp` messages,
which the page gets anyway, tell when the frame with that number was simulated.
"""

from __future__ import annotations

import base64
import json
import re
import time
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np

from elsewhere.errors import BrowserError, MessageError
from elsewhere.messages import VideoStamp, decode_latest_down
from elsewhere.presence.framestamp import BITS, BLOCK_HEIGHT, BLOCK_WIDTH

CLOCK_TRIES = 40


def script() -> str:
    """The source to inject, with the layout of the stamp."""
    text = files("elsewhere.lab").joinpath("probe.js").read_text()
    layout = {"bits": BITS, "blockWidth": BLOCK_WIDTH, "blockHeight": BLOCK_HEIGHT}
    return re.sub(r"/\*LAYOUT\*/ \{.*?\}", json.dumps(layout), text)


@dataclass(frozen=True)
class PageClock:
    """The page's `performance.now()` in this machine's monotonic clock.

    `monotonic_ns = origin_ns + 1e6 * now_ms`, right to half of `round_trip_ms`.
    """

    origin_ns: float
    round_trip_ms: float

    def monotonic_ns(self, now_ms: np.ndarray) -> np.ndarray:
        """Times of the page in nanoseconds of the monotonic clock."""
        return self.origin_ns + np.asarray(now_ms, dtype=float) * 1e6


def page_clock(page: Any, tries: int = CLOCK_TRIES) -> PageClock:
    """Relate the two clocks by the quickest of some questions to the page."""
    best = PageClock(0.0, float("inf"))
    for _ in range(tries):
        before = time.monotonic_ns()
        now_ms = float(page.evaluate("performance.now()"))
        after = time.monotonic_ns()
        round_trip_ms = (after - before) / 1e6
        if round_trip_ms < best.round_trip_ms:
            best = PageClock((before + after) / 2 - now_ms * 1e6, round_trip_ms)
    return best


@dataclass
class Probe:
    """What was taken from one page so far."""

    page: Any
    frames: list[list[float]] = field(default_factory=list)
    inputs: list[list[float]] = field(default_factory=list)
    sampled_ns: dict[int, int] = field(default_factory=dict)
    rtp: dict[int, int] = field(default_factory=dict)
    unreadable: int = 0

    def take(self) -> None:
        """Fetch what came since the last time."""
        taken = self.page.evaluate("window.elsewhereProbe ? elsewhereProbe.take() : null")
        if taken is None:
            raise BrowserError("The probe is not in the page. Inject it before the page is opened.")
        self.frames += taken["frames"]
        self.inputs += taken["inputs"]
        self.unreadable += taken["unreadable"]
        for text in taken["stamps"]:
            self._stamp(base64.b64decode(text))

    def _stamp(self, data: bytes) -> None:
        try:
            message = decode_latest_down(data)
        except MessageError:
            return
        if isinstance(message, VideoStamp):
            self.sampled_ns[message.frame & 0xFFFFFFFF] = message.sampled_ns
            self.rtp[message.frame & 0xFFFFFFFF] = message.rtp

    def presented(self) -> np.ndarray:
        """The frames whose number could be read and is known, each once, as `PRESENTED` records."""
        seen: set[int] = set()
        rows = []
        for number, now_ms, display_ms, rtp, _, probe_ms in self.frames:
            key = int(number)
            if key < 0 or key in seen or key not in self.sampled_ns:
                continue
            seen.add(key)
            agrees = rtp < 0 or int(rtp) == self.rtp[key]
            rows.append((key, now_ms, display_ms, self.sampled_ns[key], agrees, probe_ms))
        return np.array(rows, PRESENTED)


PRESENTED = np.dtype(
    [
        ("number", "i8"),
        ("now_ms", "f8"),  # when the page was told, in its clock
        ("display_ms", "f8"),  # when the browser expects it on the screen, in the page's clock
        ("sampled_ns", "i8"),  # when it was simulated, in the avatar's clock
        ("rtp_agrees", "?"),  # the number in the pixels and the RTP time mean the same frame
        ("probe_ms", "f8"),  # what the probe itself took
    ]
)
