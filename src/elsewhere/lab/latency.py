"""Experiment `latency`: how late an operator sees and acts, through the whole real system.

Starts the avatar as `elsewhere run` does, opens the real operator page in a real browser, drives it by
its mouse, and compares three clocks' worth of evidence: the frame number in the shown pixels, the
time stamp of the page's input events, and the tap of the control loop.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from elsewhere.errors import LinkError
from elsewhere.lab.browser import open_browser
from elsewhere.lab.delays import command_delays_ms, frame_rate, missed_ratio, video_delays_ms
from elsewhere.lab.driver import PageDriver, nudges
from elsewhere.lab.experiment import Experiment, Progress, Result, option
from elsewhere.lab.plots import Histogram, TimeLine
from elsewhere.lab.probe import PageClock, Probe, page_clock, script
from elsewhere.lab.registry import experiment
from elsewhere.lab.running import RunningAvatar
from elsewhere.lab.statistics import Row, percentile, percentile_of_answers
from elsewhere.lab.watch import StolenTime, TapWatch, real_time_factor, resident_mb
from elsewhere.rig import load_rig
from elsewhere.status import RIGHT, Mode

NUDGE_PIXELS = 25.0  # about 2 cm of the hand
NUDGE_S = (0.7, 0.95)
FIRST_MOTION = 0.5e-3
FADE_MARGIN_S = 10.0

AVATRINA = "AVATRINA (Correia Marques et al., 2024), stereo video"
NIMBRO = "NimbRo (Lenz and Behnke), fig. 15: 44 ms, of another kind; see note"


@dataclass(frozen=True)
class Evidence:
    """All that one run left behind."""

    presented: np.ndarray
    frames: int
    unreadable: int
    video_ms: np.ndarray
    command_ms: np.ndarray
    ticks: np.ndarray
    lost: int
    clock: PageClock
    memory_mb: float
    nominal_us: float
    stolen: float


@experiment("latency")
@dataclass(frozen=True)
class Latency(Experiment):
    """Sight, command and loop, measured together while a hand is driven."""

    title = "Latency of the whole system"
    question = (
        "How late does an operator see the avatar's world, and how late does the avatar's hand follow?"
    )
    paper = "AVATRINA: 30 frames/s at about 220 ms. NimbRo: 44 ms from the operator's hand to the avatar's."

    rig: str = option("commodity", "name or file of the rig")
    seconds: float = option(20.0, "how long to measure")
    seed: int = option(0, "seed of the scene")

    def run(self, progress: Progress) -> Result:
        """Start, drive, measure."""
        return conclude(self._measure(progress))

    def _measure(self, progress: Progress) -> Evidence:
        rig = load_rig(self.rig)
        progress("Starting the avatar…")
        with RunningAvatar(self.rig, seed=self.seed, arguments=("--stamp",)) as avatar:
            progress("Opening the operator page…")
            with open_browser(webgl=False) as browser, TapWatch(avatar.folder) as watch:
                page = browser.new_page(viewport={"width": 960, "height": 600})
                page.add_init_script(script())
                driver, probe = PageDriver(page), Probe(page)
                driver.connect(avatar.url)
                driver.grasp_view()
                progress("Waiting until the arms follow…")
                driver.hold_until(
                    lambda: int(watch.latest()["mode"]) == Mode.TRACK,
                    rig.control.fade_s + FADE_MARGIN_S,
                    "The avatar does not follow the operator. A machine busy otherwise is too slow.",
                )
                clocks = [page_clock(page)]
                stolen = StolenTime()
                start_ns = time.monotonic_ns()
                self._drive(driver, probe, progress)
                end_ns = time.monotonic_ns()
                stolen_ratio = stolen.ratio
                clocks.append(page_clock(page))
                memory_mb = resident_mb(avatar.processes)
                driver.release()
            ticks = watch.ticks
        # One clock, by the quicker of the two measurements: the page's and ours are the same oscillator.
        clock = min(clocks, key=lambda each: each.round_trip_ms)
        presented = probe.presented()
        shown_ns = clock.monotonic_ns(presented["now_ms"])
        presented = presented[(shown_ns >= start_ns) & (shown_ns <= end_ns)]
        given = [nudge for nudge in nudges(probe, clock) if start_ns <= nudge.at_ns <= end_ns]
        within = ticks[(ticks["now_ns"] >= start_ns) & (ticks["now_ns"] <= end_ns)]
        if not len(presented) or not len(within):
            raise LinkError(
                f"Nothing could be measured: {len(presented)} frames shown, {len(within)} ticks seen. "
                "Try the page by hand: elsewhere run."
            )
        return Evidence(
            presented=presented,
            frames=len(probe.frames),
            unreadable=probe.unreadable,
            video_ms=video_delays_ms(presented, clock),
            command_ms=command_delays_ms(given, ticks, RIGHT, FIRST_MOTION),
            ticks=within,
            lost=watch.lost,
            clock=clock,
            memory_mb=memory_mb,
            nominal_us=1e6 / rig.control.rate_hz,
            stolen=stolen_ratio,
        )

    def _drive(self, driver: PageDriver, probe: Probe, progress: Progress) -> None:
        """Small motions up and down, at irregular times, so that they meet every phase of the loops."""
        random = np.random.default_rng(self.seed)
        end = time.monotonic() + self.seconds
        up = True
        probe.take()
        while (left := end - time.monotonic()) > 0:
            progress(f"Measuring, {left:.0f} s left…")
            driver.keep_clutch()
            driver.nudge(NUDGE_PIXELS if up else -NUDGE_PIXELS)
            up = not up
            driver.page.wait_for_timeout(1e3 * min(random.uniform(*NUDGE_S), max(left, 0.05)))
        # The answer to the last nudge, and the stamps of the last frames.
        driver.page.wait_for_timeout(700)
        probe.take()


def conclude(seen: Evidence) -> Result:
    """Rows, plots and notes of the evidence."""
    summary = summarise(seen)
    return Result(_rows(summary), _plots(seen), _notes(seen), summary)


def summarise(seen: Evidence) -> dict[str, Any]:
    """The numbers by name, as `--json` prints them."""
    period, compute = seen.ticks["period_us"], seen.ticks["compute_us"]
    return {
        "fps": frame_rate(seen.presented),
        "video_p50_ms": percentile(seen.video_ms, 50),
        "video_p95_ms": percentile(seen.video_ms, 95),
        "command_p50_ms": percentile_of_answers(seen.command_ms, 50),
        "command_p95_ms": percentile_of_answers(seen.command_ms, 95),
        "loop_p50_us": percentile(period, 50),
        "loop_p99_us": percentile(period, 99),
        "loop_max_us": percentile(period, 100),
        "compute_p99_us": percentile(compute, 99),
        "missed_ratio": missed_ratio(period, seen.nominal_us),
        "real_time_factor": real_time_factor(seen.ticks),
        "memory_mb": seen.memory_mb,
        "frames": len(seen.presented),
        "commands": int(np.count_nonzero(np.isfinite(seen.command_ms))),
        "commands_unanswered": int(np.count_nonzero(np.isinf(seen.command_ms))),
        "commands_left_out": int(np.count_nonzero(np.isnan(seen.command_ms))),
        "ticks": len(seen.ticks),
        "clock_error_ms": seen.clock.round_trip_ms / 2,
        "stolen_ratio": seen.stolen,
    }


def _rows(summary: dict[str, Any]) -> tuple[Row, ...]:
    return (
        Row("frames presented by the page", summary["fps"], "/s", 30, "about", AVATRINA),
        Row("simulated to shown, median", summary["video_p50_ms"], "ms", 220, "at most", AVATRINA),
        Row("simulated to shown, 95 %", summary["video_p95_ms"], "ms"),
        Row("mouse to first motion of the hand, median", summary["command_p50_ms"], "ms", source=NIMBRO),
        Row("mouse to first motion of the hand, 95 %", summary["command_p95_ms"], "ms"),
        Row("control period, 99 %", summary["loop_p99_us"], "us"),
        Row("control computation, 99 %", summary["compute_p99_us"], "us"),
        Row("ticks more than 2 ms late", 100 * summary["missed_ratio"], "%"),
        Row("simulated time over true time", summary["real_time_factor"], "", 1, "about", "real time"),
        Row("memory of the avatar's processes", summary["memory_mb"], "MB"),
        Row("processors taken away by the machine's host", 100 * summary["stolen_ratio"], "%"),
    )


def _plots(seen: Evidence) -> tuple[Histogram | TimeLine, ...]:
    shown_s = (seen.presented["now_ms"] - seen.presented["now_ms"][0]) / 1e3
    ticks_s = (seen.ticks["now_ns"] - seen.ticks["now_ns"][0]) / 1e9
    period = seen.ticks["period_us"]
    samples = {"simulated to shown": seen.video_ms, "mouse to hand": seen.command_ms}
    longest = max(percentile(values, 99.5) for values in samples.values() if np.isfinite(values).any())
    return (
        Histogram(
            "Latency",
            "latency [ms]",
            samples,
            limits=(0.0, max(1.1 * longest, 60.0)),
            caption="Each shown video frame, and each small motion of the mouse.",
        ),
        TimeLine(
            "Video latency over time", "latency [ms]", {"video": (shown_s, seen.video_ms)}, points=True
        ),
        Histogram(
            "Period of the control loop",
            "period [us]",
            {"period": period},
            bins=100,
            limits=(0.0, 3.2 * seen.nominal_us),
            marks={"late": seen.nominal_us + 2000},
            caption="Each tick. Values beyond the right end are counted in the last bin.",
        ),
        TimeLine(
            "Longest period in every 0.1 s",
            "period [us]",
            {"period": _longest(ticks_s, period)},
            marks={"late": seen.nominal_us + 2000},
        ),
    )


def _longest(times: np.ndarray, values: np.ndarray, step_s: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """The largest value of every `step_s`, so that no outlier hides among twenty thousand points."""
    edges = np.arange(0.0, float(times[-1]) + step_s, step_s)
    starts = np.unique(np.searchsorted(times, edges[:-1]))
    starts = starts[starts < len(times)]
    return times[starts], np.maximum.reduceat(values, starts)


def _notes(seen: Evidence) -> tuple[str, ...]:
    moving = int(np.count_nonzero(np.isnan(seen.command_ms)))
    silent = int(np.count_nonzero(np.isinf(seen.command_ms)))
    disagree = int(np.count_nonzero(~seen.presented["rtp_agrees"]))
    probe_ms = percentile(seen.presented["probe_ms"], 50)
    return (
        "A frame counts from the simulator's sampling instant to the instant at which the browser expects "
        "it on the screen; the screen itself is not included.",
        f"Frames are identified by the number in their pixels: {seen.unreadable} of {seen.frames} could "
        f"not be read, {disagree} disagreed with the RTP time stamp. Taking one costs {probe_ms:.2f} ms.",
        f"A command counts from the time stamp of the mouse event in the page to {1e3 * FIRST_MOTION:g} mm "
        f"of measured motion of the palm that way. Of {len(seen.command_ms)}, {moving} found the hand "
        f"still moving and are left out; {silent} were not answered within 0.6 s and count as slowest.",
        "NimbRo's 44 ms is the time shift that best aligns the two hands in motion, not the first motion "
        "after rest, so no verdict is given.",
        f"The page's clock is known to {seen.clock.round_trip_ms / 2:.2f} ms. "
        f"{seen.lost} ticks were lost to the measurement.",
        "Browser, avatar and measurement share one machine. Its host gave "
        f"{100 * seen.stolen:.1f} % of its processors to others meanwhile, and all loops waited.",
    )
