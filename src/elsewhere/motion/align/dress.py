"""Dressing: where every joint of a human goes when its arms are posed over the robot's.

The poses are those of ONIA: R_s, R_e and R_w turn default-pose vectors of the body that is already
placed, so a vector v of the rest pose ends as R_s R_body v. With d_u and d_f of the rest pose:

    elbow = T_body shoulder + R_s R_body S_u d_u,    wrist = elbow + R_e R_body S_f d_f    (eq. 21, 22)

A bone is stretched along itself only, the hand not at all. Twist is spread: the skin at the shoulder
keeps the trunk's, that at the elbow the upper arm's; along the forearm it grows to R_e's at 0.4 of its
length and on to the hand's at the wrist (`bodies.human.helpers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.bodies.human.helpers import OWN_SHARE
from elsewhere.bodies.human.human import SIDES, Helper, Human

Array = NDArray[np.float64]

CLAVICLE_SHARE = 0.35
"""How much of the upper arm's swing the skin over the clavicle follows; the joint itself stays in place."""


class Posed(Protocol):
    """What is needed of an `ArmPose`: world rotations of default-pose vectors, and stretches."""

    @property
    def R_shoulder(self) -> Array:
        """Of the upper arm (3, 3)."""

    @property
    def R_elbow(self) -> Array:
        """Of the forearm, its twist included (3, 3)."""

    @property
    def R_wrist(self) -> Array:
        """Of the hand (3, 3)."""

    @property
    def stretch_upper(self) -> float:
        """S_u."""

    @property
    def stretch_fore(self) -> float:
        """S_f."""


