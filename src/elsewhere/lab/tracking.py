"""Experiment `tracking`: how far behind and beside the operator's hand the avatar's hand is.

NimbRo's Fig. 15 and Table 4: the operator's hand and the avatar's palm, logged at 1 kHz; the mean distance
between them, as it is and after the time shift that makes it least. Here scripted hands move as in the
semifinal's three scenarios, through the loopback link, the real tick and the simulated arms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.compose import compose
from elsewhere.errors import RigError
from elsewhere.lab.experiment import Experiment, Progress, Result, option
from elsewhere.lab.hand_motions import SCENARIOS, both_hands
from elsewhere.lab.plots import TimeLine
from elsewhere.lab.registry import experiment
from elsewhere.lab.statistics import Row
from elsewhere.lab.tracked_run import JITTER_MS, LINK, NOISE_M, Log, tracked_run
from elsewhere.rig import load_rig
from elsewhere.status import SIDES, Status

Array = NDArray[np.float64]

MOST_SHIFT_MS = 100
MOVING = 0.02  # m/s: faster than this, a hand counts as moving
STAGES = ("target", "commanded", "measured")
NIMBRO = "NimbRo (Lenz and Behnke), fig. 15 and table 4"
PAPER_MM, PAPER_SHIFTED_MM, PAPER_SHIFT_MS = 6.6, 6.3, 44.0
HZ_RANGE = (20.0, 250.0)


def distances_mm(hand: Array, palm: Array, shift_ms: int) -> Array:
    """Distance of the palm from where the hand was `shift_ms` ago: (ticks - shift, 2) [mm]."""
    return np.asarray(1e3 * np.linalg.norm(palm[shift_ms:] - hand[: len(hand) - shift_ms], axis=-1))


@dataclass(frozen=True)
class Sweep:
    """Mean distances over shifts of 0 to 100 ms: `mm` (101, 2), one column a side."""

    mm: Array
    ticks: int

    @classmethod
    def of(cls, hand: Array, palm: Array) -> Sweep:
        """Sweep the shift of one run."""
        steps = range(MOST_SHIFT_MS + 1)
        return cls(np.array([distances_mm(hand, palm, k).mean(axis=0) for k in steps]), len(hand))

    @property
    def both(self) -> Array:
        """Mean over both hands, by shift."""
        return np.asarray(self.mm.mean(axis=1))

    @property
    def shift_ms(self) -> int:
        """The shift with the least mean distance of both hands."""
        return int(self.both.argmin())


def joined(sweeps: list[Sweep]) -> Sweep:
    """Several runs as one: each counts by its length."""
    ticks = np.array([one.ticks for one in sweeps])
    return Sweep(np.average([one.mm for one in sweeps], axis=0, weights=ticks), int(ticks.sum()))


@experiment("tracking")
@dataclass(frozen=True)
class Tracking(Experiment):
    """Scripted hands in three scenarios, and the palms that follow them."""

    title = "How well the avatar's hands follow"
    question = "How far is the avatar's palm from the operator's hand, and how late does it follow?"
    paper = "NimbRo, fig. 15 and table 4: 6.6 mm on average, 6.3 mm after a shift of 44 ms."

    rig: str = option("commodity", "name or file of the rig; it needs two arms")
    sessions: int = option(2, "how often the three scenarios are run, each time with other paths")
    seed: int = option(0, "seed of the paths")
    rate_hz: float = option(72.0, "poses a second that the headset gives")

    def run(self, progress: Progress) -> Result:
        """Run every scenario of every session."""
        if not HZ_RANGE[0] <= self.rate_hz <= HZ_RANGE[1] or self.sessions < 1:
            raise RigError(
                "tracking needs at least one session, and a rate from "
                f"{HZ_RANGE[0]:g} to {HZ_RANGE[1]:g} Hz."
            )
        rig = load_rig(self.rig)
        body = compose(rig)
        if not all(body.arms):
            raise RigError(f"The rig '{rig.name}' has not two arms. Take one that has, as 'commodity'.")
        if rig.control.mapping != "clutched" or rig.control.scale != 1.0:
            raise RigError("tracking compares hand and palm as they are: take mapping 'clutched', scale 1.")
        logs: dict[str, Log] = {}
        for session in range(self.sessions):
            for scenario in SCENARIOS:
                seed = self.seed + session
                progress(f"Session {session + 1} of {self.sessions}: {scenario}…")
                paths = both_hands(scenario, seed)
                logs[f"session {session + 1}, {scenario}"] = tracked_run(body, paths, self.rate_hz, seed)
        return conclude(logs)


def conclude(logs: dict[str, Log]) -> Result:
    """Rows, plots and notes of some runs."""
    sweeps = {name: Sweep.of(log.hand, log.measured) for name, log in logs.items()}
    total = joined([*sweeps.values()])
    stages = {
        stage: joined([Sweep.of(log.hand, getattr(log, stage)) for log in logs.values()])
        for stage in STAGES
    }
    summary = summarise(logs, sweeps, total, stages)
    return Result(_rows(summary), _plots(logs, total), _notes(summary, logs), summary)


def summarise(
    logs: dict[str, Log], sweeps: dict[str, Sweep], total: Sweep, stages: dict[str, Sweep]
) -> dict[str, Any]:
    """The numbers by name, as `--json` prints them. A row of `rows` is a run, as in NimbRo's table 4."""
    shift = total.shift_ms
    rows = []
    for name, sweep in sweeps.items():
        row: dict[str, Any] = {"run": name, "shift_ms": sweep.shift_ms}
        for side, word in enumerate(SIDES):
            row[f"{word}_mm"] = float(sweep.mm[0, side])
            row[f"{word}_shifted_mm"] = float(sweep.mm[sweep.shift_ms, side])
        rows.append(row)
    moving = np.concatenate([_while_moving(log, shift) for log in logs.values()])
    every = np.concatenate([distances_mm(log.hand, log.measured, shift).ravel() for log in logs.values()])
    return {
        "mean_error_mm": float(total.both[shift]),
        "unshifted_error_mm": float(total.both[0]),
        "shift_ms": shift,
        "left_error_mm": float(total.mm[shift, 0]),
        "right_error_mm": float(total.mm[shift, 1]),
        "moving_error_mm": float(moving.mean()),
        "p95_error_mm": float(np.percentile(every, 95)),
        "seconds": total.ticks / 1e3,
        "peak_speed": max(float(_speeds(log).max()) for log in logs.values()),
        "blocked_ratio": float(
            np.mean(np.concatenate([log.statuses != Status.OK for log in logs.values()]))
        ),
        "stages": {
            name: {"shift_ms": one.shift_ms, "mean_error_mm": float(one.both.min())}
            for name, one in stages.items()
        },
        "rows": rows,
    }


