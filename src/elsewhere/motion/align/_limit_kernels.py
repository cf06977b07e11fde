"""Compiled limits of a human arm, as the two baselines keep them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import inlined
from elsewhere.motion.align._onia_kernels import forearm_frame
from elsewhere.motion.align._packed_kernels import (
    FOLDED,
    OK,
    STRAIGHT,
    Frame,
    Model,
    Robot,
    Settings,
    write_pose,
)
from elsewhere.motion.align._vector_kernels import Vec, cross, dot, norm, turn

Array = NDArray[np.float64]


class Limits(NamedTuple):
    """`ArmLimits`, for kernels."""

    swing: float
    twist: float
    hinge_low: float
    hinge_high: float
    low: float
    high: float


@inlined
def read_limits(settings: Array) -> Limits:
    """The numbers behind those that all solvers share."""
    return Limits(settings[4], settings[5], settings[6], settings[7], settings[8], settings[9])


@inlined
def clamp(value: float, low: float, high: float) -> float:
    """`value`, or the end that it has passed."""
    return min(max(value, low), high)


@inlined
def swung_frame(m: Model, one: float, two: float, twist: float) -> Frame:
    """R_s's image of F_h: a swing by the rotation vector one F_h[1] + two F_h[2], then a twist."""
    angle = math.hypot(one, two)
    c, s = math.cos(angle), math.sin(angle)
    k = 1.0 / angle if angle > 1e-12 else 0.0
    x, y, z = m.own
    axis = (
        k * (one * y[0] + two * z[0]),
        k * (one * y[1] + two * z[1]),
        k * (one * y[2] + two * z[2]),
    )
    u = turn(x, axis, c, s)
    a = turn(turn(y, axis, c, s), u, math.cos(twist), math.sin(twist))
    return (u, a, cross(u, a))


@inlined
def write_limbs(
    g: Settings, m: Model, r: Robot, new: Frame, f: Vec, upper: float, fore: float, out: Array, at: int
) -> None:
    """Write a whole pose from shoulder frame, forearm and stretches; forearm twist and hand as ONIA's."""
    write_pose(m.own, new, forearm_frame(g, m, r, new, f), r.hand, upper, fore, out, at)
    status = OK
    if norm(cross(new[0], f)) < g.bent:
        status = STRAIGHT if dot(new[0], f) > 0.0 else FOLDED
    out[at + 29] = status
