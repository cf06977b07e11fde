"""Compiled step of `qp.QP`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.motion.ik._kernels import (
    REFUSED,
    Array,
    all_finite,
    normal_equations,
    outcome,
    palm_error,
    posture_pull,
    solve_box,
    stand_still,
    velocity_bounds,
)


@kernel
def qp_step(
    packed: NDArray[np.void],
    memory: Array,
    q: Array,
    target_p: Array,
    target_q: Array,
    feed: Array,
    velocity: Array,
) -> int:
    """One step. `gains`: W_q, W_b."""
    arm = packed[0]
    n, dt, rows = arm.chain.n, arm.dt, arm.rows
    error, pull, g, lower, upper = rows[4], rows[5], rows[6], rows[7], rows[8]
    stand_still(velocity)
    if not all_finite(q, n, target_p, target_q, feed):
        return REFUSED
    distance, angle = palm_error(arm, q, target_p, target_q, error)
    posture_pull(arm, q, target_p, target_q, False, pull)
    # W_q |dq|^2 + W_b |dq - pull|^2 is one weight around a share of the pull, up to a constant.
    both = arm.gains[0] + arm.gains[1]
    for i in range(n):
        pull[i] *= arm.gains[1] / both
    normal_equations(arm.J, n, error, 1.0, both, pull, arm.H, g)
    velocity_bounds(arm, q, lower, upper)
    for i in range(n):
        lower[i] *= dt
        upper[i] *= dt
    solve_box(arm.H, g, n, lower, upper, velocity, arm.fixed, arm.L)
    for i in range(n):
        velocity[i] /= dt
    return outcome(arm, q, error, distance, angle, velocity)
