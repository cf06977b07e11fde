"""Compiled joint motion and joint torques of one arm."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._kernels import ChainArrays, bias, unpack
from elsewhere.kernel import kernel

Array = NDArray[np.float64]

REST, MOVING, DISPLACED = 0, 1, 2
HURRY, HURRY_END = 0.75, 0.9  # measured speed over its limit: from here on slower, from here on still
DISPLACEMENT = 0.4  # rad or m: four times the leash, so that no push with the arm's own force gets here


@kernel
def advance(
    wanted: Array,
    q: Array,
    dq: Array,
    low: Array,
    high: Array,
    top: Array,
    acceleration: Array,
    leash: Array,
    dt: float,
    q_wanted: Array,
    dq_wanted: Array,
) -> int:
    """Move the commanded joints by one inner tick towards the velocities `wanted`.

    Acceleration is bounded; the commanded joint runs no further than `leash` ahead of the measured
    one `q`, so that a blocked arm pushes with a bounded force; it stops before the ends of
    its range, and from outside it only comes back. Returns REST, MOVING, or DISPLACED when the arm
    is so far from its command that the command starts again from the arm.
    """
    outcome = REST
    for i in range(acceleration.shape[0]):
        if abs(q_wanted[i] - q[i]) > DISPLACEMENT:
            outcome = DISPLACED
    if outcome == DISPLACED:
        for i in range(acceleration.shape[0]):
            q_wanted[i], dq_wanted[i] = q[i], 0.0
        return outcome
    # A joint that is driven faster than it was told (by a contact, through the others) slows all.
    fastest = 0.0
    for i in range(acceleration.shape[0]):
        fastest = max(fastest, abs(dq[i]) / top[i])
    share = min(1.0, max(0.0, (HURRY_END - fastest) / (HURRY_END - HURRY)))
    for i in range(acceleration.shape[0]):
        a = acceleration[i]
        goal = share * wanted[i]
        up, down = max(0.0, high[i] - q_wanted[i]), max(0.0, q_wanted[i] - low[i])
        # The leash is let out freely to its half, brakes to its end, and beyond it draws back, so that
        # an arm that is pushed gives way.
        lead = (q_wanted[i] - q[i]) / leash[i]
        goal = min(goal, math.sqrt(1.8 * a * up), 2.0 * top[i] * (1.0 - lead))
        goal = max(goal, -math.sqrt(1.8 * a * down), -2.0 * top[i] * (1.0 + lead))
        goal = min(max(goal, -top[i]), top[i])
        change = min(max(goal - dq_wanted[i], -a * dt), a * dt)
        v = dq_wanted[i] + change
        # Whatever the acceleration says, never step over an end of the range.
        if v > 0.0:
            v = min(v, max(0.0, high[i] - q_wanted[i]) / dt)
        else:
            v = max(v, -max(0.0, q_wanted[i] - low[i]) / dt)
        dq_wanted[i] = v
        q_wanted[i] += v * dt
        if abs(v) > 1e-4:
            outcome = MOVING
    return outcome


@kernel
def joint_pd(
    chain: ChainArrays,
    stiffness: Array,
    damping: Array,
    q: Array,
    dq: Array,
    q_wanted: Array,
    dq_wanted: Array,
    tau: Array,
    work: Array,
) -> None:
    """tau = k (q_w - q) + d (dq_w - dq) + C(q, dq) dq + g(q)."""
    bias(chain, q, dq, tau, work)
    for i in range(stiffness.shape[0]):
        tau[i] += stiffness[i] * (q_wanted[i] - q[i]) + damping[i] * (dq_wanted[i] - dq[i])


@kernel
def follow_pd(
    chain: NDArray[np.void],
    bounds: Array,
    gains: Array,
    velocity: Array,
    q: Array,
    dq: Array,
    dt: float,
    q_wanted: Array,
    dq_wanted: Array,
    tau: Array,
    work: Array,
) -> int:
    """`advance`, then `joint_pd`, in one call. Returns what `advance` says.

    `bounds` (4, n): lower and upper end, speed and acceleration. `gains` (3, n): stiffness, damping, leash.
    """
    low, high, top, acceleration = bounds[0], bounds[1], bounds[2], bounds[3]
    moving = advance(velocity, q, dq, low, high, top, acceleration, gains[2], dt, q_wanted, dq_wanted)
    joint_pd(unpack(chain), gains[0], gains[1], q, dq, q_wanted, dq_wanted, tau, work)
    return moving
