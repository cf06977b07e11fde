"""Compiled bounded alignment: elbow and wrist of least deviation with bones between two lengths.

The wrists that can be reached fill a shell about the shoulder s; the nearest one to the robot's is a
projection. The elbows that then remain fill the shell between the least and greatest upper arm about s, cut
with the one between the least and greatest forearm about the wrist. Both are round about the line from
shoulder to wrist, so the nearest elbow lies in the half plane of that line and the robot's elbow. There
the set is bounded by four circles, and its point nearest to a point outside is the nearest one of a circle
or a corner where two circles meet: at most eight candidates.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import inlined, kernel
from elsewhere.motion.align._onia_kernels import pose_at
from elsewhere.motion.align._packed_kernels import (
    MODEL,
    POSE,
    REFERENCE,
    Model,
    Robot,
    Settings,
    read_model,
    read_robot,
    read_settings,
    usable,
    write_rest,
)
from elsewhere.motion.align._vector_kernels import (
    Vec,
    along,
    cross,
    distance,
    dot,
    mul,
    norm,
    normal_to,
    sub,
)

Array = NDArray[np.float64]
Bones = tuple[float, float, float, float]
"""Least and greatest length of the upper arm, then of the forearm [m]."""
Flat = tuple[float, float, float]
"""A point of the half plane: along the line from shoulder to wrist, off it, and its squared distance to
the robot's elbow (infinite: no point)."""

ROUNDING = 1e-12
"""Circles that touch may miss each other by this much [m^2]."""
SLACK = 1e-9
"""Rounding of a candidate that is still on the set [m]."""


@inlined
def bones_of(m: Model, low: float, high: float) -> Bones:
    """Lengths that the stretch interval allows."""
    return (low * m.upper_length, high * m.upper_length, low * m.fore_length, high * m.fore_length)


@inlined
def nearer(best: Flat, z: float, r: float, wrist: float, bones: Bones, ez: float, er: float) -> Flat:
    """The better of `best` and the candidate (z, r), if that is within both shells."""
    upper, fore = math.hypot(z, r), math.hypot(z - wrist, r)
    if upper < bones[0] - SLACK or upper > bones[1] + SLACK:
        return best
    if fore < bones[2] - SLACK or fore > bones[3] + SLACK:
        return best
    off = (z - ez) * (z - ez) + (r - er) * (r - er)
    return (z, r, off) if off < best[2] else best


@inlined
def meeting(
    best: Flat, upper: float, fore: float, wrist: float, bones: Bones, ez: float, er: float
) -> Flat:
    """The better of `best` and the corner where circles of these radii meet."""
    if wrist <= 0.0:
        return best
    z = 0.5 * (wrist + (upper * upper - fore * fore) / wrist)
    r = upper * upper - z * z
    if r < -ROUNDING:
        return best
    return nearer(best, z, math.sqrt(max(r, 0.0)), wrist, bones, ez, er)


@inlined
def on_circle(
    best: Flat, centre: float, radius: float, wrist: float, bones: Bones, ez: float, er: float
) -> Flat:
    """The better of `best` and the point of a circle that is nearest to the robot's elbow."""
    d = math.hypot(ez - centre, er)
    if d <= 0.0:
        return best  # all points of the circle are as near: a corner, or the other circles, decide
    share = radius / d
    return nearer(best, centre + share * (ez - centre), share * er, wrist, bones, ez, er)


@kernel
def nearest_elbow(wrist: float, bones: Bones, ez: float, er: float) -> Flat:
    """The point of both shells that is nearest to (ez, er), in the half plane."""
    best = nearer((0.0, 0.0, math.inf), ez, er, wrist, bones, ez, er)
    if best[2] == 0.0:
        return best
    u0, u1, f0, f1 = bones
    best = on_circle(best, 0.0, u0, wrist, bones, ez, er)
    best = on_circle(best, 0.0, u1, wrist, bones, ez, er)
    best = on_circle(best, wrist, f0, wrist, bones, ez, er)
    best = on_circle(best, wrist, f1, wrist, bones, ez, er)
    best = meeting(best, u0, f0, wrist, bones, ez, er)
    best = meeting(best, u0, f1, wrist, bones, ez, er)
    best = meeting(best, u1, f0, wrist, bones, ez, er)
    return meeting(best, u1, f1, wrist, bones, ez, er)


