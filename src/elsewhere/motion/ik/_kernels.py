"""Compiled damped least squares with bounds on every joint velocity."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._kernels import ChainArrays, forward
from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import approach_speed, quat_from_matrix, quat_log, quat_multiply

Array = NDArray[np.float64]
Scratch = tuple[Array, Array, Array, Array, Array, Array, NDArray[np.int64]]

FAR, ASKEW = 0.03, 0.3  # m, rad: nearer than this, a target counts as reached
FAR_OFF, ASKEW_OFF = 0.1, 1.0  # m, rad: from here on the bias pulls with all its weight
SLOW = 0.25  # share of the wanted speed below which an arm counts as blocked


@kernel
def solve_free(H: Array, g: Array, x: Array, fixed: NDArray[np.int64], L: Array) -> None:
    """Minimise x^T H x / 2 - g^T x over the joints that are not fixed, by Cholesky."""
    n = g.shape[0]
    for i in range(n):
        if fixed[i]:
            continue
        rhs = g[i]
        for j in range(n):
            if fixed[j]:
                rhs -= H[i, j] * x[j]
        for j in range(i):
            if fixed[j]:
                continue
            s = H[i, j]
            for k in range(j):
                if not fixed[k]:
                    s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
            rhs -= L[i, j] * L[n, j]
        s = H[i, i]
        for k in range(i):
            if not fixed[k]:
                s -= L[i, k] * L[i, k]
        L[i, i] = math.sqrt(max(s, 1e-12))
        L[n, i] = rhs / L[i, i]  # forward substitution, kept in the extra row
    for i in range(n - 1, -1, -1):
        if fixed[i]:
            continue
        s = L[n, i]
        for k in range(i + 1, n):
            if not fixed[k]:
                s -= L[k, i] * x[k]
        x[i] = s / L[i, i]


@kernel
def solve_box(
    H: Array, g: Array, lower: Array, upper: Array, x: Array, fixed: NDArray[np.int64], L: Array
) -> None:
    """Minimise x^T H x / 2 - g^T x within lower <= x <= upper, by an active set.

    The joint that leaves its range furthest is fixed at its bound; when none does, the one whose bound
    holds it back from a better place is freed. The bounds are kept exactly, also when the number of
    rounds ends first.
    """
    n = g.shape[0]
    for i in range(n):
        fixed[i] = 0
    for _ in range(4 * n):
        solve_free(H, g, x, fixed, L)
        worst, where = 1e-12, -1
        for i in range(n):
            excess = max(lower[i] - x[i], x[i] - upper[i])
            if not fixed[i] and excess > worst:
                worst, where = excess, i
        if where >= 0:
            fixed[where] = 1
            x[where] = min(max(x[where], lower[where]), upper[where])
            continue
        worst = 1e-9
        for i in range(n):
            if fixed[i] and lower[i] < upper[i]:
                slope = -g[i]
                for k in range(n):
                    slope += H[i, k] * x[k]
                pull = slope if x[i] >= upper[i] else -slope
                if pull > worst:
                    worst, where = pull, i
        if where < 0:
            return
        fixed[where] = 0
    for i in range(n):
        x[i] = min(max(x[i], lower[i]), upper[i])


@kernel
def velocity_bounds(
    q: Array,
    low: Array,
    high: Array,
    top: Array,
    braking: Array,
    dt: float,
    lower: Array,
    upper: Array,
) -> None:
    """Velocities that stay below the limit and can still brake before the end of the range.

    v <= sqrt(2 a d) and v <= d / dt with d the distance to the end: exact for a step of dt.
    """
    for i in range(low.shape[0]):
        up, down = max(0.0, high[i] - q[i]), max(0.0, q[i] - low[i])
        upper[i] = min(top[i], math.sqrt(2.0 * braking[i] * up), up / dt)
        lower[i] = -min(top[i], math.sqrt(2.0 * braking[i] * down), down / dt)


@kernel
def shorten(v: Array, most: float) -> None:
    """Scale a vector in place so that it is no longer than `most`."""
    length = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if length > most:
        for i in range(3):
            v[i] *= most / length


@kernel
def target_twist(
    p: Array, q: Array, last_p: Array, last_q: Array, dt: float, smooth: float, twist: Array, work: Array
) -> None:
    """Follow the velocity of a target by a first-order low-pass; `last_*` become the present pose.

    `smooth` is the filter's time constant [s]; `work` is (3, 4) scratch.
    """
    back, turn, vector = work[0], work[1], work[2, :3]
    back[0] = last_q[0]
    for i in range(1, 4):
        back[i] = -last_q[i]
    quat_multiply(q, back, turn)
    quat_log(turn, vector)
    share = dt / (smooth + dt)
    for i in range(3):
        twist[i] += share * ((p[i] - last_p[i]) / dt - twist[i])
        twist[3 + i] += share * (vector[i] / dt - twist[3 + i])
    last_p[:] = p
    last_q[:] = q


@kernel
def damped_step(
    chain: ChainArrays,
    q: Array,
    target_p: Array,
    target_q: Array,
    feed: Array,
    posture: Array,
    low: Array,
    high: Array,
    top: Array,
    braking: Array,
    gains: Array,
    dt: float,
    velocity: Array,
    scratch: Scratch,
) -> bool:
    """One step of the solver (see `damped.Damped`); True when the target is out of reach.

    `gains`: gain, top speed, deceleration, top turn, turn deceleration, rotation weight, damping,
    bias weight, bias gain, bias boost. `scratch`: made by `damped.scratch`.
    """
    work, R, J, H, L, rows, fixed = scratch
    n = posture.shape[0]
    p, now, turn, twist = rows[0, :3], rows[1, :4], rows[2, :4], rows[3, :6]
    g, lower, upper = rows[4, :n], rows[5, :n], rows[6, :n]

    # Error, and the twist that would close it: the target's own, and more; able to stop when near.
    forward(chain, q, R, p, J, work)
    quat_from_matrix(R, now)
    for i in range(1, 4):
        now[i] = -now[i]
    quat_multiply(target_q, now, turn)
    quat_log(turn, twist[3:6])
    for i in range(3):
        twist[i] = target_p[i] - p[i]
    distance = math.sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)
    angle = math.sqrt(twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2)
    speed = approach_speed(distance, gains[0], gains[1], gains[2])
    turning = approach_speed(angle, gains[0], gains[3], gains[4])
    for i in range(3):
        twist[i] = twist[i] * speed / max(distance, 1e-12) + feed[i]
        twist[3 + i] = twist[3 + i] * turning / max(angle, 1e-12) + feed[3 + i]
    shorten(twist[:3], gains[1])
    shorten(twist[3:6], gains[3])
    speed = math.sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)
    turning = math.sqrt(twist[3] ** 2 + twist[4] ** 2 + twist[5] ** 2)

    # Normal equations: (J^T W J + (d + b) I) v = J^T W x + b k (q_n - q), within the bounds.
    weight, damping, bias_gain = gains[5], gains[6], gains[8]
    bias_weight = gains[7] * (1.0 + gains[9] * min(1.0, distance / FAR_OFF + angle / ASKEW_OFF))
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(3):
                s += J[k, i] * J[k, j] + weight * J[3 + k, i] * J[3 + k, j]
            H[i, j] = s
            H[j, i] = s
        H[i, i] += damping + bias_weight
        s = 0.0
        for k in range(3):
            s += J[k, i] * twist[k] + weight * J[3 + k, i] * twist[3 + k]
        g[i] = s + bias_weight * bias_gain * (posture[i] - q[i])
    velocity_bounds(q, low, high, top, braking, dt, lower, upper)
    solve_box(H, g, lower, upper, velocity, fixed, L)

    # Out of reach: far from the target, and the bounded velocity hardly brings it nearer.
    nearer, turned = 0.0, 0.0
    for k in range(3):
        for i in range(n):
            nearer += twist[k] * J[k, i] * velocity[i]
            turned += twist[3 + k] * J[3 + k, i] * velocity[i]
    far = distance > FAR and nearer < SLOW * speed * speed
    askew = angle > ASKEW and turned < SLOW * turning * turning
    return far or askew
