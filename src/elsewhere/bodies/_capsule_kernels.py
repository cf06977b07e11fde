"""Compiled geometry of capsules on two arms: where they are, and how far apart.

`arms` is a tuple of arrays, both arms side by side (see `capsules.Capsules.arms`): number of joints
(2), kind (2, 8), axis (2, 8, 3), R (2, 9, 3, 3) and p (2, 9, 3) from each joint's frame to the next.
`shapes`: side (m), 2 for what is fixed to the base; link (m), the joint a capsule moves with, -1 for
none; ends (m, 2, 3) in that joint's frame, or in the base frame; radius (m); extent (m), from the
middle to the farthest point.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._kernels import apply3, joint_rotation, matmul3
from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import quat_from_yaw_pitch_roll

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
ArmsArrays = tuple[Integers, Integers, Array, Array, Array]
ShapeArrays = tuple[Integers, Integers, Array, Array, Array]
Frames = tuple[Array, Array, Array, Array]
"""Scratch: rotations (2, 8, 3, 3), origins (2, 8, 3), axes (2, 8, 3) of the joints in the base frame,
and two 3x3 matrices (2, 3, 3)."""

FIXED = 2


@kernel
def link_frames(arms: ArmsArrays, side: int, q: Array, frames: Frames) -> None:
    """Frame and axis of every joint of one arm in the base frame, after its own motion."""
    joints, kind, axis, R, p = arms
    rotations, origins, axes, work = frames
    turn, before = work[0], work[1]
    for k in range(joints[side]):
        if k == 0:
            before[:, :] = R[side, 0]
            for i in range(3):
                origins[side, 0, i] = p[side, 0, i]
        else:
            matmul3(rotations[side, k - 1], R[side, k], before)
            apply3(rotations[side, k - 1], p[side, k], origins[side, k])
            for i in range(3):
                origins[side, k, i] += origins[side, k - 1, i]
        apply3(before, axis[side, k], axes[side, k])
        if kind[side, k] == 0 and axis[side, k, 2] == 1.0:
            # The usual axis: the rotation only mixes the first two columns.
            c, s = math.cos(q[k]), math.sin(q[k])
            for i in range(3):
                x, y = before[i, 0], before[i, 1]
                rotations[side, k, i, 0] = c * x + s * y
                rotations[side, k, i, 1] = c * y - s * x
                rotations[side, k, i, 2] = before[i, 2]
        elif kind[side, k] == 0:
            joint_rotation(axis[side, k], q[k], turn)
            matmul3(before, turn, rotations[side, k])
        else:
            rotations[side, k, :, :] = before
            for i in range(3):
                origins[side, k, i] += axes[side, k, i] * q[k]


@kernel
def place(arms: ArmsArrays, shapes: ShapeArrays, q: Array, frames: Frames, ends: Array) -> None:
    """Write the end points (m, 2, 3) of all moving capsules in the base frame, for joints q (2, 8).

    Those of the fixed ones are left as they are: they never change.
    """
    owner, link, local = shapes[0], shapes[1], shapes[2]
    rotations, origins = frames[0], frames[1]
    for side in range(2):
        link_frames(arms, side, q[side], frames)
    for m in range(owner.shape[0]):
        side, k = owner[m], link[m]
        if k < 0:
            continue
        for e in range(2):
            for i in range(3):
                ends[m, e, i] = (
                    rotations[side, k, i, 0] * local[m, e, 0]
                    + rotations[side, k, i, 1] * local[m, e, 1]
                    + rotations[side, k, i, 2] * local[m, e, 2]
                    + origins[side, k, i]
                )


@kernel
def turn_head(
    heads: Integers, local: Array, centre: Array, angles: Array, turn: Array, ends: Array
) -> None:
    """Write the ends of the capsules `heads` into `ends` (m, 2, 3) for a head turned about `centre`.

    `angles`: yaw, pitch, roll. `turn` (4) is scratch.
    """
    quat_from_yaw_pitch_roll(angles, turn)
    w, x, y, z = turn[0], turn[1], turn[2], turn[3]
    for k in range(heads.shape[0]):
        m = heads[k]
        for e in range(2):
            a, b, c = local[m, e, 0] - centre[0], local[m, e, 1] - centre[1], local[m, e, 2] - centre[2]
            # p + 2 w (v x p) + 2 v x (v x p)
            ta, tb, tc = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
            ends[m, e, 0] = centre[0] + a + w * ta + y * tc - z * tb
            ends[m, e, 1] = centre[1] + b + w * tb + z * ta - x * tc
            ends[m, e, 2] = centre[2] + c + w * tc + x * tb - y * ta


@kernel
def nearest(a: Array, b: Array) -> tuple[float, float, float]:
    """Nearest points of two segments, each given by its ends (2, 3): shares s, t, and the distance.

    The points are a0 + s (a1 - a0) and b0 + t (b1 - b0). Ericson, Real-Time Collision Detection,
    section 5.1.9; a segment may be a point, and two may be parallel.
    """
    aa, bb, ab, ar, br = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        u, v, r = a[1, i] - a[0, i], b[1, i] - b[0, i], a[0, i] - b[0, i]
        aa += u * u
        bb += v * v
        ab += u * v
        ar += u * r
        br += v * r
    s, t = 0.0, 0.0
    if bb <= 1e-18:
        if aa > 1e-18:
            s = min(max(-ar / aa, 0.0), 1.0)
    elif aa <= 1e-18:
        t = min(max(br / bb, 0.0), 1.0)
    else:
        skew = aa * bb - ab * ab
        if skew > 1e-14 * aa * bb:
            s = min(max((ab * br - ar * bb) / skew, 0.0), 1.0)
        t = (ab * s + br) / bb
        if t < 0.0:
            t, s = 0.0, min(max(-ar / aa, 0.0), 1.0)
        elif t > 1.0:
            t, s = 1.0, min(max((ab - ar) / aa, 0.0), 1.0)
    square = 0.0
    for i in range(3):
        d = b[0, i] + t * (b[1, i] - b[0, i]) - a[0, i] - s * (a[1, i] - a[0, i])
        square += d * d
    return s, t, math.sqrt(square)


@kernel
def apart(ends: Array, extent: Array, a: int, b: int, reach: float) -> bool:
    """Whether two capsules are surely further apart than `reach`: their enclosing balls are."""
    square = 0.0
    for i in range(3):
        d = 0.5 * (ends[a, 0, i] + ends[a, 1, i] - ends[b, 0, i] - ends[b, 1, i])
        square += d * d
    far = extent[a] + extent[b] + reach
    return bool(far <= 0.0 or square > far * far)


@kernel
def gap(ends: Array, radius: Array, a: int, b: int) -> float:
    """Distance of the surfaces of two capsules; negative where they overlap."""
    return float(nearest(ends[a], ends[b])[2] - radius[a] - radius[b])


@kernel
def least_gap(
    arms: ArmsArrays, shapes: ShapeArrays, pairs: Integers, q: Array, frames: Frames, ends: Array
) -> tuple[float, int]:
    """The least gap over all pairs for joints q (2, 8), and which pair has it (-1: there is none)."""
    place(arms, shapes, q, frames, ends)
    radius, extent = shapes[3], shapes[4]
    least, where = math.inf, -1
    for i in range(pairs.shape[0]):
        a, b = pairs[i, 0], pairs[i, 1]
        if where >= 0 and apart(ends, extent, a, b, least):
            continue
        d = gap(ends, radius, a, b)
        if d < least:
            least, where = d, i
    return least, where
