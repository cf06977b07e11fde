"""Compiled entry to self-collision: its arrays come in two buffers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._capsule_kernels import Integers, turn_head
from elsewhere.kernel import kernel
from elsewhere.motion._self_collision_kernels import keep_apart

Array = NDArray[np.float64]


@kernel
def protect(
    counts: Integers,
    whole: Integers,
    real: Array,
    dt: float,
    q: Array,
    dq: Array,
    asked: Array,
    head: Array,
) -> tuple[float, float]:
    """`keep_apart` for a head turned by `head` (yaw, pitch, roll), on arrays that lie in two buffers.

    Some thirty arrays as arguments cost a fifth of the whole call: here they are cut out of `whole`
    and `real`, one behind the other in the order of `self_collision.Buffers`. `counts`: capsules, pairs,
    groups, blocks, capsules of the head.
    """
    m, k, g, b, h = counts[0], counts[1], counts[2], counts[3], counts[4]
    at = 18 + 2 * m
    joints, kind = whole[:2], whole[2:18].reshape((2, 8))
    owner, link = whole[18 : 18 + m], whole[18 + m : at]
    which, groups = (
        whole[at : at + 2 * k].reshape((k, 2)),
        whole[at + 2 * k : at + 2 * k + 2 * g].reshape((g, 2)),
    )
    at += 2 * k + 2 * g
    blocks, heads = whole[at : at + 4 * b].reshape((b, 4)), whole[at + 4 * b : at + 4 * b + h]
    at += 4 * b + h
    numbers = whole[at : at + k]

    axis, R, p = (
        real[:48].reshape((2, 8, 3)),
        real[48:210].reshape((2, 9, 3, 3)),
        real[210:264].reshape((2, 9, 3)),
    )
    acceleration, top, centre = real[264:280].reshape((2, 8)), real[280:296].reshape((2, 8)), real[296:299]
    rotations, origins = real[299:443].reshape((2, 8, 3, 3)), real[443:491].reshape((2, 8, 3))
    axes, work, turn = real[491:539].reshape((2, 8, 3)), real[539:557].reshape((2, 3, 3)), real[557:561]
    rows = real[561:641].reshape((5, 2, 8))
    at = 641
    local, ends = (
        real[at : at + 6 * m].reshape((m, 2, 3)),
        real[at + 6 * m : at + 12 * m].reshape((m, 2, 3)),
    )
    moved = real[at + 12 * m : at + 24 * m].reshape((2, m, 2, 3))
    at += 24 * m
    radius, extent, way = real[at : at + m], real[at + m : at + 2 * m], real[at + 2 * m : at + 3 * m]
    at += 3 * m
    margin, ball = real[at : at + k], real[at + k : at + k + g]
    middles = real[at + k + g : at + k + 5 * g].reshape((g, 4))
    at += k + 5 * g
    gaps, near = real[at : at + 3 * k].reshape((3, k)), real[at + 3 * k : at + 19 * k].reshape((k, 2, 8))

    turn_head(heads, local, centre, head, turn, ends)
    arms, shapes = (joints, kind, axis, R, p), (owner, link, local, radius, extent)
    pairs, limits = (which, margin, groups, ball, blocks), (acceleration, top)
    frames = (rotations, origins, axes, work)
    scratch = (frames, ends, moved, way, rows, gaps, near, numbers, middles)
    return keep_apart(arms, shapes, pairs, limits, dt, q, dq, asked, scratch)
