"""Inverse kinematics against peers: time of an iteration, and how well a hand's path is followed.

    bench/.venv/bin/python bench/ik.py [--json] [--tune PEER]

Same arm (the right Panda of rig commodity, base to palm), same paths, same machine, one run, in turns.
Every solver gets one iteration a sample (125 Hz), the arm's joint ranges and its velocity limits. An
iteration is all that leads from a target to the next joints. Before anything is measured, each
solver's own kinematics are compared with ours.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

if not __package__:  # started as a file: this folder must not hide packages, its parent must be found
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

# Matrices of seven joints gain nothing from threads; on a busy machine peers would wait for their own.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import numpy as np

from bench.peers import tuning
from bench.peers.cvxpy_follower import Cvxpy
from bench.peers.follower import Follower, MissingPeerError, ModelsDifferError, check_kinematics
from bench.peers.mink_follower import Mink
from bench.peers.ours import ours
from bench.peers.pink_follower import Pink
from bench.peers.placo_follower import Placo
from bench.peers.whole import collision_times, tick_times
from elsewhere.bodies.arm import Arm
from elsewhere.bodies.compose import compose
from elsewhere.lab.following import hand_path, lost, start_joints
from elsewhere.lab.hand_path import RATE_HZ, HandPath
from elsewhere.rig import load_rig
from elsewhere.status import RIGHT

PEERS: tuple[Callable[[Arm, float], Follower], ...] = (Mink, Pink, Placo, Cvxpy)
BLOCK = 250
"""Samples that one solver does before the next has its turn: so all meet the same load of the machine,
and each finds its data in the cache, as in a loop of its own."""

# How many times slower than ours a peer should be, and what the extra rows may take at most [us].
ASKED_RATIO = {"mink": 10.0, "pin-pink": 10.0, "placo": 1.0, "cvxpy (eq. 4)": 200.0}
ASKED_US = {"iteration with self-collision, p50": 40.0, "tick of both arms with guard, p99": 350.0}

Result = dict[str, Any]


def run_path(followers: list[Follower], path: HandPath, start: np.ndarray) -> list[Result]:
    """All solvers along one path, in turns; a row for each."""
    count = len(path.p)
    joints = {one.name: np.zeros((count, len(start))) for one in followers}
    times = {one.name: np.zeros(count) for one in followers}
    for one in followers:
        one.failures = 0
        one.start(start)
        for _ in range(3):  # what is compiled or loaded on first use
            one.step(path.p[0], path.q[0])
        one.start(start)
    gc.collect()
    gc.disable()
    try:
        for first in range(0, count, BLOCK):
            for one in followers:
                took, found, step = times[one.name], joints[one.name], one.step
                for k in range(first, min(first + BLOCK, count)):
                    p, q = path.p[k], path.q[k]
                    began = time.perf_counter_ns()
                    step(p, q)
                    took[k] = time.perf_counter_ns() - began
                    found[k] = one.joints
    finally:
        gc.enable()
    return [
        {
            "solver": one.name,
            "path": path.name,
            "us_p50": float(np.percentile(times[one.name], 50)) / 1e3,
            "us_p99": float(np.percentile(times[one.name], 99)) / 1e3,
            "m_track": float(np.mean(lost(one.arm, path, joints[one.name]))),
            "failures": one.failures,
            "settings": one.settings(),
        }
        for one in followers
    ]


def compare(samples: int | None, say: Callable[[str], None]) -> Result:
    """Everything that this bench tells."""
    body = compose(load_rig("commodity"))
    arm = body.arms[RIGHT]
    assert arm is not None
    dt = 1.0 / RATE_HZ
    own = ours(arm, dt)
    followers: list[Follower] = [*own, *(make(arm, dt) for make in PEERS)]
    agreement = {one.name: check_kinematics(one) for one in followers}
    rows: list[Result] = []
    for name in ("A", "B"):
        path = hand_path(name, RIGHT, samples)
        say(f"Path {name}: {len(path.p)} samples, {len(followers)} solvers…")
        rows += run_path(followers, path, start_joints(body, RIGHT, path))
    say("Self-collision and the whole tick…")
    path = hand_path("A", RIGHT, samples or 2500)
    extra = collision_times(body, path, start_joints(body, RIGHT, path))
    extra |= tick_times(body, 1.0 if samples else 6.0)
    return {
        "rows": rows,
        "ratios": ratios(rows, own[0].name),
        "extra_us": extra,
        "asked_ratio": ASKED_RATIO,
        "asked_us": ASKED_US,
        "fk_difference": agreement,
    }


def ratios(rows: list[Result], reference: str) -> list[Result]:
    """Each peer's time over ours on the same path: medians, and 99th percentiles."""
    base = {row["path"]: row for row in rows if row["solver"] == reference}
    return [
        {
            "solver": row["solver"],
            "path": row["path"],
            "peer_over_ours_p50": row["us_p50"] / base[row["path"]]["us_p50"],
            "peer_over_ours_p99": row["us_p99"] / base[row["path"]]["us_p99"],
        }
        for row in rows
        if row["solver"] != reference
    ]


def show(result: Result) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(title="One iteration on one path", title_justify="left")
    for column in ("path", "solver"):
        table.add_column(column)
    for column in ("p50 [us]", "p99 [us]", "peer / ours", "asked", "M_track [%]", "failed"):
        table.add_column(column, justify="right")
    ratio = {(one["solver"], one["path"]): one["peer_over_ours_p50"] for one in result["ratios"]}
    for row in result["rows"]:
        times = ratio.get((row["solver"], row["path"]))
        asked = result["asked_ratio"].get(row["solver"])
        table.add_row(
            row["path"],
            row["solver"],
            f"{row['us_p50']:.1f}",
            f"{row['us_p99']:.1f}",
            "" if times is None else f"{times:.1f}",
            "" if asked is None else f">= {asked:g}",
            f"{100 * row['m_track']:.2f}",
            str(row["failures"]),
        )
    console.print(table)
    table = Table(title="Ours, with more of the loop", title_justify="left")
    for column in ("", "[us]", "asked"):
        table.add_column(column, justify="left" if not column else "right")
    for name, value in result["extra_us"].items():
        asked = result["asked_us"].get(name)
        table.add_row(name, f"{value:.1f}", "" if asked is None else f"<= {asked:g}")
    console.print(table)
    for row in result["rows"]:
        if row["path"] == "A" and row["settings"]:
            console.print(f"[dim]{row['solver']}: {row['settings']}[/]")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/ik.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--samples", type=int, help="only the first samples of each path: a quick look")
    parser.add_argument(
        "--tune", metavar="PEER", help=f"try a peer's settings: {', '.join(tuning.PEERS)}; prints each"
    )
    options = parser.parse_args()
    # qpsolvers and cvxpy remark on each problem; here only the numbers are of interest.
    warnings.filterwarnings("ignore")
    try:
        if options.tune:
            found = tuning.tune(options.tune, options.samples)
            print(json.dumps(found, indent=1))
            return 0
        result = compare(options.samples, lambda text: print(text, file=sys.stderr))
    except (MissingPeerError, ModelsDifferError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(result))
    else:
        show(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
