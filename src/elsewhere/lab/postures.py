"""Postures of an arm that hold its palm at one place: what a home can be chosen from."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import home
from elsewhere.bodies.body import Body
from elsewhere.bodies.capsules import Capsules
from elsewhere.records import MAX_JOINTS
from elsewhere.status import SIDES

Array = NDArray[np.float64]

HELD = 1e-3  # m + rad, an error that is as good as none
MARGIN = 0.1  # rad, kept from the ends of the joint ranges
APART = 0.3  # rad, by which at least one joint of two postures differs
LEVER = 0.3  # m: what a radian of the hand is worth in metres


def postures(body: Body, side: int, p: Array, quat: Array, count: int, starts: int = 24) -> list[Array]:
    """At most `count` different postures with the palm at a pose of the base frame, the best first.

    Found from the arm's home and fixed starts; the best has the largest least singular value of its
    Jacobian: it can move the hand any way. Those in which the arm touches the body, or the other arm
    at home, come last. Where none holds the pose, the one that comes nearest.
    """
    arm = body.arms[side]
    assert arm is not None, "only arms that exist are asked for"
    model, data, R = body.model, mujoco.MjData(body.model), np.zeros(9)
    mujoco.mju_quat2Mat(R, quat)
    target, site = (R.reshape(3, 3), p), f"{SIDES[side]}_palm"
    nearest, least = arm.home, np.inf
    found: list[Array] = []
    for seed in (arm.home, *home.starts(arm.limits, starts)):
        q, error = home.reach(model, data, arm.joints, site, target, seed, arm.limits, MARGIN)
        if error < least:
            nearest, least = q, error
        if error < HELD and all(np.abs(q - other).max() > APART for other in found):
            found.append(q)
    if not found:
        return [nearest]
    shapes, both = Capsules.from_body(body), np.zeros((2, MAX_JOINTS))
    for other, each in enumerate(body.arms):
        if each:
            both[other, : each.chain.n] = each.home

    def worth(q: Array) -> tuple[bool, float]:
        both[side, : len(q)] = q
        return shapes.least_gap(both)[0] > 0.0, dexterity(arm.chain.forward(q)[2])

    return sorted(found, key=worth, reverse=True)[:count]


def dexterity(J: Array) -> float:
    """Least singular value of a Jacobian (linear rows first), a radian taken as `LEVER` metres."""
    scaled = J * np.array([1.0, 1.0, 1.0, LEVER, LEVER, LEVER])[:, None]
    return float(np.linalg.svd(scaled, compute_uv=False)[-1])
