"""Compiled damped least squares on six variables of an arm (ONIA, eq. 1-3).

A state: swing (2, rotation vector in the directions of F_h normal to the upper arm), twist, hinge, log S_u,
log S_f. `settings`: those of all solvers, limits, w_e, lambda, greatest number of iterations, tolerance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import inlined, kernel
from elsewhere.motion.align._limit_kernels import Limits, clamp, read_limits, swung_frame, write_limbs
from elsewhere.motion.align._onia_kernels import image
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
from elsewhere.motion.align._vector_kernels import Vec, add, along, cross, dot, mul, sub, turn, vec

Array = NDArray[np.float64]

STATE = 6
WORK = 13
"""Rows of six numbers that the kernel needs to work in: Jacobian by columns, matrix, right side."""


@inlined
def forearm(m: Model, new: Frame, hinge: float) -> Vec:
    """Direction of the forearm at this hinge angle."""
    return turn(image(m.own, new, m.fore), new[1], math.cos(hinge), math.sin(hinge))


@inlined
def swing_rates(m: Model, one: float, two: float) -> tuple[Vec, Vec]:
    """Angular velocities that the two swing variables cause: columns of the left Jacobian of SO(3)."""
    y, z = m.own[1], m.own[2]
    v = along(mul(one, y), two, z)
    t2 = one * one + two * two
    if t2 < 1e-8:
        a, b, c = 1.0, 0.5, 1.0 / 6.0
    else:
        t = math.sqrt(t2)
        a, b, c = math.sin(t) / t, (1.0 - math.cos(t)) / t2, (t - math.sin(t)) / (t * t2)
    first = along(along(mul(a, y), b, cross(v, y)), c * dot(v, y), v)
    return first, along(along(mul(a, z), b, cross(v, z)), c * dot(v, z), v)


@inlined
def put_column(work: Array, k: int, wrist: Vec, elbow: Vec, weight: float) -> None:
    """One column of J: the wrist's rows, then the elbow's with their weight (eq. 3)."""
    work[k, 0], work[k, 1], work[k, 2] = wrist[0], wrist[1], wrist[2]
    work[k, 3], work[k, 4], work[k, 5] = weight * elbow[0], weight * elbow[1], weight * elbow[2]


@inlined
def jacobian(m: Model, state: Array, new: Frame, upper: Vec, fore: Vec, weight: float, work: Array) -> None:
    """J by columns into the first six rows of `work`; `upper`, `fore`: the bones where they are now."""
    whole, still = add(upper, fore), (0.0, 0.0, 0.0)
    first, second = swing_rates(m, state[0], state[1])
    put_column(work, 0, cross(first, whole), cross(first, upper), weight)
    put_column(work, 1, cross(second, whole), cross(second, upper), weight)
    put_column(work, 2, cross(new[0], fore), still, weight)
    put_column(work, 3, cross(new[1], fore), still, weight)
    put_column(work, 4, upper, upper, weight)
    put_column(work, 5, fore, still, weight)


@inlined
def solve_damped(work: Array, damping: float) -> None:
    """y = (J J^T + lambda^2 I)^-1 dp by Cholesky: `work` rows 6-11 hold the matrix, row 12 dp and then
    y."""
    for i in range(6):
        for j in range(i + 1):
            total = damping * damping if i == j else 0.0
            for k in range(6):
                total += work[k, i] * work[k, j]
            for k in range(j):
                total -= work[6 + i, k] * work[6 + j, k]
            work[6 + i, j] = math.sqrt(total) if i == j else total / work[6 + j, j]
    for i in range(6):
        for k in range(i):
            work[12, i] -= work[6 + i, k] * work[12, k]
        work[12, i] /= work[6 + i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            work[12, i] -= work[6 + k, i] * work[12, k]
        work[12, i] /= work[6 + i, i]


@inlined
def keep_limits(state: Array, limits: Limits) -> None:
    """Clamp every variable; the swing by its length, so that its direction stays."""
    angle = math.hypot(state[0], state[1])
    if angle > limits.swing:
        state[0] *= limits.swing / angle
        state[1] *= limits.swing / angle
    state[2] = clamp(state[2], -limits.twist, limits.twist)
    state[3] = clamp(state[3], limits.hinge_low, limits.hinge_high)
    state[4] = clamp(state[4], math.log(limits.low), math.log(limits.high))
    state[5] = clamp(state[5], math.log(limits.low), math.log(limits.high))


@inlined
def iterate(m: Model, r: Robot, limits: Limits, settings: Array, state: Array, work: Array) -> float:
    """One step of eq. 1, clamped. Gives the largest change of a variable."""
    weight, damping = settings[10], settings[11]
    new = swung_frame(m, state[0], state[1], state[2])
    upper = mul(m.upper_length * math.exp(state[4]), new[0])
    fore = mul(m.fore_length * math.exp(state[5]), forearm(m, new, state[3]))
    elbow = add(m.shoulder, upper)
    off, elbow_off = sub(r.wrist, add(elbow, fore)), sub(r.elbow, elbow)
    jacobian(m, state, new, upper, fore, weight, work)
    put_column(work, 12, off, elbow_off, weight)
    solve_damped(work, damping)
    before = (state[0], state[1], state[2]), (state[3], state[4], state[5])
    for k in range(6):
        for i in range(6):
            state[k] += work[k, i] * work[12, i]
    keep_limits(state, limits)
    a, b = sub(vec(state, 0), before[0]), sub(vec(state, 3), before[1])
    return max(abs(a[0]), abs(a[1]), abs(a[2]), abs(b[0]), abs(b[1]), abs(b[2]))


@inlined
def dls_row(
    settings: Array,
    arm: Array,
    i: int,
    reference: Array,
    j: int,
    out: Array,
    at: int,
    state: Array,
    work: Array,
) -> int:
    """One arm from where `state` is. Gives the number of iterations."""
    g, limits = read_settings(settings), read_limits(settings)
    m, r = read_model(arm, i), read_robot(reference, j)
    if not usable(m, r):
        write_rest(r.hand, out, at)
        return 0
    count = 0
    while count < settings[12]:
        count += 1
        if iterate(m, r, limits, settings, state, work) < settings[13]:
            break
    new = swung_frame(m, state[0], state[1], state[2])
    f = forearm(m, new, state[3])
    write_limbs(g, m, r, new, f, math.exp(state[4]), math.exp(state[5]), out, at)
    return count


@kernel
def dls_into(settings: Array, arm: Array, reference: Array, out: Array, state: Array, work: Array) -> int:
    """One arm, from the state of the frame before."""
    return dls_row(settings, arm, 0, reference, 0, out, 0, state, work)


@kernel
def dls_batch(
    settings: Array, arms: Array, references: Array, out: Array, state: Array, work: Array
) -> int:
    """The frames of a stream, one after the other. Gives the sum of iterations."""
    models, robots, found = arms.reshape(-1), references.reshape(-1), out.reshape(-1)
    step, count = MODEL if len(arms) > 1 else 0, 0
    for i in range(len(references)):
        count += dls_row(settings, models, step * i, robots, REFERENCE * i, found, POSE * i, state, work)
    return count