def dress(
    human: Human,
    T_body: ArrayLike,
    poses: Sequence[Posed],
    fingers: Sequence[Sequence[float]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
) -> Array:
    """Matrices (joints, 4, 4) that take rest-pose points to the posed ones, for `skinned`.

    `T_body` (4, 4) places the body; `poses` are finite, left then right; `fingers` are the angles [rad] of
    thumb, index and the other fingers of each hand, positive closing (`Finger`).
    Invariant: identity poses and stretches of one give T_body at every joint.
    """
    body = np.asarray(T_body, np.float64)
    set_by_pose: dict[int, Array] = {}
    for side, pose in enumerate(poses):
        set_by_pose.update(_arm(human, side, body, pose))
    flexion = _flexion(human, fingers)
    matrices = np.empty((len(human.joints), 4, 4))
    for i, joint in enumerate(human.joints):
        if i in set_by_pose:
            matrices[i] = set_by_pose[i]
        else:
            matrices[i] = body if joint.parent < 0 else matrices[joint.parent]
            if i in flexion:
                matrices[i] = matrices[i] @ flexion[i]
    return matrices


def _arm(human: Human, side: int, body: Array, pose: Posed) -> dict[int, Array]:
    """The joints of one arm, with its helpers."""
    arm, name = human.arms[side], SIDES[side]
    R_body = body[:3, :3]
    upper, fore = arm.upper, arm.fore
    R_s, R_e, R_w = (np.asarray(R, np.float64) for R in (pose.R_shoulder, pose.R_elbow, pose.R_wrist))
    shoulder = R_body @ arm.shoulder + body[:3, 3]
    elbow = shoulder + pose.stretch_upper * (R_s @ R_body @ upper)
    wrist = elbow + pose.stretch_fore * (R_e @ R_body @ fore)
    along_upper, along_fore = _stretch(upper, pose.stretch_upper), _stretch(fore, pose.stretch_fore)
    swing_axis, swing = _between(R_body @ upper, R_s @ R_body @ upper, R_body @ arm.elbow_axis)
    bend_axis, bend = _between(R_s @ R_body @ fore, R_e @ R_body @ fore, R_s @ R_body @ arm.elbow_axis)
    follow = _turn(swing_axis, CLAVICLE_SHARE * swing)
    placed = {
        f"{name}_shoulder": _about(follow @ R_body, arm.shoulder, shoulder),
        f"{name}_upper_arm": _about(R_s @ R_body @ along_upper, arm.shoulder, shoulder),
        f"{name}_forearm": _about(R_e @ R_body @ along_fore, arm.elbow, elbow),
        f"{name}_hand": _about(R_w @ R_body, arm.wrist, wrist),
    }
    matrices = {human.index_of[n]: m for n, m in placed.items() if n in human.index_of}
    upper_axis, fore_axis = _unit(R_s @ R_body @ upper), _unit(R_e @ R_body @ fore)
    twists = {
        "upper_arm": (_twist(R_s @ _turn(swing_axis, swing).T, upper_axis), 0.0),
        "forearm": (
            _twist(R_e @ (_turn(bend_axis, bend) @ R_s).T, fore_axis),
            _twist(R_w @ R_e.T, fore_axis),
        ),
    }
    bases = {
        "upper_arm": (upper_axis, R_s @ R_body @ along_upper, arm.shoulder, shoulder),
        "forearm": (fore_axis, R_e @ R_body @ along_fore, arm.elbow, elbow),
    }
    mine = [helper for helper in human.helpers if helper.side == side]
    for helper in mine:
        if helper.kind == "halfway":
            matrices[helper.joint] = _about(_turn(bend_axis, 0.5 * bend) @ R_s @ R_body, arm.elbow, elbow)
    for bone, (axis, linear, rest, posed) in bases.items():
        along = [helper for helper in mine if helper.kind == "twist" and helper.bone == bone]
        turns = np.array([_spread(helper, *twists[bone]) for helper in along])
        placed_along = _about(_turn(np.broadcast_to(axis, (len(along), 3)), turns) @ linear, rest, posed)
        matrices.update({helper.joint: m for helper, m in zip(along, placed_along, strict=True)})
    return matrices


def _spread(helper: Helper, own: float, beyond: float) -> float:
    """How far [rad] a helper turns about the bone, relative to the bone's own joint.

    Straight lines through three points: 0 twist at share 0, `own` at the joint's own share, and
    `own + beyond` at share 1.
    """
    place = OWN_SHARE[helper.bone]
    if helper.share <= place:
        return own * (helper.share / place - 1.0)
    return beyond * (helper.share - place) / (1.0 - place)


def _flexion(human: Human, fingers: Sequence[Sequence[float]]) -> dict[int, Array]:
    """Turns (4, 4) of the finger joints in the rest frame."""
    joints: list[int] = []
    axes: list[Array] = []
    angles: list[float] = []
    for side, given in enumerate(fingers):
        for finger in human.fingers[side]:
            joints += finger.joints
            axes += [*finger.axes]
            angles += [share * given[finger.group] for share in finger.shares]
    if not joints:
        return {}
    centres = human.rest[joints]
    return dict(zip(joints, _about(_turn(np.array(axes), np.array(angles)), centres, centres), strict=True))


def posed_points(arm: HumanArm, T_body: ArrayLike, pose: Posed) -> tuple[Array, Array, Array]:
    """Shoulder, elbow and wrist of a posed arm (3,), as the skin's joints have them (eq. 21 and 22)."""
    body = np.asarray(T_body, np.float64)
    shoulder = body[:3, :3] @ arm.shoulder + body[:3, 3]
    elbow = shoulder + pose.stretch_upper * (pose.R_shoulder @ body[:3, :3] @ arm.upper)
    return shoulder, elbow, elbow + pose.stretch_fore * (pose.R_elbow @ body[:3, :3] @ arm.fore)


def _unit(v: Array) -> Array:
    return np.asarray(v / np.sqrt(v @ v))


def _stretch(bone: Array, factor: float) -> Array:
    """I + (S - 1) d d^T: longer along the bone, untouched across it."""
    d = _unit(bone)
    return np.eye(3) + (factor - 1.0) * np.outer(d, d)


def _about(linear: Array, rest: Array, posed: Array) -> Array:
    """The matrices x -> posed + A (x - rest); A may be one (3, 3) or many (k, 3, 3)."""
    matrix = np.zeros((*linear.shape[:-2], 4, 4))
    matrix[..., :3, :3] = linear
    matrix[..., :3, 3] = posed - (linear @ rest[..., None])[..., 0]
    matrix[..., 3, 3] = 1.0
    return matrix


def _turn(axis: Array, angle: float | Array) -> Array:
    """Rotations about unit axes (Rodrigues): one, or many (k, 3) by their angles (k,)."""
    x, y, z = axis[..., 0], axis[..., 1], axis[..., 2]
    s, c = np.sin(angle), np.cos(angle)
    k = 1.0 - c
    R = np.empty((*axis.shape[:-1], 3, 3))
    R[..., 0, 0], R[..., 0, 1], R[..., 0, 2] = c + k * x * x, k * x * y - s * z, k * x * z + s * y
    R[..., 1, 0], R[..., 1, 1], R[..., 1, 2] = k * x * y + s * z, c + k * y * y, k * y * z - s * x
    R[..., 2, 0], R[..., 2, 1], R[..., 2, 2] = k * x * z - s * y, k * y * z + s * x, c + k * z * z
    return R


def _cross(a: Array, b: Array) -> Array:
    """a x b; NumPy's own takes ten times as long for two vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _between(a: Array, b: Array, spare: Array) -> tuple[Array, float]:
    """Axis and angle of the least rotation from a to b; about `spare` where they are opposite."""
    a, b = _unit(a), _unit(b)
    axis = _cross(a, b)
    size = float(np.sqrt(axis @ axis))
    if size > 1e-9:
        return axis / size, float(np.arctan2(size, a @ b))
    if a @ b > 0.0:
        return np.array([0.0, 0.0, 1.0]), 0.0
    square = spare - (spare @ a) * a
    if square @ square < 1e-12:
        square = _cross(a, np.eye(3)[np.argmin(np.abs(a))])
    return _unit(square), np.pi


def _twist(R: Array, axis: Array) -> float:
    """Angle of R's part about a unit axis, in (-pi, pi]: 2 atan2(v . axis, w) of its quaternion.

    The quaternion is (1 + trace R, skew part) up to scale. Half a turn about a square axis has no twist.
    """
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    w = 1.0 + R[0, 0] + R[1, 1] + R[2, 2]
    along = float(skew @ axis)
    if w < 1e-9 and abs(along) < 1e-9:
        # Near half a turn the skew part vanishes; the axis is in R + I instead.
        return np.pi if axis @ R @ axis > 1.0 - 1e-6 else 0.0
    return float(2.0 * np.arctan2(along, w))
