"""Delays computed from what was watched: arrays in, milliseconds out. Nothing here runs anything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.lab.probe import PageClock
from elsewhere.lab.statistics import ratio

REST_NS = 60_000_000
WINDOW_NS = 600_000_000
LATE_US = 2000.0


@dataclass(frozen=True)
class Nudge:
    """One small motion of the operator's hand: when it was seen by the page, and which way it goes.

    `direction` is a unit vector in the base frame.
    """

    at_ns: float
    direction: tuple[float, float, float]


def command_delays_ms(nudges: list[Nudge], ticks: np.ndarray, side: int, threshold: float) -> np.ndarray:
    """For each nudge, the time until the palm has first moved `threshold` metres that way, measured.

    The rest position is the mean over the 60 ms before the nudge. nan: the hand was still moving then (by
    more than half of the threshold in those 60 ms), so that the nudge says nothing about the delay.
    inf: the hand was at rest and did not answer within 0.6 s. The two must not be mixed: leaving out
    the unanswered ones would make a slow system look quick.
    """
    now, palm = ticks["now_ns"].astype(float), ticks["palm_p"][:, side]
    delays = np.full(len(nudges), np.nan)
    for i, nudge in enumerate(nudges):
        start = int(np.searchsorted(now, nudge.at_ns))
        rest = int(np.searchsorted(now, nudge.at_ns - REST_NS))
        end = int(np.searchsorted(now, nudge.at_ns + WINDOW_NS))
        along = palm[rest:end] @ np.asarray(nudge.direction)
        still = along[: start - rest]
        if len(still) < 10 or np.ptp(still) > threshold / 2:
            continue
        moved = np.flatnonzero(along[start - rest :] - still.mean() > threshold)
        delays[i] = (now[start + moved[0]] - nudge.at_ns) / 1e6 if len(moved) else np.inf
    return delays


def video_delays_ms(presented: np.ndarray, clock: PageClock) -> np.ndarray:
    """For each presented frame, from the instant it shows to the instant it is on the screen.

    The latter is when the browser expects it there; where the page was told only later, then.
    """
    shown_ms = np.maximum(presented["now_ms"], presented["display_ms"])
    delays: np.ndarray = (clock.monotonic_ns(shown_ms) - presented["sampled_ns"]) / 1e6
    return delays


def frame_rate(presented: np.ndarray) -> float:
    """Presented frames a second."""
    if len(presented) < 2:
        return float("nan")
    return ratio(len(presented) - 1, float(presented["now_ms"][-1] - presented["now_ms"][0]) / 1e3)


def missed_ratio(period_us: np.ndarray, nominal_us: float) -> float:
    """Share of the ticks that came more than 2 ms late."""
    return ratio(float(np.count_nonzero(period_us > nominal_us + LATE_US)), len(period_us))
