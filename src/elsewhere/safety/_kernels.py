"""Compiled guard of one arm: the last computation before a robot moves."""

from __future__ import annotations

import math

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
    wanted: tuple[Array, Array, Array, Array, Array],
    measured: tuple[Array, Array],
    limits: tuple[Array, ...],
    joints: NDArray[np.int64],
    ranges: tuple[Array, Array],
    band: float,
    dt: float,
    sent: tuple[Array, Array, Array, Array, Array],
) -> int:
    """Guard a whole command: both arms by `release`, the rest by `within`. The gravest outcome.

    `wanted`, `sent`: tau (2, n), motors (2, m), head, base twist, baseline. `limits`: as in `release`,
    of shape (2, n) each. `joints`: how many each arm has. `ranges`: least and greatest of motors, head,
    base twist and baseline, one after the other.
    """
    low, high, velocity, torque, torque_rate = limits
    worst = OK
    for side in range(2):
        n = joints[side]
        own = (low[side, :n], high[side, :n], velocity[side, :n], torque[side, :n], torque_rate[side, :n])
        q, dq = measured[0][side], measured[1][side]
        worst = max(worst, release(wanted[0][side], q, dq, own, band, dt, sent[0][side]))
    least, most = ranges
    m = sent[1].shape[1]
    for side in range(2):
        worst = max(worst, within(wanted[1][side], least[:m], most[:m], sent[1][side]))
    worst = max(worst, within(wanted[2], least[m : m + 3], most[m : m + 3], sent[2]))
    worst = max(worst, within(wanted[3], least[m + 3 : m + 6], most[m + 3 : m + 6], sent[3]))
    return max(worst, within(wanted[4], least[m + 6 :], most[m + 6 :], sent[4]))
