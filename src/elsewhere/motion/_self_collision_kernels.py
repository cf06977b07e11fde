"""Compiled self-collision protection: bends and slows joint velocities so that no two parts touch."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._capsule_kernels import (
    ArmsArrays,
    Frames,
    Integers,
    ShapeArrays,
    apart,
    gap,
    nearest,
    place,
)
from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import approach_speed

Array = NDArray[np.float64]
Pairs = tuple[Integers, Array, Integers, Array, Integers]
"""The pairs (k, 2), the margin that each keeps (k); groups, their balls and blocks as in `Capsules`."""
Limits = tuple[Array, Array]
"""Acceleration (2, 8) and greatest velocity (2, 8) of the joints."""
Scratch = tuple[Frames, Array, Array, Array, Array, Array, Array, Integers, Array]
"""Frames; ends (m, 2, 3); ends elsewhere (2, m, 2, 3); way of each capsule (m); joint rows (5, 2, 8);
gaps of the near pairs (3, k): now, as asked, braking; their gradients (k, 2, 8); their numbers (k);
middle and reach of each group (g, 4)."""

SLIDE, GAIN, EASE, TOP = 0.005, 20.0, 0.5, 10.0
# SLIDE: m outside a pair's margin where closing motion ends; GAIN [1/s] close to it; EASE: share of
# the joints' acceleration that braking the gap counts on; TOP [m/s]: none.
SWEEPS = 3  # over the pairs that are slid along, after the first over all near ones
MORE, SPARE = 1.3, 0.02  # a capsule's way is taken so much longer, and by so many m
CURVED = 0.3  # rad of one joint: up to here a way is as good as straight, and its end its farthest point
LOOK, LOOKS = 0.03, 6  # m of a capsule's way between two looks along a braking path, and the most looks
SLACK = 1e-9  # m: what rounding may make of no motion


@kernel
def stopping(
    dq: Array, velocity: Array, acceleration: Array, n: int, dt: float, peak: Array, first: Array
) -> float:
    """One arm that follows `velocity` for dt and then brakes: when is it at rest [s after dt]?

    Writes the velocity after dt into `peak` and the way until then into `first`.
    """
    last = 0.0
    for j in range(n):
        most = acceleration[j] * dt
        peak[j] = dq[j] + min(max(velocity[j] - dq[j], -most), most)
        # The joint motion takes the new velocity at once in each inner tick: count on the larger way.
        first[j] = dt * (peak[j] if abs(peak[j]) > abs(dq[j]) else 0.5 * (peak[j] + dq[j]))
        last = max(last, abs(peak[j]) / acceleration[j])
    return last


@kernel
def travels(
    arms: ArmsArrays, shapes: ShapeArrays, q: Array, dq: Array, limits: Limits, dt: float, scratch: Scratch
) -> float:
    """Place all capsules, and say how far each comes before both arms rest [m], with room to spare.

    What is asked now changes the way by a little only, so it is that of braking at once: seen at its
    end (where a joint turns far, in its middle as well), and a third more. Returns the greatest.
    """
    frames, ends, moved, way, rows = scratch[:5]
    joints, link, acceleration = arms[0], shapes[1], limits[0]
    turn, there = rows[0], rows[2]
    widest = 0.0
    for side in range(2):
        for j in range(joints[side]):
            a, u = acceleration[side, j], dq[side, j]
            turn[side, j] = math.copysign(abs(u) * dt + 0.5 * u * u / a, u)
            widest = max(widest, abs(turn[side, j]))
    looks = 2 if widest > CURVED else 1
    for look in range(looks):
        for side in range(2):
            for j in range(joints[side]):
                there[side, j] = q[side, j] + turn[side, j] / (look + 1)
        place(arms, shapes, there, frames, moved[look])
    place(arms, shapes, q, frames, ends)
    greatest = 0.0
    for m in range(link.shape[0]):
        if link[m] < 0:
            way[m] = 0.0
            continue
        square = 0.0
        for look in range(looks):
            for e in range(2):
                x = moved[look, m, e, 0] - ends[m, e, 0]
                y = moved[look, m, e, 1] - ends[m, e, 1]
                z = moved[look, m, e, 2] - ends[m, e, 2]
                square = max(square, x * x + y * y + z * z)
        way[m] = MORE * math.sqrt(square) + SPARE
        greatest = max(greatest, way[m])
    return greatest


@kernel
def find_near(shapes: ShapeArrays, pairs: Pairs, scratch: Scratch) -> int:
    """Write the numbers of all pairs that may come near while the arms stop; how many there are."""
    which, margin, groups, ball, blocks = pairs
    ends, way, numbers, middles = scratch[1], scratch[3], scratch[7], scratch[8]
    radius, extent = shapes[3], shapes[4]
    for g in range(groups.shape[0]):
        first, last = groups[g, 0], groups[g, 1]
        x, y, z, farthest = 0.0, 0.0, 0.0, 0.0
        for m in range(first, last):
            x += ends[m, 0, 0] + ends[m, 1, 0]
            y += ends[m, 0, 1] + ends[m, 1, 1]
            z += ends[m, 0, 2] + ends[m, 1, 2]
            farthest = max(farthest, way[m])
        share = 0.5 / (last - first)
        middles[g, 0], middles[g, 1], middles[g, 2] = share * x, share * y, share * z
        middles[g, 3] = ball[g] + farthest
    greatest = 0.0
    for i in range(margin.shape[0]):
        greatest = max(greatest, margin[i])
    near = 0
    for block in range(blocks.shape[0]):
        a, b = blocks[block, 2], blocks[block, 3]
        x, y, z = (
            middles[a, 0] - middles[b, 0],
            middles[a, 1] - middles[b, 1],
            middles[a, 2] - middles[b, 2],
        )
        far = middles[a, 3] + middles[b, 3] + greatest + SLIDE
        if x * x + y * y + z * z > far * far:
            continue
        for i in range(blocks[block, 0], blocks[block, 1]):
            a, b = which[i, 0], which[i, 1]
            reach = margin[i] + SLIDE + way[a] + way[b]
            if not apart(ends, extent, a, b, reach) and gap(ends, radius, a, b) < reach:
                numbers[near] = i
                near += 1
    return near


@kernel
def gradient(
    shapes: ShapeArrays, kind: Integers, a: int, b: int, frames: Frames, ends: Array, row: Array
) -> float:
    """d gap / d q (2, 8) of a pair, n^T (J_b - J_a) at the nearest points; and the gap."""
    owner, link, radius = shapes[0], shapes[1], shapes[3]
    origins, axes = frames[1], frames[2]
    s, t, distance = nearest(ends[a], ends[b])
    row[:, :] = 0.0
    for which in range(2):
        m, share, sign = (a, s, -1.0) if which == 0 else (b, t, 1.0)
        side = owner[m]
        if link[m] < 0 or distance < 1e-9:
            continue
        x = ends[m, 0, 0] + share * (ends[m, 1, 0] - ends[m, 0, 0])
        y = ends[m, 0, 1] + share * (ends[m, 1, 1] - ends[m, 0, 1])
        z = ends[m, 0, 2] + share * (ends[m, 1, 2] - ends[m, 0, 2])
        nx = ends[b, 0, 0] + t * (ends[b, 1, 0] - ends[b, 0, 0])
        ny = ends[b, 0, 1] + t * (ends[b, 1, 1] - ends[b, 0, 1])
        nz = ends[b, 0, 2] + t * (ends[b, 1, 2] - ends[b, 0, 2])
        nx -= ends[a, 0, 0] + s * (ends[a, 1, 0] - ends[a, 0, 0])
        ny -= ends[a, 0, 1] + s * (ends[a, 1, 1] - ends[a, 0, 1])
        nz -= ends[a, 0, 2] + s * (ends[a, 1, 2] - ends[a, 0, 2])
        k = sign / distance
        for j in range(link[m] + 1):
            ax, ay, az = axes[side, j, 0], axes[side, j, 1], axes[side, j, 2]
            if kind[side, j] == 0:
                rx, ry, rz = x - origins[side, j, 0], y - origins[side, j, 1], z - origins[side, j, 2]
                ax, ay, az = ay * rz - az * ry, az * rx - ax * rz, ax * ry - ay * rx
            row[side, j] += k * (nx * ax + ny * ay + nz * az)
    return float(distance - radius[a] - radius[b])


@kernel
def slide(row: Array, spare: float, joints: Integers, acceleration: Array, velocity: Array) -> bool:
    """Take from the velocities what closes a gap faster than it can still be braked within `spare`.

    Each arm gives in proportion to what it closes; one that opens the gap, or rests, is left alone.
    v_s += g_s x / |g_s|^2 with 0 <= x <= -g_s^T v_s: the least change, and never more than a stop.
    True when it changed something.
    """
    closing0, closing1, brake = 0.0, 0.0, math.inf
    square0, square1 = 0.0, 0.0
    for side in range(2):
        rate, square, steep = 0.0, 0.0, 0.0
        for j in range(joints[side]):
            rate += row[side, j] * velocity[side, j]
            square += row[side, j] * row[side, j]
            steep = max(steep, abs(row[side, j]) / acceleration[side, j])
        if rate < 0.0 and square > 1e-8:
            brake = min(brake, square / steep)
        if side == 0:
            closing0, square0 = rate, square
        else:
            closing1, square1 = rate, square
    total = closing0 + closing1
    if total >= 0.0 or brake == math.inf:
        return False
    excess = -total - approach_speed(max(0.0, spare), GAIN, TOP, EASE * brake)
    both = min(closing0, 0.0) + min(closing1, 0.0)
    if excess <= 0.0:
        return False
    for side in range(2):
        rate, square = (closing0, square0) if side == 0 else (closing1, square1)
        if rate < 0.0 and square > 1e-8:
            x = min(-rate, excess * rate / both) / square
            for j in range(joints[side]):
                velocity[side, j] += x * row[side, j]
    return True


@kernel
def look_ahead(
    arms: ArmsArrays,
    shapes: ShapeArrays,
    pairs: Pairs,
    near: int,
    q: Array,
    dq: Array,
    velocity: Array,
    acceleration: Array,
    dt: float,
    looks: int,
    low: Array,
    scratch: Scratch,
) -> None:
    """Least gaps `low` of the near pairs while both arms follow `velocity` for dt and then brake.

    Gaps beyond a pair's margin are not told apart: they count as the margin.
    """
    frames, ends, rows, numbers = scratch[0], scratch[1], scratch[4], scratch[7]
    joints, radius, extent, which, margin = arms[0], shapes[3], shapes[4], pairs[0], pairs[1]
    peak, first, there = rows[0], rows[1], rows[2]
    rest = 0.0
    for side in range(2):
        n = joints[side]
        rest = max(
            rest, stopping(dq[side], velocity[side], acceleration[side], n, dt, peak[side], first[side])
        )
    for i in range(near):
        low[i] = margin[numbers[i]]
    for look in range(looks + 1):
        # Equal steps of the way, not of time: braking covers most of its way at first.
        t = rest * (1.0 - math.sqrt(max(0.0, 1.0 - look / looks)))
        for side in range(2):
            for j in range(joints[side]):
                a, u = acceleration[side, j], peak[side, j]
                own = min(t, abs(u) / a)
                way = u * own - math.copysign(0.5 * a * own * own, u)
                there[side, j] = q[side, j] + first[side, j] + way
        place(arms, shapes, there, frames, ends)
        for i in range(near):
            a, b = which[numbers[i], 0], which[numbers[i], 1]
            if not apart(ends, extent, a, b, low[i]):
                low[i] = min(low[i], gap(ends, radius, a, b))


@kernel
def swap(i: int, j: int, numbers: Integers, gaps: Array, rows: Array) -> None:
    """Exchange two near pairs."""
    numbers[i], numbers[j] = numbers[j], numbers[i]
    gaps[i], gaps[j] = gaps[j], gaps[i]
    for side in range(rows.shape[1]):
        for k in range(rows.shape[2]):
            rows[i, side, k], rows[j, side, k] = rows[j, side, k], rows[i, side, k]


@kernel
def keep_apart(
    arms: ArmsArrays,
    shapes: ShapeArrays,
    pairs: Pairs,
    limits: Limits,
    dt: float,
    q: Array,
    dq: Array,
    asked: Array,
    scratch: Scratch,
) -> tuple[float, float]:
    """Change the velocities `asked` (2, 8) in place so that no pair comes nearer than its margin.

    First it slides: closing components are removed. Then it looks along the way on which both arms
    would still stop, and slows what would come too near; braking at once always passes. Returns by
    how much each arm was changed, as a share of what it was asked.
    """
    frames, ends, rows = scratch[0], scratch[1], scratch[4]
    gaps, rows_near, numbers = scratch[5], scratch[6], scratch[7]
    joints, kind, which, margin = arms[0], arms[1], pairs[0], pairs[1]
    acceleration, top = limits
    velocity, trial = rows[3], rows[4]
    greatest = travels(arms, shapes, q, dq, limits, dt, scratch)
    near = find_near(shapes, pairs, scratch)
    if near == 0:
        return 0.0, 0.0
    for side in range(2):
        for j in range(joints[side]):
            velocity[side, j] = asked[side, j]
    # Pairs that are slid along come first in the list: only they are swept again.
    slid = 0
    for i in range(near):
        pair = numbers[i]
        gaps[0, i] = gradient(shapes, kind, which[pair, 0], which[pair, 1], frames, ends, rows_near[i])
        if slide(rows_near[i], gaps[0, i] - margin[pair] - SLIDE, joints, acceleration, velocity):
            swap(i, slid, numbers, gaps[0], rows_near)
            slid += 1
    for _ in range(SWEEPS if slid > 1 else 0):
        for i in range(slid):
            slide(rows_near[i], gaps[0, i] - margin[numbers[i]] - SLIDE, joints, acceleration, velocity)
    if slid:
        for side in range(2):
            within(velocity[side], top[side], joints[side])
    settle(arms, shapes, pairs, near, q, dq, velocity, trial, acceleration, dt, greatest, scratch)
    return (
        replace(asked[0], velocity[0], joints[0]),
        replace(asked[1], velocity[1], joints[1]),
    )


@kernel
def settle(
    arms: ArmsArrays,
    shapes: ShapeArrays,
    pairs: Pairs,
    near: int,
    q: Array,
    dq: Array,
    velocity: Array,
    trial: Array,
    acceleration: Array,
    dt: float,
    greatest: float,
    scratch: Scratch,
) -> None:
    """Slow the arms until no near pair comes nearer than its margin, or than braking would bring it."""
    gaps, rows_near, numbers = scratch[5], scratch[6], scratch[7]
    joints, margin = arms[0], pairs[1]
    looks = min(LOOKS, 1 + int(greatest / LOOK))
    now, low, floor = gaps[0], gaps[1], gaps[2]
    share0, share1, known = 1.0, 1.0, False
    for _ in range(3):
        for j in range(joints[0]):
            trial[0, j] = share0 * velocity[0, j]
        for j in range(joints[1]):
            trial[1, j] = share1 * velocity[1, j]
        look_ahead(arms, shapes, pairs, near, q, dq, trial, acceleration, dt, looks, low, scratch)
        slow0, slow1, bad = False, False, False
        for i in range(near):
            if low[i] >= margin[numbers[i]]:
                continue
            if not known:
                trial[:, :] = 0.0
                look_ahead(arms, shapes, pairs, near, q, dq, trial, acceleration, dt, looks, floor, scratch)
                known = True
            if low[i] >= min(floor[i], now[i]) - SLACK:
                continue
            bad = True
            closing0, closing1 = 0.0, 0.0
            for j in range(joints[0]):
                closing0 -= rows_near[i, 0, j] * share0 * velocity[0, j]
            for j in range(joints[1]):
                closing1 -= rows_near[i, 1, j] * share1 * velocity[1, j]
            slow0 = slow0 or closing0 > 0.0
            slow1 = slow1 or closing1 > 0.0
        if not bad:
            break
        if not (slow0 or slow1):
            slow0, slow1 = True, True
        if slow0:
            share0 = 0.5 if share0 == 1.0 else 0.0
        if slow1:
            share1 = 0.5 if share1 == 1.0 else 0.0
    else:
        share0, share1 = 0.0, 0.0
    for j in range(joints[0]):
        velocity[0, j] *= share0
    for j in range(joints[1]):
        velocity[1, j] *= share1


@kernel
def within(velocity: Array, top: Array, n: int) -> None:
    """Scale the velocities of one arm in place so that none is above its greatest."""
    share = 1.0
    for j in range(n):
        share = min(share, top[j] / max(abs(velocity[j]), 1e-12))
    for j in range(n):
        velocity[j] *= share


@kernel
def replace(asked: Array, velocity: Array, n: int) -> float:
    """Replace what was asked; how much that changes, as a share of it (0 where nothing was asked)."""
    change, size = 0.0, 0.0
    for j in range(n):
        size += asked[j] * asked[j]
        change += (velocity[j] - asked[j]) * (velocity[j] - asked[j])
        asked[j] = velocity[j]
    return math.sqrt(change / size) if size > 1e-8 else 0.0
