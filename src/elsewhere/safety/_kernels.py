"""Compiled guard of one arm: the last computation before a robot moves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Array = NDArray[np.float64]

OK, CLAMPED, REFUSED = 0, 1, 2


@kernel
def barrier(x: float, low: float, high: float, band: float, strength: float) -> float:
    """Push back into a range (AVATRINA, eq. 6, corrected): 0 at the band's edge, -K at the limit.

    c = -K ((x - high + band) / band)^2 above, +K ((low + band - x) / band)^2 below; at most K.
    """
    if x > high - band:
        return -strength * min(1.0, (x - high + band) / band) ** 2
    if x < low + band:
        return strength * min(1.0, (low + band - x) / band) ** 2
    return 0.0


@kernel
def release(
    tau: Array,
    q: Array,
    dq: Array,
    limits: tuple[Array, Array, Array, Array, Array],
    band: float,
    dt: float,
    sent: Array,
) -> int:
    """Replace `sent` (what was sent last) by what may be sent now; OK, CLAMPED or REFUSED.

    `limits`: lower, upper, velocity, torque, torque rate. Invariants: |sent| <= torque,
    |change| <= torque_rate dt, everything finite. A command that is not finite is refused as a whole:
    the torque then fades to zero at its rate.
    """
    low, high, velocity, torque, torque_rate = limits
    n = low.shape[0]
    outcome = OK
    for i in range(n):
        if not (math.isfinite(tau[i]) and math.isfinite(q[i]) and math.isfinite(dq[i])):
            outcome = REFUSED
    for i in range(n):
        if outcome == REFUSED:
            wanted = 0.0
        else:
            wanted = tau[i] + barrier(q[i], low[i], high[i], band, torque[i])
            wanted += barrier(dq[i], -velocity[i], velocity[i], 0.25 * velocity[i], torque[i])
        most = torque_rate[i] * dt
        given = min(max(wanted, -torque[i]), torque[i])
        given = min(max(given, sent[i] - most), sent[i] + most)
        if outcome == OK and abs(given - tau[i]) > 1e-9:
            outcome = CLAMPED
        sent[i] = given
    return outcome


@kernel
def within(wanted: Array, low: Array, high: Array, sent: Array) -> int:
    """Copy `wanted` into `sent` inside its range; where it is not finite, keep all of what was sent."""
    for i in range(wanted.shape[0]):
        if not math.isfinite(wanted[i]):
            return REFUSED
    outcome = OK
    for i in range(wanted.shape[0]):
        sent[i] = min(max(wanted[i], low[i]), high[i])
        if sent[i] != wanted[i]:
            outcome = CLAMPED
    return outcome


@kernel
def release_all(
    wanted: NDArray[np.void],
    state: NDArray[np.void],
    limits: Array,
    joints: NDArray[np.int64],
    ranges: Array,
    band: float,
    dt: float,
    sent: NDArray[np.void],
) -> int:
    """Guard a whole command: both arms by `release`, the rest by `within`. The gravest outcome.

    `wanted`, `sent`: a COMMAND; `state`: a ROBOT_STATE. `limits` (5, 2, n): as in `release`, of both arms.
    `joints`: how many each arm has. `ranges` (2, k): least and greatest of motors, head, base twist and
    baseline, one after the other.
    """
    w: Any = wanted[0]
    now: Any = state[0]
    s: Any = sent[0]
    worst = OK
    for side in range(2):
        own = limits[:, side, : joints[side]]
        rows = (own[0], own[1], own[2], own[3], own[4])
        worst = max(worst, release(w.tau[side], now.q[side], now.dq[side], rows, band, dt, s.tau[side]))
    least, most = ranges[0], ranges[1]
    m = s.motors.shape[1]
    for side in range(2):
        worst = max(worst, within(w.motors[side], least[:m], most[:m], s.motors[side]))
    worst = max(worst, within(w.head, least[m : m + 3], most[m : m + 3], s.head))
    worst = max(worst, within(w.base_twist, least[m + 3 : m + 6], most[m + 3 : m + 6], s.base_twist))
    if not math.isfinite(w.baseline):
        return REFUSED
    s.baseline = min(max(w.baseline, least[m + 6]), most[m + 6])
    return worst if s.baseline == w.baseline else max(worst, CLAMPED)
