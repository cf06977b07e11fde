"""Compiled vectors of three numbers, as tuples: nothing is allocated, and they are read like formulas."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import inlined, kernel

Array = NDArray[np.float64]
Vec = tuple[float, float, float]

PARALLEL = 1e-9
"""Below this sine two unit vectors have no common normal (ONIA's edge cases)."""


@inlined
def vec(a: Array, k: int) -> Vec:
    """The three numbers of `a` from index k on."""
    return (a[k], a[k + 1], a[k + 2])


@inlined
def put(v: Vec, out: Array, k: int) -> None:
    """Write v into `out` from index k on."""
    out[k], out[k + 1], out[k + 2] = v[0], v[1], v[2]


@inlined
def add(a: Vec, b: Vec) -> Vec:
    """Give a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inlined
def sub(a: Vec, b: Vec) -> Vec:
    """Give a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inlined
def mul(s: float, a: Vec) -> Vec:
    """Give s a."""
    return (s * a[0], s * a[1], s * a[2])


@inlined
def along(a: Vec, s: float, b: Vec) -> Vec:
    """Give a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@inlined
def dot(a: Vec, b: Vec) -> float:
    """Give a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a: Vec, b: Vec) -> Vec:
    """Give a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inlined
def norm(a: Vec) -> float:
    """Length of a."""
    return math.sqrt(dot(a, a))


@inlined
def distance(a: Vec, b: Vec) -> float:
    """Length of a - b."""
    return norm(sub(a, b))


@inlined
def upright(v: Vec, axis: Vec) -> Vec:
    """The part of v normal to the unit vector `axis`: (v)_perp (ONIA, eq. 5)."""
    return along(v, -dot(v, axis), axis)


@kernel
def any_normal(axis: Vec) -> Vec:
    """A unit vector normal to the unit vector `axis`, by a fixed rule: nearest to its smallest axis."""
    x, y, z = abs(axis[0]), abs(axis[1]), abs(axis[2])
    if x <= y and x <= z:
        start = (1.0, 0.0, 0.0)
    elif y <= z:
        start = (0.0, 1.0, 0.0)
    else:
        start = (0.0, 0.0, 1.0)
    v = upright(start, axis)
    return mul(1.0 / norm(v), v)


@inlined
def normal_to(v: Vec, axis: Vec) -> Vec:
    """Unit vector of v's part normal to `axis`; the fixed rule's where there is none. v has unit length."""
    part = upright(v, axis)
    length = norm(part)
    if length < PARALLEL:
        return any_normal(axis)
    part = mul(1.0 / length, part)
    if length < 0.1:  # of so short a part the rounding along the axis counts
        part = upright(part, axis)
        part = mul(1.0 / norm(part), part)
    return part


@inlined
def carry_two(x: Vec, y: Vec, spare: Vec, a: Vec, b: Vec) -> tuple[Vec, Vec]:
    """Turn a and b by the rotation that takes unit x to unit y the shortest way (ONIA, eq. 4).

    No angle is computed: R v = (x.y) v + c x v + c (c.v) / (1 + x.y) with c = x x y. Beyond a right angle
    a half turn about c comes first, so that the formula has less than a right angle left; then x goes to y
    to machine precision even where c is barely defined. Where x and y are antiparallel the half turn is
    about `spare`.
    """
    if dot(x, y) < 0.0:
        c = cross(x, y)
        s = norm(c)
        n = mul(1.0 / s, c) if s >= PARALLEL else normal_to(spare, y)
        x, a, b = half_turn(x, n), half_turn(a, n), half_turn(b, n)
    c, cosine = cross(x, y), dot(x, y)
    share = 1.0 / (1.0 + cosine)
    a = along(along(cross(c, a), cosine, a), share * dot(c, a), c)
    b = along(along(cross(c, b), cosine, b), share * dot(c, b), c)
    return a, b


@inlined
def half_turn(v: Vec, axis: Vec) -> Vec:
    """Turn v by pi about the unit vector `axis`."""
    return along(mul(-1.0, v), 2.0 * dot(axis, v), axis)


@inlined
def turn(v: Vec, axis: Vec, c: float, s: float) -> Vec:
    """Turn v by the angle of cosine c and sine s about the unit vector `axis` (Rodrigues)."""
    return along(along(mul(c, v), s, cross(axis, v)), (1.0 - c) * dot(axis, v), axis)


@inlined
def smooth(value: float, low: float, high: float) -> float:
    """0 below `low`, 1 above `high`, with a continuous slope between."""
    t = (value - low) / (high - low)
    t = min(max(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)
