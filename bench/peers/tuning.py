"""Tries settings of a peer and tells what each gives: how the `best` of each peer was found."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.peers.cvxpy_follower import Cvxpy
from bench.peers.follower import Follower, Settings
from bench.peers.mink_follower import Mink
from bench.peers.pink_follower import Pink
from bench.peers.placo_follower import Placo
from elsewhere.bodies.arm import Arm
from elsewhere.bodies.compose import compose
from elsewhere.lab.following import hand_path, lost, start_joints
from elsewhere.lab.hand_path import RATE_HZ, HandPath
from elsewhere.rig import load_rig
from elsewhere.status import RIGHT

PEERS: dict[str, Callable[[Arm, float, Settings], Follower]] = {
    "mink": Mink,
    "pink": Pink,
    "placo": Placo,
    "cvxpy": Cvxpy,
}


def candidates(name: str) -> list[Settings]:
    """A small grid, the same for all who can be set alike."""
    if name == "cvxpy":
        return [Settings(towards=to, qp=qp) for to in ("neutral", "home") for qp in ("OSQP", "CLARABEL")]
    qp = "eiquadprog" if name == "placo" else "daqp"
    return [
        Settings(orientation, posture, damping, towards, qp)
        for orientation, posture, damping, towards in itertools.product(
            (0.03, 0.1, 0.3, 1.0), (1e-6, 1e-4, 1e-3, 5e-3), (1e-6, 1e-3), ("home", "neutral")
        )
    ]


def tune(name: str, samples: int | None) -> list[dict[str, Any]]:
    """M_track on both paths for each candidate, best sum first."""
    body = compose(load_rig("commodity"))
    arm = body.arms[RIGHT]
    assert arm is not None
    paths = [hand_path(one, RIGHT, samples) for one in ("A", "B")]
    starts = [start_joints(body, RIGHT, path) for path in paths]
    rows = []
    for settings in candidates(name):
        row: dict[str, Any] = {"settings": settings.text()}
        for path, start in zip(paths, starts, strict=True):
            follower = PEERS[name](arm, 1.0 / RATE_HZ, settings)
            row[f"m_track {path.name}"] = _m_track(follower, path, start)
        print(row, file=sys.stderr)
        rows.append(row)
    return sorted(rows, key=lambda row: row["m_track A"] + row["m_track B"])


def _m_track(follower: Follower, path: HandPath, start: np.ndarray) -> float:
    follower.start(start)
    joints = np.zeros((len(path.p), len(start)))
    for k in range(len(path.p)):
        follower.step(path.p[k], path.q[k])
        joints[k] = follower.joints
    return float(np.mean(lost(follower.arm, path, joints)))