@inlined
def reach(bones: Bones) -> tuple[float, float]:
    """Least and greatest distance of the wrist from the shoulder."""
    u0, u1, f0, f1 = bones
    return max(0.0, u0 - f1, f0 - u1), u1 + f1


@kernel
def bounded_points(m: Model, r: Robot, bones: Bones) -> tuple[Vec, Vec]:
    """Elbow and wrist: the least wrist deviation, and with it the least elbow deviation."""
    s = m.shoulder
    near, far = reach(bones)
    d = sub(r.wrist, s)
    there = norm(d)
    # A wrist in the shoulder lies in no direction: that of the elbow is as good as any, and steady.
    axis = mul(1.0 / there, d) if there > SLACK else mul(1.0 / distance(r.elbow, s), sub(r.elbow, s))
    if there >= far:
        return along(s, bones[1], axis), along(s, far, axis)
    if there < near:
        # Folded as far as it goes: the longer bone at its shortest, the other one at its longest.
        elbow = bones[0] if bones[0] >= bones[3] else -bones[1]
        return along(s, elbow, axis), along(s, near, axis)
    e = sub(r.elbow, s)
    ez = dot(e, axis)
    off = along(e, -ez, axis)
    er = norm(off)
    side = mul(1.0 / er, off) if er > SLACK else normal_to(m.own[2], axis)
    z, h, _ = nearest_elbow(there, bones, ez, er)
    return along(along(s, z, axis), h, side), r.wrist


@inlined
def inside(m: Model, r: Robot, bones: Bones) -> bool:
    """Whether ONIA's own answer keeps the bounds."""
    u, f = sub(r.elbow, m.shoulder), sub(r.wrist, r.elbow)
    upper, fore = norm(u), norm(f)
    return bones[0] <= upper <= bones[1] and bones[2] <= fore <= bones[3]


@inlined
def bounded_row(g: Settings, low: float, high: float, m: Model, r: Robot, out: Array, at: int) -> None:
    """One arm: ONIA with its reference points moved as little as the bounds ask for."""
    if not usable(m, r):
        write_rest(r.hand, out, at)
        return
    bones = bones_of(m, low, high)
    e, w, hint = r.elbow, r.wrist, (0.0, 0.0, 0.0)
    if not inside(m, r, bones):
        # An arm that is pulled straight keeps the robot's elbow axis.
        u, f = sub(e, m.shoulder), sub(w, e)
        hint = mul(1.0 / (norm(u) * norm(f)), cross(u, f))
        e, w = bounded_points(m, r, bones)
    pose_at(g, m, r, e, w, hint, out, at)
    # Rounding of the lengths may not break the promise.
    out[at + 27] = min(max(out[at + 27], low), high)
    out[at + 28] = min(max(out[at + 28], low), high)


@kernel
def bounded_into(settings: Array, arm: Array, reference: Array, out: Array) -> None:
    """One arm. `settings`: those of all solvers, least and greatest stretch."""
    g = read_settings(settings)
    bounded_row(g, settings[4], settings[5], read_model(arm, 0), read_robot(reference, 0), out, 0)


@kernel
def bounded_batch(settings: Array, arms: Array, references: Array, out: Array) -> None:
    """Many references (n, 18), and as many arms (n, 15) or one (1, 15)."""
    g = read_settings(settings)
    models, robots, found = arms.reshape(-1), references.reshape(-1), out.reshape(-1)
    m, many = read_model(models, 0), len(arms) > 1
    for i in range(len(references)):
        if many:
            m = read_model(models, MODEL * i)
        bounded_row(g, settings[4], settings[5], m, read_robot(robots, REFERENCE * i), found, POSE * i)
