"""Compiled step of `manipulability.Manipulability`, and the gradient of the measure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.motion.ik._kernels import (
    REFUSED,
    Array,
    all_finite,
    cholesky6,
    gram,
    normal_equations,
    outcome,
    palm_error,
    posture_pull,
    solve6,
    solve_free,
    stand_still,
    velocity_bounds,
)


@kernel
def measure(J: Array, n: int, A: Array) -> float:
    """sqrt(det(J J^T)), by the Cholesky factor that it leaves in A."""
    gram(J, n, 1e-12, A)
    cholesky6(A)
    product = 1.0
    for i in range(6):
        product *= A[i, i]
    return product


@kernel
def measure_gradient(J: Array, n: int, A: Array, m: float, column: Array, gradient: Array) -> None:
    """dM/dq_i = M tr((J J^T)^-1 dJ/dq_i J^T), with `measure`'s factor in A. `column` holds 6.

    The columns (v_k, w_k) of a serial chain's Jacobian turn with the joints before them,
    d(v_k, w_k)/dq_i = (w_i x v_k, w_i x w_k) for i <= k, and see those behind them move their tip,
    dv_k/dq_i = w_k x v_i for i > k. With w = 0 this holds for prismatic joints too.
    """
    for i in range(n):
        gradient[i] = 0.0
    for k in range(n):
        for r in range(6):
            column[r] = J[r, k]
        solve6(A, column)
        for i in range(n):
            a, b = (i, k) if i <= k else (k, i)
            s = column[0] * (J[4, a] * J[2, b] - J[5, a] * J[1, b])
            s += column[1] * (J[5, a] * J[0, b] - J[3, a] * J[2, b])
            s += column[2] * (J[3, a] * J[1, b] - J[4, a] * J[0, b])
            if i <= k:
                s += column[3] * (J[4, i] * J[5, k] - J[5, i] * J[4, k])
                s += column[4] * (J[5, i] * J[3, k] - J[3, i] * J[5, k])
                s += column[5] * (J[3, i] * J[4, k] - J[4, i] * J[3, k])
            gradient[i] += m * s


@kernel
def keep_manipulable(
    J: Array,
    n: int,
    A: Array,
    threshold: float,
    band: float,
    gain: float,
    twist: Array,
    work: Array,
    gradient: Array,
) -> float:
    """Take from a task step what lowers the measure (AVATRINA, eq. 3); the measure.

    With n = (J^+)^T g / |.|: where n^T x < 0 and M <= M_0, x <- x - (n^T x) n + k (M_0 - M) n. On a
    band above M_0 the component is taken only in part, so that the filter sets in smoothly.
    """
    m = measure(J, n, A)
    if m >= threshold + band:
        return m
    measure_gradient(J, n, A, m, work, gradient)
    # (J^+)^T g = (J J^T)^-1 J g
    for r in range(6):
        s = 0.0
        for k in range(n):
            s += J[r, k] * gradient[k]
        work[r] = s
    solve6(A, work)
    length, along = 0.0, 0.0
    for r in range(6):
        length += work[r] * work[r]
    length = np.sqrt(length)
    if length < 1e-12:
        return m
    for r in range(6):
        work[r] /= length
        along += work[r] * twist[r]
    if along < 0.0:
        share = min(1.0, (threshold + band - m) / band)
        change = gain * max(0.0, threshold - m) - share * along
        for r in range(6):
            twist[r] += change * work[r]
    return m


@kernel
def manipulability_step(
    packed: NDArray[np.void],
    memory: Array,
    q: Array,
    target_p: Array,
    target_q: Array,
    feed: Array,
    velocity: Array,
) -> int:
    """One step. `gains`: M_0, band, k, damping, W_b."""
    arm = packed[0]
    n, dt, rows, gains = arm.chain.n, arm.dt, arm.rows, arm.gains
    error, pull, g, lower, upper, step = rows[4], rows[5], rows[6], rows[7], rows[8], rows[9]
    stand_still(velocity)
    if not all_finite(q, n, target_p, target_q, feed):
        return REFUSED
    distance, angle = palm_error(arm, q, target_p, target_q, error)
    posture_pull(arm, q, target_p, target_q, False, pull)
    for r in range(6):
        step[r] = error[r]
    keep_manipulable(arm.J, n, arm.A, gains[0], gains[1], gains[2], step, rows[10], rows[11])
    both = gains[3] + gains[4]
    for i in range(n):
        pull[i] *= gains[4] / both
        arm.fixed[i] = 0
    normal_equations(arm.J, n, step, 1.0, both, pull, arm.H, g)
    solve_free(arm.H, g, n, velocity, arm.fixed, arm.L)
    velocity_bounds(arm, q, lower, upper)
    for i in range(n):
        velocity[i] = min(max(velocity[i] / dt, lower[i]), upper[i])
    return outcome(arm, q, error, distance, angle, velocity)
