"""Compiled FABRIK on shoulder, elbow and wrist, with tolerance, limits and stretch (ONIA, section III-A2).

A state: elbow, wrist, twist of the upper arm. `settings`: those of all solvers, limits, greatest number of
sweeps for one tolerance, number of bisections, and how far beyond its tolerance a joint may be [m].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import inlined, kernel
from elsewhere.motion.align._limit_kernels import Limits, clamp, read_limits, write_limbs
from elsewhere.motion.align._packed_kernels import (
    MODEL,
    POSE,
    REFERENCE,
    Frame,
    Model,
    Robot,
    read_model,
    read_robot,
    read_settings,
    usable,
    write_rest,
)
from elsewhere.motion.align._vector_kernels import (
    Vec,
    along,
    carry_two,
    cross,
    distance,
    dot,
    mul,
    norm,
    put,
    sub,
    turn,
    upright,
    vec,
)

Array = NDArray[np.float64]
Chain = tuple[Vec, Vec, float]
"""Elbow, wrist, twist of the upper arm."""

STATE = 7
TINY = 1e-9
STILL = 1e-5
"""A sweep that moves no joint further than this [m] ends the search: nothing more will come."""


@inlined
def within(p: Vec, target: Vec, tolerance: float) -> Vec:
    """The point nearest to p that is at most `tolerance` from `target`."""
    d = distance(p, target)
    if d <= tolerance:
        return p
    return along(target, tolerance / d, sub(p, target))


@inlined
def placed(centre: Vec, wanted: Vec, old: Vec, length: float, limits: Limits) -> Vec:
    """The point in the direction of `wanted` (of `old`, where that is the centre), a bone's length away."""
    d = distance(wanted, centre)
    if d < TINY:
        wanted = old
        d = max(distance(wanted, centre), TINY)
    bone = clamp(d, limits.low * length, limits.high * length)
    return along(centre, bone / d, sub(wanted, centre))


@inlined
def in_cone(m: Model, u: Vec, swing: float) -> Vec:
    """The direction nearest to u at most `swing` from the default one."""
    x = m.own[0]
    side = upright(u, x)
    sine, cosine = norm(side), dot(u, x)
    if math.atan2(sine, cosine) <= swing:
        return u
    if sine < TINY:
        side, sine = m.own[1], 1.0
    return along(mul(math.cos(swing), x), math.sin(swing) / sine, side)


@inlined
def shoulder_frame(m: Model, u: Vec, twist: float) -> Frame:
    """R_s's image of F_h: swung to u, then twisted."""
    a = carry_two(m.own[0], u, m.own[1], m.own[1], m.own[0])[0]
    a = turn(a, u, math.cos(twist), math.sin(twist))
    return (u, a, cross(u, a))


