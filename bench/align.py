"""Alignment solvers: time of one arm, from Python and in batches, and how good the answers are.

    python bench/align.py [--json] [--rounds N]

Same arm, same stream, same machine, one run, in turns. The stream is a smooth motion at 100 Hz through
twelve poses of the kinds that ONIA's paper shows (hands down, hands up, T, in front, A), of a robot whose
segments and shoulder are not the model's: so parts of it are out of the baselines' limits. These are
warm-started from frame to frame, as they are meant to be.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

if not __package__:  # started as a file: this folder must not hide packages, its parent must be found
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.motion.align import ArmPose, ArmReference, Solver, make_align_solver

Result = dict[str, Any]

NAMES = ("onia", "bounded", "dls", "fabrik")
BLOCK = 100
"""Frames that one solver does before the next has its turn; a batch is the whole stream."""
ASKED = {"single_us": 1.5, "batch_us": 0.2, "baseline_over_onia": 10.0}

ARM = HumanArm([0.0, 0.19, 1.42], [0.0, 0.49, 1.42], [0.0, 0.75, 1.42], [0.0, 0.0, -1.0], [0.0, 0.0, -1.0])
ROBOT_UPPER, ROBOT_FORE = 0.27, 0.28
ROBOT_SHOULDER = ARM.shoulder + np.array([0.02, -0.06, -0.03])
# Directions of the robot's upper arm and forearm: hands down (3), hands up (3), T, in front (4), A.
POSES = np.array(
    [
        [[0.1, 0.25, -1.0], [0.6, 0.1, -0.8]],
        [[0.05, 0.3, -1.0], [0.1, 0.1, -1.0]],
        [[0.0, 0.3, -1.0], [-0.3, 0.2, -0.9]],
        [[0.2, 0.5, 0.8], [0.3, -0.1, 1.0]],
        [[0.1, 0.7, 0.7], [0.0, 0.0, 1.0]],
        [[0.0, 0.8, 0.6], [-0.1, 0.2, 1.0]],
        [[0.0, 1.0, 0.02], [0.1, 1.0, 0.0]],
        [[0.8, 0.5, -0.3], [1.0, -0.3, 0.1]],
        [[0.9, 0.3, -0.1], [0.8, -0.6, 0.2]],
        [[0.7, 0.6, -0.5], [0.6, -0.8, 0.3]],
        [[0.9, 0.2, 0.1], [1.0, 0.0, 0.0]],
        [[0.1, 0.7, -0.7], [0.05, 0.75, -0.7]],
    ]
)


def unit(v: np.ndarray) -> np.ndarray:
    found: np.ndarray = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return found


def arc(a: np.ndarray, b: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Directions (n, 3) on the great circle from a to b, at the shares s (n, 1) of the way."""
    whole = np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)
    found: np.ndarray = (np.sin((1.0 - s) * whole) * a + np.sin(s * whole) * b) / np.sin(whole)
    return found


def stream(frames: int = 200) -> np.ndarray:
    """References (n, 18): minimum-jerk motion from pose to pose, `frames` each, and back to the first."""
    t = np.arange(frames) / frames
    s = (t**3 * (10.0 - 15.0 * t + 6.0 * t * t))[:, None]
    rows = []
    for a, b in zip(unit(POSES), np.roll(unit(POSES), -1, axis=0), strict=True):
        u, y = arc(a[0], b[0], s), arc(a[1], b[1], s)
        elbow = ROBOT_SHOULDER + ROBOT_UPPER * u
        x = unit(np.cross(y, [1.0, 0.2, 0.3]))
        hand = np.stack([x, y, np.cross(x, y)], axis=2).reshape(frames, 9)
        rows.append(np.hstack([elbow, elbow + ROBOT_FORE * y, hand, np.full((frames, 3), np.nan)]))
    return np.ascontiguousarray(np.vstack(rows))


def clock_ns() -> float:
    """What reading the clock twice takes itself."""
    times = []
    for _ in range(5000):
        began = time.perf_counter_ns()
        times.append(time.perf_counter_ns() - began)
    return float(np.median(times))


class Turn:
    """One solver on its way through the stream."""

    def __init__(self, name: str, rows: np.ndarray) -> None:
        self.name, self.rows, self.solver = name, rows, make_align_solver(name)
        self.arm, self.out = ARM.packed, np.empty((len(rows), 30))
        self.views = list(rows)
        self.references = [ArmReference.unpack(row) for row in rows]
        self.states = {way: self.solver.init(ARM) for way in ("single", "solve", "batch")}
        self.times: dict[str, list[float]] = {way: [] for way in self.states}
        for way in self.states:  # what is compiled on first use
            self.run(way, 0)
            self.states[way] = self.solver.init(ARM)
            self.times[way].clear()
        self.steps = 0

    def run(self, way: str, first: int) -> None:
        """A block of frames, or the whole stream as one batch; microseconds an arm."""
        state, times, clock = self.states[way], self.times[way], time.perf_counter_ns
        block = slice(first, first + BLOCK)
        if way == "single":
            into, arm, out = self.solver.solve_into, self.arm, np.empty(30)
            for row in self.views[block]:
                began = clock()
                into(arm, row, out, state)
                times.append((clock() - began) / 1e3)
        elif way == "solve":
            solve = self.solver.solve
            for reference in self.references[block]:
                began = clock()
                solve(ARM, reference, state)
                times.append((clock() - began) / 1e3)
        else:
            # A batch takes milliseconds, in which a busy machine does others' work: the thread's own time.
            began = time.thread_time_ns()
            self.solver.solve_batch(ARM, self.rows, self.out, state)
            times.append((time.thread_time_ns() - began) / len(self.rows) / 1e3)
            self.steps = getattr(self.solver, "iterations", 0) + getattr(self.solver, "sweeps", 0)

    def by_frame(self, way: str, rounds: int) -> np.ndarray:
        """Each frame's median over the rounds: what other programs of the machine took drops out."""
        found: np.ndarray = np.median(np.reshape(self.times[way], (rounds, len(self.rows))), axis=0)
        return found


