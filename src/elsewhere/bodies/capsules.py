"""A body's collision shapes as capsules, and the pairs of them that must not touch.

Capsules are what can be told apart fast: a segment and a radius. Boxes, cylinders and fingers are
covered by capsules, so a positive gap between capsules is a positive gap between the shapes. Fingers
are covered wherever they can bend to (`finger_cover`), a sliding jaw at both ends of its way. The head's
capsules are given as it looks straight ahead; `turn_head` turns them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import _capsule_kernels as kernels
from elsewhere.bodies._kernels import MAX
from elsewhere.bodies.body import Body
from elsewhere.bodies.finger_cover import Part, around, bent_fingers, slides, swept
from elsewhere.bodies.shapes import COLLISION_GROUP

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

JOINTS_BETWEEN = 3
"""Capsules of one arm are a pair when at least this many joints lie between them."""
DESIGN_GAP = 0.01
"""Pairs nearer than this [m] at home or in the neutral pose belong together by design."""
CLEAR = 0.1
"""Pairs that can never come nearer than this [m] are left out."""

_GEOM = mujoco.mjtGeom


class _Capsule(NamedTuple):
    """One capsule while they are being gathered; `geom` stands for what it may touch."""

    side: int
    link: int
    ends: Array
    radius: float
    geom: int


@dataclass(frozen=True)
class Capsules:
    """All capsules of a body, and the pairs that are watched.

    `side` is 0 left arm, 1 right arm, 2 fixed to the base; `link` is the index of the joint that a
    capsule moves with, -1 where fixed; `ends` (m, 2, 3) are in that joint's frame or the base frame.
    `lever` (m, 8) bounds how far any point of a capsule is from each joint that moves it [m; 1 for a
    slide]. `usual` is the gap of each pair at home or in the neutral pose, whichever is less.

    Capsules that move together are a group: `groups` (g, 2) are its first and one past its last capsule,
    `ball` (g) bounds how far it reaches from the mean of its ends. `blocks` (b, 4) are the pairs of two
    groups: first pair, one past the last, and the groups. Two groups whose balls are far apart need no
    look at their pairs.
    """

    names: tuple[str, ...]
    side: Integers
    link: Integers
    ends: Array
    radius: Array
    lever: Array
    pairs: Integers
    usual: Array
    arms: kernels.ArmsArrays
    groups: Integers
    ball: Array
    blocks: Integers

    @property
    def shapes(self) -> kernels.ShapeArrays:
        """The capsules as the compiled kernels take them."""
        half = 0.5 * np.linalg.norm(self.ends[:, 1] - self.ends[:, 0], axis=1)
        return self.side, self.link, self.ends, self.radius, half + self.radius

    @property
    def heads(self) -> Integers:
        """The capsules of the head."""
        return np.array([i for i, name in enumerate(self.names) if name == "head"], np.int64)

    def least_gap(self, q: Array, head: tuple[Array, Array] | None = None) -> tuple[float, tuple[str, str]]:
        """Least gap [m] for joints q (2, 8), and the bodies that have it.

        `head`: where its axes meet, and its yaw, pitch, roll; without it, it looks straight ahead.
        """
        ends, frames = self.ends.copy(), scratch()
        if head is not None:
            kernels.turn_head(self.heads, self.ends, *head, np.zeros(4), ends)
        least, where = kernels.least_gap(self.arms, self.shapes, self.pairs, q, frames, ends)
        first, second = self.pairs[where] if where >= 0 else (0, 0)
        return least, (self.names[first], self.names[second])

    @classmethod
    def from_body(cls, body: Body) -> Capsules:
        """The capsules of a body. A rig without arms has no pairs."""
        found = sorted(_gathered(body), key=_group)
        arms = _side_by_side(body)
        model = body.model
        names = tuple(model.body(model.geom_bodyid[one.geom]).name for one in found)
        made = cls(
            names=names,
            side=np.array([one.side for one in found], np.int64),
            link=np.array([one.link for one in found], np.int64),
            ends=np.array([one.ends for one in found]),
            radius=np.array([one.radius for one in found]),
            lever=np.array([_levers(arms, one) for one in found]),
            pairs=np.zeros((0, 2), np.int64),
            usual=np.zeros(0),
            arms=arms,
            groups=np.zeros((0, 2), np.int64),
            ball=np.zeros(0),
            blocks=np.zeros((0, 4), np.int64),
        )
        pairs, usual = _pairs(body, found, made)
        keys = [_group(one) for one in found]
        starts = [i for i, key in enumerate(keys) if i == 0 or key != keys[i - 1]]
        groups = np.array([*zip(starts, [*starts[1:], len(keys)], strict=True)], np.int64).reshape(-1, 2)
        ball = np.array([_ball(found[first:last]) for first, last in groups])
        number = np.searchsorted(starts, np.arange(len(keys)), side="right") - 1
        both = number[pairs]
        order = np.lexsort((both[:, 1], both[:, 0]))
        return replace(
            made,
            pairs=pairs[order],
            usual=usual[order],
            groups=groups,
            ball=ball,
            blocks=_blocks(both[order]),
        )


def scratch() -> kernels.Frames:
    """Room for the kernels' intermediate values: make it once, outside the loop."""
    return np.zeros((2, MAX, 3, 3)), np.zeros((2, MAX, 3)), np.zeros((2, MAX, 3)), np.zeros((2, 3, 3))


