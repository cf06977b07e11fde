"""Few capsules around all places that the fingers of a hand can bend to.

Where fingers are on their way from open to closed is not known to what keeps the arms apart; so each
finger is bent through its range, and what it sweeps is covered.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Part = tuple[Array, float]
"""A capsule: end points (2, 3) and radius."""

BENDS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of a finger joint's range at which it is looked at."""
SLIM = 0.034
"""Capsules are added until none is thicker than this radius [m], or there are MOST."""
MOST = 6
_HINGE, _SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)


def slides(model: mujoco.MjModel, body: int) -> bool:
    """Whether a finger moves by a slide: then its way is covered at both ends."""
    return bool(model.body_jntnum[body]) and int(model.jnt_type[model.body_jntadr[body]]) == _SLIDE


def bent_fingers(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    fingers: dict[int, list[int]],
    carried: dict[int, tuple[int, int]],
) -> Iterator[tuple[list[int], Array, list[Array]]]:
    """Groups of fingers of one hand that bend about the same direction, that axis, and their poses (qpos).

    `fingers`: the geoms of each finger by its first body; `carried`: what carries each finger.
    """
    followers = _followers(model)
    groups: list[tuple[list[int], Array]] = []
    for finger in fingers:
        axis = data.xaxis[model.body_jntadr[finger]].copy()
        for group, other in groups:
            if carried[group[0]] == carried[finger] and abs(float(axis @ other)) > 0.95:
                group.append(finger)
                break
        else:
            groups.append(([finger], axis))
    for group, axis in groups:
        joints = [_free_joints(model, fingers[finger], finger, followers) for finger in group]
        poses = []
        for bends in product(BENDS, repeat=max(len(own) for own in joints)):
            pose = data.qpos.copy()
            for own in joints:
                for joint, bend in zip(own, bends, strict=False):
                    low, high = model.jnt_range[joint]
                    pose[model.jnt_qposadr[joint]] = low + bend * (high - low)
            for joint, (leader, polynomial) in followers.items():
                moved = pose[model.jnt_qposadr[leader]] - model.qpos0[model.jnt_qposadr[leader]]
                at = model.jnt_qposadr[joint]
                pose[at] = model.qpos0[at] + np.polynomial.polynomial.polyval(moved, polynomial)
            poses.append(pose)
        yield group, axis, poses


def _followers(model: mujoco.MjModel) -> dict[int, tuple[int, Array]]:
    """Joints that are coupled to another one: that one, and the polynomial of its motion."""
    coupled = np.flatnonzero(model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT))
    return {
        int(model.eq_obj1id[eq]): (int(model.eq_obj2id[eq]), model.eq_data[eq, :5])
        for eq in coupled
        if model.eq_obj2id[eq] >= 0
    }


def _free_joints(
    model: mujoco.MjModel, geoms: list[int], finger: int, followers: dict[int, tuple[int, Array]]
) -> list[int]:
    """The hinges of one finger that move by themselves, from the palm outwards."""
    bodies = {finger} | {int(model.geom_bodyid[geom]) for geom in geoms}
    joints = [joint for joint in range(model.njnt) if int(model.jnt_bodyid[joint]) in bodies]
    return [joint for joint in joints if model.jnt_type[joint] == _HINGE and joint not in followers]


def swept(parts: list[Part], axis: Array) -> list[Part]:
    """Few capsules around many: those that lie together, as seen along `axis`, share one."""
    halves = [(ends, radius) for whole, radius in parts for ends in _halves(whole)]
    middles = np.array([ends.mean(axis=0) for ends, _ in halves])
    seen = middles - np.outer(middles @ axis, axis)
    covers: list[Part] = []
    for count in range(1, MOST + 1):
        nearest = _clusters(seen, count)
        covers = [
            around([part for part, own in zip(halves, nearest, strict=True) if own == number], axis)
            for number in np.unique(nearest)
        ]
        if max(radius for _, radius in covers) <= SLIM:
            break
    return covers


def _halves(ends: Array) -> Array:
    middle = ends.mean(axis=0)
    return np.array([[ends[0], middle], [middle, ends[1]]])


def _clusters(points: Array, count: int) -> NDArray[np.int64]:
    """Which of `count` clusters each point is in: centres far from each other, then at their means."""
    centres = points[:1]
    for _ in range(count - 1):
        distance = np.linalg.norm(points[:, None] - centres[None], axis=2).min(axis=1)
        centres = np.concatenate([centres, points[[int(distance.argmax())]]])
    nearest = np.zeros(len(points), np.int64)
    for _ in range(20):
        nearest = np.linalg.norm(points[:, None] - centres[None], axis=2).argmin(axis=1)
        for number in range(count):
            own = nearest == number
            if own.any():
                centres[number] = points[own].mean(axis=0)
    return nearest


def around(parts: list[Part], axis: Array | None = None) -> Part:
    """The slimmest capsule around several, its axis as their two farthest ends lie, or along `axis`."""
    points = np.concatenate([ends for ends, _ in parts])
    radii = np.repeat([radius for _, radius in parts], 2)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    first, second = np.unravel_index(int(distance.argmax()), distance.shape)
    axes = [(points[second] - points[first]) / max(float(distance.max()), 1e-12)]
    if axis is not None:
        axes.append(axis)
    return min((_around(points, radii, one) for one in axes), key=lambda part: part[1])


def _around(points: Array, radii: Array, axis: Array) -> Part:
    """A slim capsule around balls, along `axis`.

    The smallest circle around circles, seen along that direction, by going towards the farthest in
    ever smaller steps (Badoiu and Clarkson, 2003).
    """
    along = points @ axis
    aside = points - along[:, None] * axis
    middle = aside.mean(axis=0)
    for step in range(1, 300):
        reach = np.linalg.norm(aside - middle, axis=1) + radii
        middle = middle + (aside[int(reach.argmax())] - middle) / (step + 1)
    off = np.linalg.norm(aside - middle, axis=1)
    radius = float((off + radii).max())
    # A ball near the axis needs less than its middle inside the segment: the round cap covers the rest.
    slack = np.sqrt(np.maximum((radius - radii) ** 2 - off**2, 0.0))
    low, high = float((along + slack).min()), float((along - slack).max())
    if low > high:
        low = high = 0.5 * (low + high)
    return np.array([middle + low * axis, middle + high * axis]), radius