def _speeds(log: Log) -> Array:
    """Speed of the hands (ticks, 2) [m/s]."""
    return np.asarray(1e3 * np.linalg.norm(np.gradient(log.hand, axis=0), axis=-1))


def _while_moving(log: Log, shift: int) -> Array:
    far = distances_mm(log.hand, log.measured, shift)
    return np.asarray(far[_speeds(log)[: len(far)] > MOVING])


def _rows(summary: dict[str, Any]) -> tuple[Row, ...]:
    stages = summary["stages"]
    per_run = [
        Row(f"{row['run']}, {side} hand, at {row['shift_ms']} ms", row[f"{side}_shifted_mm"], "mm")
        for row in summary["rows"]
        for side in SIDES
    ]
    mean, shift = "mean distance", summary["shift_ms"]
    return (
        Row(
            f"{mean} after the best shift",
            summary["mean_error_mm"],
            "mm",
            PAPER_SHIFTED_MM,
            "at most",
            NIMBRO,
        ),
        Row(f"{mean} as it is", summary["unshifted_error_mm"], "mm", PAPER_MM, "at most", NIMBRO),
        Row("best shift", shift, "ms", PAPER_SHIFT_MS, "at most", NIMBRO),
        Row(f"{mean}, left hand", summary["left_error_mm"], "mm", source="NimbRo: 3.6 to 7.6 mm a run"),
        Row(f"{mean}, right hand", summary["right_error_mm"], "mm", source="NimbRo: 4.8 to 12.5 mm a run"),
        Row(f"{mean} while the hand moves", summary["moving_error_mm"], "mm"),
        Row("95 % of all distances", summary["p95_error_mm"], "mm"),
        *(Row(f"so far, {name}: shift", stages[name]["shift_ms"], "ms") for name in STAGES),
        *(Row(f"so far, {name}: {mean}", stages[name]["mean_error_mm"], "mm") for name in STAGES),
        *per_run,
    )


