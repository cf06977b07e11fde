"""Experiment `pipeline`: how quickly a pose of the robot reaches the screen of who looks at the overlay.

Starts the avatar as `elsewhere run` does, with a script that moves the arms; opens the real overlay page in
a real browser; and listens beside it as bare viewers, which decode each frame and draw nothing. The bare
viewers tell what the relay gives, the page what a person gets.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import aiohttp
import numpy as np

from elsewhere.errors import LinkError
from elsewhere.lab.browser import open_browser
from elsewhere.lab.experiment import Experiment, Progress, Result, option
from elsewhere.lab.plots import Histogram
from elsewhere.lab.registry import experiment
from elsewhere.lab.running import RunningAvatar
from elsewhere.lab.statistics import Row, mean, percentile, ratio
from elsewhere.lab.watch import StolenTime
from elsewhere.overlay_messages import OverlayFrame, decode_overlay_down
from elsewhere.server.overlay_relay import RATE_HZ

READY_S = 60.0
WARM_S = 3.0
POLL_S = 0.5
SILENCE_S = 0.5
SIZE = {"width": 560, "height": 320}
ASKED_AGE_MS, ASKED_FPS = 50.0, 60.0


@dataclass
class Heard:
    """What one bare viewer got: when each frame came, how old its pose was, which number it had."""

    came_ns: list[int] = field(default_factory=list)
    age_ms: list[float] = field(default_factory=list)
    sequence: list[int] = field(default_factory=list)


class BareViewers:
    """Viewers without a page, in a thread of their own. The relay's clock is this machine's."""

    def __init__(self, url: str, count: int) -> None:
        self.heard = [Heard() for _ in range(count)]
        self._url = url.replace("http", "ws", 1) + "api/overlay"
        self._end = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._all()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()

    async def _all(self) -> None:
        async with aiohttp.ClientSession() as session:
            await asyncio.gather(*(self._listen(session, heard) for heard in self.heard))

    async def _listen(self, session: aiohttp.ClientSession, heard: Heard) -> None:
        async with session.ws_connect(self._url, max_msg_size=0) as socket:
            while not self._end.is_set():
                try:
                    data = await socket.receive_bytes(timeout=SILENCE_S)
                except TimeoutError:
                    continue  # a relay that says nothing must not keep us
                except TypeError:
                    return  # it has closed the line
                now_ns = time.monotonic_ns()
                message = decode_overlay_down(data)
                if isinstance(message, OverlayFrame):
                    heard.came_ns.append(now_ns)
                    heard.age_ms.append(1e-6 * (now_ns - message.stamp.sampled_ns))
                    heard.sequence.append(message.sequence)


@dataclass(frozen=True)
class Shown:
    """What the page did: pictures and poses a second at each look, and the ages of what it drew last."""

    fps: np.ndarray
    poses: np.ndarray
    age_p50_ms: float
    age_p95_ms: float


@experiment("pipeline")
@dataclass(frozen=True)
class Pipeline(Experiment):
    """Robot, relay, solvers, link and page, measured together while the arms move."""

    title = "Pose to screen of the overlay"
    question = "How often does a viewer of the overlay get a pose, and how old is it on the screen?"
    paper = "ONIA, section II: the robot's poses at 100 Hz, pictures at 60 Hz; no delay is told."

    rig: str = option("overlay", "name or file of the rig")
    script: str = option("wave", "what the arms do meanwhile")
    seconds: float = option(20.0, "how long to measure")
    viewers: int = option(3, "bare viewers beside the page")
    page: bool = option(True, "open the page, too (--no-page: only the relay and its bare viewers)")

    def run(self, progress: Progress) -> Result:
        """Start, look, listen."""
        progress("Starting the avatar…")
        with RunningAvatar(self.rig, arguments=("--no-record", "--script", self.script)) as avatar:
            if not self.page:
                return self._listen(avatar.url, lambda: time.sleep(self.seconds))
            progress("Opening the overlay page…")
            with open_browser() as browser:
                page = browser.new_page(viewport=SIZE)
                page.goto(f"{avatar.url}overlay.html", wait_until="domcontentloaded")
                _await_human(page)
                time.sleep(WARM_S)
                return self._listen(avatar.url, lambda: self._watch(page, progress))

    def _listen(self, url: str, meanwhile: Callable[[], Shown | None]) -> Result:
        """What bare viewers hear while `meanwhile` lasts, and what it has seen of a page."""
        with BareViewers(url, self.viewers) as viewers:
            stolen = StolenTime()
            shown = meanwhile()
            stolen_ratio = stolen.ratio
        return conclude(viewers.heard, shown, stolen_ratio)

    def _watch(self, page: Any, progress: Progress) -> Shown:
        end, fps, poses = time.monotonic() + self.seconds, [], []
        before = page.evaluate("elsewhere.state.accepted"), time.monotonic()
        while (left := end - time.monotonic()) > 0:
            progress(f"Measuring, {left:.0f} s left…")
            page.wait_for_timeout(1e3 * min(POLL_S, left))
            state, now = page.evaluate("elsewhere.state"), time.monotonic()
            fps.append(state["fps"])
            poses.append((state["accepted"] - before[0]) / (now - before[1]))
            before = state["accepted"], now
        age = state["ageMs"] or {"p50": np.nan, "p95": np.nan}
        return Shown(np.array(fps), np.array(poses), age["p50"], age["p95"])


def _await_human(page: Any) -> None:
    deadline = time.monotonic() + READY_S
    while not page.evaluate("window.elsewhere && elsewhere.state.opacity === 1"):
        if time.monotonic() > deadline:
            text = " ".join(page.inner_text("body").split())[:200]
            raise LinkError(f"The overlay page shows no human after {READY_S:.0f} s. It says: '{text}'.")
        time.sleep(POLL_S)


def conclude(heard: list[Heard], shown: Shown | None, stolen: float) -> Result:
    """Rows of the relay and of the page."""
    gaps = [1e-6 * np.diff(one.came_ns) for one in heard if len(one.came_ns) > 1]
    if not gaps:
        raise LinkError("No bare viewer heard a frame. Try the page by hand: elsewhere run overlay.")
    gap, age = np.concatenate(gaps), np.concatenate([one.age_ms for one in heard])
    made = sum(one.sequence[-1] - one.sequence[0] + 1 for one in heard if one.sequence)
    summary: dict[str, Any] = {
        "relay_hz": 1e3 / mean(gap),
        "relay_gap_p99_ms": percentile(gap, 99),
        "relay_missed_ratio": 1.0 - ratio(sum(len(one.sequence) for one in heard), made),
        "relay_age_p50_ms": percentile(age, 50),
        "relay_age_p95_ms": percentile(age, 95),
        "viewers": len(heard),
        "stolen_ratio": stolen,
    }
    rows = [
        Row("frames a second, at each bare viewer", summary["relay_hz"], "Hz", 0.95 * RATE_HZ, "at least"),
        Row("time between two frames, 99 %", summary["relay_gap_p99_ms"], "ms"),
        Row("frames that a bare viewer missed", 100 * summary["relay_missed_ratio"], "%"),
        Row("pose to bare viewer, median", summary["relay_age_p50_ms"], "ms"),
        Row("pose to bare viewer, 95 %", summary["relay_age_p95_ms"], "ms"),
    ]
    if shown is not None:
        summary |= {
            "page_fps": mean(shown.fps),
            "page_poses_hz": mean(shown.poses),
            "page_age_p50_ms": shown.age_p50_ms,
            "page_age_p95_ms": shown.age_p95_ms,
        }
        rows += [
            Row("pictures a second", summary["page_fps"], "", ASKED_FPS, "at least", "on a desktop's GPU"),
            Row("poses a second that the page took", summary["page_poses_hz"], "Hz"),
            Row("pose to screen, median", shown.age_p50_ms, "ms"),
            Row("pose to screen, 95 %", shown.age_p95_ms, "ms", ASKED_AGE_MS, "at most", "issue: loopback"),
        ]
    notes = (
        "An age runs from the robot's measurement to the end of the draw call of the first picture that "
        f"shows it, without the screen's own delay. The page is {SIZE['width']} x {SIZE['height']}.",
        "Where no graphics card is, the browser draws by the processor, which the avatar, the relay and "
        "the bare viewers need as well: pictures a second are as many as it can, and poses wait for them.",
        f"The machine's host took {100 * stolen:.1f} % of the processor time meanwhile.",
    )
    plots = (Histogram("Pose to bare viewer", "age [ms]", {"frames": age}),)
    return Result(tuple(rows), plots, notes, summary)
