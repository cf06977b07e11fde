"""Packed arrays to tuples and back. Kernels compute on tuples: an array passed on would be counted.

A model (15): shoulder, elbow, wrist, elbow axis, palm normal. A reference (18): elbow, wrist, hand row by
row, shoulder. A pose (30): R_s, R_e, R_w row by row, S_u, S_f, status.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import inlined, kernel
from elsewhere.motion.align._vector_kernels import (
    Vec,
    along,
    cross,
    dot,
    mul,
    norm,
    normal_to,
    put,
    sub,
    upright,
    vec,
)

Array = NDArray[np.float64]
Frame = tuple[Vec, Vec, Vec]

MODEL, REFERENCE, POSE = 15, 18, 30
OK, STRAIGHT, FOLDED, DEGENERATE = 0.0, 1.0, 2.0, 3.0
"""The values of AlignStatus that a kernel gives."""
SHORTEST = 1e-3
"""A segment shorter than this [m] has no direction worth the name (as `bodies.human.arm` says)."""
ROTATION = 1e-3
"""How far a hand's matrix may be from a rotation, and a squared unit vector from 1."""
UNMARKED = 1e-6
"""Sine of the angle between elbow axis and upper arm below which the annotation is of no use."""


class Settings(NamedTuple):
    """What all solvers share: see `solver.py`."""

    alpha: float
    straight: float
    bent: float
    fade: float


class Model(NamedTuple):
    """A human arm in its default pose."""

    shoulder: Vec
    own: Frame
    """F_h, of unit vectors: upper arm, elbow axis normal to it, their cross product."""
    marked: bool
    """Whether the elbow axis says anything; it does not where it lies along the upper arm."""
    fore: Vec
    palm: Vec
    upper_length: float
    fore_length: float
    sound: bool
    """Finite, and of lengths that are worth the name."""


class Robot(NamedTuple):
    """A reference; `hand` is the matrix by rows."""

    elbow: Vec
    wrist: Vec
    hand: Frame


@inlined
def read_settings(a: Array) -> Settings:
    """The first four numbers of a solver's settings."""
    return Settings(a[0], a[1], a[2], a[3])


@inlined
def read_model(a: Array, k: int) -> Model:
    """The arm that is packed from index k on."""
    s, e, w, mark, palm = vec(a, k), vec(a, k + 3), vec(a, k + 6), vec(a, k + 9), vec(a, k + 12)
    u, f = sub(e, s), sub(w, e)
    upper, fore = norm(u), norm(f)
    u, f = mul(1.0 / upper, u), mul(1.0 / fore, f)
    lengths = SHORTEST < upper < math.inf and SHORTEST < fore < math.inf
    units = abs(dot(mark, mark) - 1.0) < ROTATION and abs(dot(palm, palm) - 1.0) < ROTATION
    axis = upright(mark, u)
    sine = norm(axis)
    axis = mul(1.0 / sine, axis) if sine >= 0.1 else normal_to(mark, u)
    own = (u, axis, cross(u, axis))
    return Model(s, own, sine >= UNMARKED, f, palm, upper, fore, lengths and units)


@inlined
def read_robot(a: Array, k: int) -> Robot:
    """The reference that is packed from index k on."""
    return Robot(vec(a, k), vec(a, k + 3), (vec(a, k + 6), vec(a, k + 9), vec(a, k + 12)))


@inlined
def is_rotation(hand: Frame) -> bool:
    """Whether the matrix of these rows is a proper rotation; NaN is none."""
    x, y, z = hand
    d = sub(cross(x, y), z)
    unit = abs(dot(x, x) - 1.0) < ROTATION and abs(dot(y, y) - 1.0) < ROTATION
    return unit and abs(dot(x, y)) < ROTATION and dot(d, d) < ROTATION * ROTATION


@inlined
def usable(m: Model, r: Robot) -> bool:
    """Whether everything is finite, every segment has a length and the hand is a rotation."""
    # A comparison with NaN is false, and an infinite point makes an infinite distance.
    least = SHORTEST * SHORTEST
    u, f = sub(r.elbow, m.shoulder), sub(r.wrist, r.elbow)
    robot = least < dot(u, u) < math.inf and least < dot(f, f) < math.inf
    return m.sound and robot and is_rotation(r.hand)


@kernel
def write_rest(hand: Frame, out: Array, at: int) -> None:
    """The default pose: what is told, with DEGENERATE, where no pose can be found. Always finite."""
    for k in range(27):
        out[at + k] = 1.0 if k % 9 % 4 == 0 else 0.0
    if is_rotation(hand):
        put(hand[0], out, at + 18)
        put(hand[1], out, at + 21)
        put(hand[2], out, at + 24)
    out[at + 27], out[at + 28], out[at + 29] = 1.0, 1.0, DEGENERATE


@inlined
def write_matrix(own: Frame, new: Frame, out: Array, at: int) -> None:
    """The rotation that takes frame `own` to frame `new`, row by row."""
    (a, b, c), (x, y, z) = own, new
    # Written out: a tuple that is indexed by a variable would be kept in memory.
    put(along(along(mul(x[0], a), y[0], b), z[0], c), out, at)
    put(along(along(mul(x[1], a), y[1], b), z[1], c), out, at + 3)
    put(along(along(mul(x[2], a), y[2], b), z[2], c), out, at + 6)


@inlined
def write_pose(
    own: Frame, new: Frame, fore: Frame, hand: Frame, upper: float, stretch: float, out: Array, at: int
) -> None:
    """R_s and R_e as the images `new` and `fore` of the frame `own`, R_w, and the two stretches."""
    write_matrix(own, new, out, at)
    write_matrix(own, fore, out, at + 9)
    put(hand[0], out, at + 18)
    put(hand[1], out, at + 21)
    put(hand[2], out, at + 24)
    out[at + 27], out[at + 28] = upper, stretch