@inlined
def wrapped(angle: float) -> float:
    """The same angle within half a turn of zero."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@inlined
def limited(m: Model, chain: Chain, limits: Limits) -> Chain:
    """The chain with swing, twist and hinge put back into their limits; lengths stay.

    The twist is read off the plane of the arm; a straight arm has none and keeps the one before. That, and
    a hinge that would have to bend outward and is put to its end instead, is how FABRIK gets trapped.
    """
    elbow, wrist, twist = chain
    upper, fore = distance(elbow, m.shoulder), distance(wrist, elbow)
    u = in_cone(m, mul(1.0 / upper, sub(elbow, m.shoulder)), limits.swing)
    f = mul(1.0 / fore, sub(wrist, elbow))
    a = cross(u, f)
    if norm(a) > 1e-6:
        _, y, z = shoulder_frame(m, u, 0.0)
        twist = clamp(math.atan2(dot(a, z), dot(a, y)), -limits.twist, limits.twist)
    _, y, _ = shoulder_frame(m, u, twist)
    bend = cross(y, u)
    # The default pose may be bent a little already: hinge angles count from there.
    own = cross(m.own[1], m.own[0])
    rest = math.atan2(dot(m.fore, own), dot(m.fore, m.own[0]))
    hinge = math.atan2(dot(f, bend), dot(f, u)) - rest
    middle = 0.5 * (limits.hinge_low + limits.hinge_high)
    hinge = middle + wrapped(hinge - middle)  # so that the nearer end is taken
    hinge = clamp(hinge, limits.hinge_low, limits.hinge_high) + rest
    f = along(mul(math.cos(hinge), u), math.sin(hinge), bend)
    elbow = along(m.shoulder, upper, u)
    return elbow, along(elbow, fore, f), twist


@inlined
def sweep(m: Model, r: Robot, chain: Chain, tolerance: float, limits: Limits) -> Chain:
    """From the wrist up, then from the fixed shoulder down, and the limits after either.

    On the way up the wrist stays and the limits move the elbow, on the way down the other way round: only
    so can an elbow that has a tolerance make room for a wrist that its hinge does not reach.
    """
    elbow, wrist, twist = chain
    wrist = within(wrist, r.wrist, tolerance)
    elbow = placed(wrist, within(elbow, r.elbow, tolerance), elbow, m.fore_length, limits)
    up = limited(m, (elbow, wrist, twist), limits)
    elbow = along(wrist, -1.0, sub(up[1], up[0]))
    elbow = placed(m.shoulder, within(elbow, r.elbow, tolerance), elbow, m.upper_length, limits)
    wrist = placed(elbow, within(wrist, r.wrist, tolerance), wrist, m.fore_length, limits)
    return limited(m, (elbow, wrist, up[2]), limits)


@inlined
def worst(r: Robot, chain: Chain) -> float:
    """The larger deviation of elbow and wrist [m]."""
    return max(distance(chain[0], r.elbow), distance(chain[1], r.wrist))


@inlined
def attempt(
    m: Model, r: Robot, start: Chain, tolerance: float, limits: Limits, settings: Array
) -> tuple[Chain, bool, int]:
    """Sweeps with one tolerance: the chain, whether both joints came within it, the number of sweeps."""
    chain, count = start, 0
    while count < settings[10]:
        count += 1
        before = chain
        chain = sweep(m, r, chain, tolerance, limits)
        if worst(r, chain) <= tolerance + settings[12]:
            return chain, True, count
        if max(distance(chain[0], before[0]), distance(chain[1], before[1])) < STILL:
            break
    return chain, False, count


@inlined
def search(m: Model, r: Robot, start: Chain, limits: Limits, settings: Array) -> tuple[Chain, int]:
    """The chain of the smallest workable tolerance, by binary search, and the number of sweeps.

    Every tolerance starts from the frame before: a joint that is within it need not move.
    """
    best, workable, count = attempt(m, r, start, 0.0, limits, settings)
    if workable:
        return best, count
    low, high = 0.0, worst(r, best)
    for _ in range(int(settings[11])):
        middle = 0.5 * (low + high)
        chain, workable, more = attempt(m, r, start, middle, limits, settings)
        count += more
        if worst(r, chain) < worst(r, best):
            best = chain
        if workable:
            high = middle
        else:
            low = middle
        if high - low < settings[12]:
            break
    return best, count


@inlined
def fabrik_row(
    settings: Array, arm: Array, i: int, reference: Array, j: int, out: Array, at: int, state: Array
) -> int:
    """One arm from where `state` is. Gives the number of sweeps."""
    g, limits = read_settings(settings), read_limits(settings)
    m, r = read_model(arm, i), read_robot(reference, j)
    if not usable(m, r):
        write_rest(r.hand, out, at)
        return 0
    start = vec(state, 0), vec(state, 3), state[6]
    (elbow, wrist, twist), count = search(m, r, start, limits, settings)
    put(elbow, state, 0)
    put(wrist, state, 3)
    state[6] = twist
    upper, fore = distance(elbow, m.shoulder), distance(wrist, elbow)
    new = shoulder_frame(m, mul(1.0 / upper, sub(elbow, m.shoulder)), twist)
    f = mul(1.0 / fore, sub(wrist, elbow))
    write_limbs(g, m, r, new, f, upper / m.upper_length, fore / m.fore_length, out, at)
    return count


@kernel
def fabrik_into(settings: Array, arm: Array, reference: Array, out: Array, state: Array) -> int:
    """One arm, from the state of the frame before."""
    return fabrik_row(settings, arm, 0, reference, 0, out, 0, state)


@kernel
def fabrik_batch(settings: Array, arms: Array, references: Array, out: Array, state: Array) -> int:
    """The frames of a stream, one after the other. Gives the sum of sweeps."""
    models, robots, found = arms.reshape(-1), references.reshape(-1), out.reshape(-1)
    step, count = MODEL if len(arms) > 1 else 0, 0
    for i in range(len(references)):
        count += fabrik_row(settings, models, step * i, robots, REFERENCE * i, found, POSE * i, state)
    return count