def _side_by_side(body: Body) -> kernels.ArmsArrays:
    """The kinematics of both arms in common arrays. A missing arm has no joints."""
    joints, kind = np.zeros(2, np.int64), np.zeros((2, MAX), np.int64)
    axis, R, p = np.zeros((2, MAX, 3)), np.zeros((2, MAX + 1, 3, 3)), np.zeros((2, MAX + 1, 3))
    for side, arm in enumerate(body.arms):
        if arm:
            n = joints[side] = arm.chain.n
            kind[side, :n], axis[side, :n] = arm.chain.kind, arm.chain.axis
            R[side, : n + 1], p[side, : n + 1] = arm.chain.R, arm.chain.p
    return joints, kind, axis, R, p


def _levers(arms: kernels.ArmsArrays, one: _Capsule) -> Array:
    """Farthest that a capsule's axis can be from each joint before it, whatever the pose."""
    lever = np.zeros(MAX)
    if one.side == kernels.FIXED:
        return lever
    _, kind, _, _, p = arms
    reach = float(np.linalg.norm(one.ends, axis=1).max())
    for joint in range(one.link, -1, -1):
        lever[joint] = reach if kind[one.side, joint] == 0 else 1.0
        reach += float(np.linalg.norm(p[one.side, joint]))
    return lever


def _group(one: _Capsule) -> tuple[int, int, int]:
    """What a capsule moves with. Fixed ones are many and apart: each stands for itself."""
    return one.side, one.link, one.geom if one.side == kernels.FIXED else 0


def _ball(group: list[_Capsule]) -> float:
    """How far a group reaches from the mean of its ends."""
    ends = np.concatenate([one.ends for one in group])
    radii = np.repeat([one.radius for one in group], 2)
    return float((np.linalg.norm(ends - ends.mean(axis=0), axis=1) + radii).max())


def _blocks(both: Integers) -> Integers:
    """Runs of pairs with the same two groups (k, 2): first pair, one past the last, the groups."""
    starts = [i for i in range(len(both)) if i == 0 or (both[i] != both[i - 1]).any()]
    ends = [*starts[1:], len(both)]
    rows = [(start, end, *both[start]) for start, end in zip(starts, ends, strict=True)]
    return np.array(rows, np.int64).reshape(-1, 4)


def _gathered(body: Body) -> Iterator[_Capsule]:
    """Every collision shape as capsules in the frame of what it moves with."""
    model = body.model
    data = mujoco.MjData(model)
    body.go_home(model, data)
    for arm in body.arms:
        for name in arm.joints if arm else ():
            data.qpos[model.joint(name).qposadr[0]] = 0.0
    owner = {
        int(model.joint(name).bodyid[0]): (side, link)
        for side, arm in enumerate(body.arms)
        for link, name in enumerate(arm.joints if arm else ())
    }
    solid = (model.geom_group == COLLISION_GROUP) & ((model.geom_contype | model.geom_conaffinity) != 0)
    fingers: dict[int, list[int]] = {}
    mujoco.mj_kinematics(model, data)
    for geom in np.flatnonzero(solid).tolist():
        finger, (side, link) = _carrier(model, owner, int(model.geom_bodyid[geom]))
        if finger and side != kernels.FIXED:
            fingers.setdefault(finger, []).append(geom)
        else:
            for ends, radius in _covered(model, data, geom):
                yield _Capsule(side, link, _local(body, data, side, link, ends), radius, geom)
    carried = {finger: _carrier(model, owner, finger)[1] for finger in fingers}
    for first, parts in _finger_parts(model, data, fingers, carried):
        side, link = carried[first]
        yield from (
            _Capsule(side, link, _local(body, data, side, link, ends), radius, fingers[first][0])
            for ends, radius in parts
        )


def _finger_parts(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    fingers: dict[int, list[int]],
    carried: dict[int, tuple[int, int]],
) -> Iterator[tuple[int, list[Part]]]:
    """Capsules, in the world, around all that fingers reach, and the finger that stands for them."""
    start = data.qpos.copy()
    for finger, geoms in fingers.items():
        if slides(model, finger):
            joint = int(model.body_jntadr[finger])
            for value in (start[model.jnt_qposadr[joint]], model.jnt_range[joint, 1]):
                data.qpos[model.jnt_qposadr[joint]] = value
                mujoco.mj_kinematics(model, data)
                yield finger, [around([part for geom in geoms for part in _covered(model, data, geom)])]
    hinged = {finger: geoms for finger, geoms in fingers.items() if not slides(model, finger)}
    for group, axis, poses in bent_fingers(model, data, hinged, carried):
        parts: list[Part] = []
        for pose in poses:
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
            parts += [
                part for one in group for geom in fingers[one] for part in _covered(model, data, geom)
            ]
        yield group[0], swept(parts, axis)
    data.qpos[:] = start
    mujoco.mj_kinematics(model, data)