def quality(rows: np.ndarray, solver: Solver) -> Result:
    """Deviations [mm] and stretches of a whole warm-started stream."""
    off, stretch = [], []
    for row, packed in zip(rows, solver.solve_batch(ARM, rows, state=solver.init(ARM)), strict=True):
        pose = ArmPose.unpack(packed)
        off.append(pose.deviation(ARM, ArmReference.unpack(row)))
        stretch.append((pose.stretch_upper, pose.stretch_fore))
    elbow, wrist = 1e3 * np.array(off).T
    apart = np.abs(np.array(stretch) - 1.0)
    return {
        "elbow_mm_mean": float(elbow.mean()),
        "elbow_mm_p95": float(np.percentile(elbow, 95)),
        "wrist_mm_mean": float(wrist.mean()),
        "wrist_mm_p95": float(np.percentile(wrist, 95)),
        "stretch_upper_mean": float(apart[:, 0].mean()),
        "stretch_fore_mean": float(apart[:, 1].mean()),
        "stretch_least": float(np.min(stretch)),
        "stretch_most": float(np.max(stretch)),
    }


def compare(rounds: int, say: Callable[[str], None]) -> Result:
    """Everything that this bench tells."""
    rows = stream()
    say("Compiling…")
    turns = [Turn(name, rows) for name in NAMES]
    lost = clock_ns() / 1e3
    say(f"{len(rows)} frames, {rounds} rounds…")
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for way in ("single", "solve"):
                for first in range(0, len(rows), BLOCK):
                    for turn in turns:
                        turn.run(way, first)
            for turn in turns:
                turn.run("batch", 0)
    finally:
        gc.enable()
    found = []
    for turn in turns:
        single, friendly = (turn.by_frame(way, rounds) - lost for way in ("single", "solve"))
        batch = np.array(turn.times["batch"])
        found.append(
            {
                "solver": turn.name,
                "single_us_p50": float(np.median(single)),
                "single_us_mean": float(single.mean()),
                "single_us_p99": float(np.percentile(single, 99)),
                "solve_us_p50": float(np.median(friendly)),
                "batch_us_p50": float(np.median(batch)),
                "batch_us_least": float(batch.min()),
                "batch_us_p99": float(np.percentile(batch, 99)),
                "steps_mean": turn.steps / len(rows),
                **quality(rows, turn.solver),
            }
        )
    base = found[0]
    keys = ("single_us_p50", "single_us_mean", "batch_us_p50", "batch_us_least")
    ratios = {row["solver"]: {key: row[key] / base[key] for key in keys} for row in found[1:]}
    return {"rows": found, "over_onia": ratios, "asked": ASKED, "frames": len(rows), "clock_us": lost}


def show(result: Result) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(title="One arm [us]", title_justify="left")
    table.add_column("solver")
    for column in ("Python", "p99", "objects", "batch", "p99", "/ onia", "/ onia, batch", "steps"):
        table.add_column(column, justify="right")
    for row in result["rows"]:
        ratio = result["over_onia"].get(row["solver"])
        table.add_row(
            row["solver"],
            f"{row['single_us_p50']:.2f}",
            f"{row['single_us_p99']:.2f}",
            f"{row['solve_us_p50']:.2f}",
            f"{row['batch_us_p50']:.3f}",
            f"{row['batch_us_p99']:.3f}",
            "" if ratio is None else f"{ratio['single_us_mean']:.1f}",
            "" if ratio is None else f"{ratio['batch_us_p50']:.1f}",
            f"{row['steps_mean']:.1f}" if row["steps_mean"] else "",
        )
    console.print(table)
    table = Table(title="How good the answers are", title_justify="left")
    table.add_column("solver")
    for column in ("elbow [mm]", "p95", "wrist [mm]", "p95", "|S_u - 1|", "|S_f - 1|", "stretch"):
        table.add_column(column, justify="right")
    for row in result["rows"]:
        table.add_row(
            row["solver"],
            *(
                f"{row[key]:.1f}"
                for key in ("elbow_mm_mean", "elbow_mm_p95", "wrist_mm_mean", "wrist_mm_p95")
            ),
            *(f"{row[key]:.3f}" for key in ("stretch_upper_mean", "stretch_fore_mean")),
            f"{row['stretch_least']:.2f} to {row['stretch_most']:.2f}",
        )
    console.print(table)
    console.print(
        f"[dim]Asked of onia: at most {ASKED['single_us']} from Python, {ASKED['batch_us']} in a batch, "
        f"{ASKED['baseline_over_onia']:.0f} times faster than dls and fabrik. Ratios: mean, median.[/]"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/align.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=10, help="how often the stream is gone through")
    options = parser.parse_args()
    result = compare(options.rounds, lambda text: print(text, file=sys.stderr))
    if options.json:
        print(json.dumps(result))
    else:
        show(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