def _plots(logs: dict[str, Log], total: Sweep) -> tuple[TimeLine, ...]:
    shifts = np.arange(MOST_SHIFT_MS + 1)
    plots = [
        TimeLine(
            "Mean distance over the time shift",
            "mean distance [mm]",
            {
                "both hands": (shifts, total.both),
                "left": (shifts, total.mm[:, 0]),
                "right": (shifts, total.mm[:, 1]),
            },
            marks={f"NimbRo, {PAPER_SHIFTED_MM} mm at {PAPER_SHIFT_MS:g} ms": PAPER_SHIFTED_MM},
            time_label="shift [ms]",
            caption=f"NimbRo's Fig. 15. Ours is least at {total.shift_ms} ms: {total.both.min():.1f} mm.",
        )
    ]
    for name, log in [*logs.items()][: len(SCENARIOS)]:
        far = distances_mm(log.hand, log.measured, total.shift_ms)
        times = 1e-3 * np.arange(len(far))
        plots.append(
            TimeLine(
                f"Distance after the shift: {name}",
                "distance [mm]",
                {side: (times[::10], far[::10, i]) for i, side in enumerate(SIDES)},
                marks={"NimbRo's mean": PAPER_SHIFTED_MM},
            )
        )
    return tuple(plots)


def _hardest(logs: dict[str, Log], shift: int) -> str:
    """Where the greatest distance is, and what the hand asked for there."""
    worst = {name: distances_mm(log.hand, log.measured, shift) for name, log in logs.items()}
    name = max(worst, key=lambda one: float(worst[one].max()))
    tick, side = np.unravel_index(int(worst[name].argmax()), worst[name].shape)
    hand = logs[name].hand[max(0, tick - 250) : tick + 250, side]
    fastest = 1e6 * np.linalg.norm(np.diff(hand, 2, axis=0), axis=-1).max()
    return (
        f"The greatest distance, {worst[name].max():.0f} mm, comes after {tick / 1e3:.1f} s of {name}. "
        f"Within 0.25 s of it the {SIDES[side]} hand asks for {fastest:.1f} m/s^2."
    )


def _notes(summary: dict[str, Any], logs: dict[str, Log]) -> tuple[str, ...]:
    target, commanded, measured = (
        f"({stage['shift_ms']} ms, {stage['mean_error_mm']:.1f} mm)" for stage in summary["stages"].values()
    )
    return (
        f"{summary['seconds']:.0f} s of two scripted hands, up to {summary['peak_speed']:.2f} m/s, in free "
        "space. NimbRo's hands were a person's, and some of their time in contact with things; so the two "
        "agree in what is measured, not in what was done.",
        f"The headset's poses are sampled unevenly (up to {JITTER_MS:g} ms) with {1e3 * NOISE_M:g} mm of "
        f"noise, and the link takes {LINK.delay_ms:g} to {LINK.delay_ms + LINK.jitter_ms:g} ms.",
        "So far: what each stage makes of the hand. The target has passed link and smoothing "
        f"{target}, the commanded palm also the solver and the joints' limits {commanded}, the measured "
        f"palm also the torque law and the arm's inertia {measured}.",
        _hardest(logs, summary["shift_ms"]),
        f"In {100 * summary['blocked_ratio']:.1f} % of the time an arm was held back by its reach, its "
        "limits or itself.",
    )