def _carrier(
    model: mujoco.MjModel, owner: dict[int, tuple[int, int]], start: int
) -> tuple[int, tuple[int, int]]:
    """The finger (its first body, 0 for none) and the joint of an arm that carry a body."""
    finger, above = 0, start
    while above and above not in owner:
        if model.body_jntnum[above]:
            finger = above
        above = int(model.body_parentid[above])
    return finger, owner.get(above, (kernels.FIXED, -1))


def _local(body: Body, data: mujoco.MjData, side: int, link: int, ends: Array) -> Array:
    """World points in the frame of a joint (at its anchor, turned as its body), or of the base."""
    model = body.model
    arm = body.arms[side] if side != kernels.FIXED else None
    if arm is None:
        frame = model.body("base").id
        R, p = data.xmat[frame].reshape(3, 3), data.xpos[frame]
    else:
        joint = model.joint(arm.joints[link])
        frame = int(joint.bodyid[0])
        R = data.xmat[frame].reshape(3, 3)
        p = data.xpos[frame] + R @ joint.pos
    return np.asarray((ends - p) @ R)


def _covered(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> list[Part]:
    """Capsules, in the world, that cover a geom: end points (2, 3) and radius."""
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    R, p = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
    up = R[:, 2]
    if kind in (_GEOM.mjGEOM_CAPSULE, _GEOM.mjGEOM_CYLINDER):
        return [(np.array([p - up * size[1], p + up * size[1]]), float(size[0]))]
    if kind == _GEOM.mjGEOM_SPHERE:
        return [(np.array([p, p]), float(size[0]))]
    # A box, or the box around any other shape: capsules along its longest edge, side by side.
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    thin, wide, long = np.argsort(half)
    rows = max(1, round(half[wide] / half[thin]))
    width = half[wide] / rows
    made = []
    for row in range(rows):
        middle = p + R @ centre + R[:, wide] * (2 * row + 1 - rows) * width
        ends = np.array([middle - R[:, long] * half[long], middle + R[:, long] * half[long]])
        made.append((ends, float(np.hypot(half[thin], width))))
    return made


def _pairs(body: Body, found: list[_Capsule], made: Capsules) -> tuple[Integers, Array]:
    """Pairs that may touch and can come near each other, and how far apart they usually are."""
    poses = [np.zeros((2, MAX)), np.zeros((2, MAX))]
    for side, arm in enumerate(body.arms):
        if arm:
            poses[0][side, : arm.chain.n], poses[1][side, : arm.chain.n] = arm.home, arm.neutral
    placed = []
    for q in poses:
        ends = made.ends.copy()
        kernels.place(made.arms, made.shapes, q, scratch(), ends)
        placed.append(ends)
    model, shoulders = body.model, made.arms[4][:, 0]
    excluded = {tuple(sorted((int(s) >> 16, int(s) & 0xFFFF))) for s in model.exclude_signature}
    pairs, usual = [], []
    for b, second in enumerate(found):
        for a, first in enumerate(found[:b]):
            if not (_may_touch(model, excluded, first, second) and _can_meet(made, shoulders, a, b)):
                continue
            least = min(kernels.gap(ends, made.radius, a, b) for ends in placed)
            if least > DESIGN_GAP:
                pairs.append((a, b))
                usual.append(least)
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(usual)


def _may_touch(
    model: mujoco.MjModel, excluded: set[tuple[int, ...]], first: _Capsule, second: _Capsule
) -> bool:
    """Whether physics lets two shapes touch, and they do not hang next to each other on one arm."""
    if first.side == second.side and abs(first.link - second.link) < JOINTS_BETWEEN:
        return False
    a, b = first.geom, second.geom
    bodies = sorted((int(model.geom_bodyid[a]), int(model.geom_bodyid[b])))
    touch = (
        model.geom_contype[a] & model.geom_conaffinity[b]
        | model.geom_contype[b] & model.geom_conaffinity[a]
    )
    return bool(touch) and tuple(bodies) not in excluded


def _can_meet(made: Capsules, shoulders: Array, a: int, b: int) -> bool:
    """Whether an arm reaches far enough for two capsules ever to be near each other."""
    if kernels.FIXED not in (made.side[a], made.side[b]):
        return True
    fixed, moving = (a, b) if made.side[a] == kernels.FIXED else (b, a)
    shoulder = np.array([shoulders[made.side[moving]]] * 2)
    distance = kernels.nearest(made.ends[fixed], shoulder)[2] - made.radius[fixed]
    return bool(distance - made.lever[moving, 0] - made.radius[moving] < CLEAR)
