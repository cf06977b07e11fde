"""Compiled joint motion of one arm, and what every torque law shares: reference, barriers, limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._kernels import bias, newton_euler, unpack
from elsewhere.kernel import kernel
from elsewhere.records import MAX_JOINTS, TERMS

Array = NDArray[np.float64]
Records = NDArray[np.void]

REST, MOVING, DISPLACED = 0, 1, 2
HURRY, HURRY_END = 0.75, 0.9  # measured speed over its limit: from here on slower, from here on still
DISPLACEMENT = 0.4  # rad or m: four times the leash, so that no push with the arm's own force gets here
BRAKING = 0.9  # share of the acceleration that braking before an end of the range counts on
STEEPEST = 10.0  # band widths, beyond which a barrier grows no more

STIFFNESS, DAMPING, GRAVITY, CORIOLIS, INERTIA = range(5)
POSITION_BARRIER, VELOCITY_BARRIER, NULL_SPACE, POWER_CUT = range(5, 9)
COUNT = len(TERMS)
PUSH_S = 0.02  # s: over which the reference's acceleration is smoothed before it becomes a torque
MAX_WINDOW = 64  # inner ticks over which the reference is averaged, at most

LAW = np.dtype(
    [
        # All that the kernels of a torque law need to know, but for the chain. See `base.TorqueLaw`.
        ("n", "i8"),
        ("window", "i8"),
        ("dt", "f8"),
        ("low", "f8", (MAX_JOINTS,)),  # range of the commanded joints
        ("high", "f8", (MAX_JOINTS,)),
        ("top", "f8", (MAX_JOINTS,)),
        ("acceleration", "f8", (MAX_JOINTS,)),
        ("leash", "f8", (MAX_JOINTS,)),
        ("short_leash", "f8", (MAX_JOINTS,)),  # of an arm that is to give way
        ("still", "f8", (MAX_JOINTS,)),  # zero
        ("lower", "f8", (MAX_JOINTS,)),  # of the data sheet
        ("upper", "f8", (MAX_JOINTS,)),
        ("velocity", "f8", (MAX_JOINTS,)),
        ("torque", "f8", (MAX_JOINTS,)),
        ("power", "f8", (MAX_JOINTS,)),
        ("barrier", "f8", (MAX_JOINTS,)),  # strength of both barriers at the limit
        ("band", "f8", (MAX_JOINTS,)),  # width of the position barrier
        ("velocity_band", "f8", (MAX_JOINTS,)),
        ("push_most", "f8", (MAX_JOINTS,)),  # of the inertia term
        ("armature", "f8", (MAX_JOINTS,)),  # inertia of the motors, as the joints feel it
        ("on", "i8", (COUNT,)),
        ("stiffness", "f8", (MAX_JOINTS,)),  # of the joints; of the posture, where the task is Cartesian
        ("damping", "f8", (MAX_JOINTS,)),
        ("task_stiffness", "f8", (6,)),
        ("task_damping", "f8", (6, 6)),
    ]
)

REFERENCE = [
    # What the joint motion and the torque law remember, beside the commanded joints q, dq.
    ("reference", "f8", (MAX_JOINTS,)),  # what the torque law follows
    ("dreference", "f8", (MAX_JOINTS,)),
    ("ddreference", "f8", (MAX_JOINTS,)),
    ("push", "f8", (MAX_JOINTS,)),  # its acceleration without the steps of the outer rate
    ("history", "f8", (MAX_WINDOW, MAX_JOINTS)),  # commanded joints of the last ticks, a ring
    ("at", "i8"),
    ("held", "f8", (MAX_JOINTS,)),  # where a fade began
    ("lag", "f8", (MAX_JOINTS,)),  # by how much the fade still holds the reference back
]

SCRATCH = np.dtype(
    [
        ("work", "f8", (96, 3)),  # at least bodies._kernels.WORK_ROWS
        ("terms", "f8", (COUNT, MAX_JOINTS)),
        ("R", "f8", (2, 3, 3)),
        ("p", "f8", (2, 3)),
        ("quat", "f8", (3, 4)),
        ("J", "f8", (2, 6, MAX_JOINTS)),
        ("A", "f8", (6, 6)),
        ("wrench", "f8", (4, 6)),
        ("joint", "f8", (2, MAX_JOINTS)),
    ]
)


@kernel
def stoppable(distance: float, acceleration: float, dt: float) -> float:
    """The greatest speed for the next tick from which one still stops within `distance`, exactly.

    A tick moves by v dt and then brakes by a dt: with m whole ticks of braking the way is
    dt ((m + 1) v - a dt m (m + 1) / 2). Keeping this speed, the next tick's is in reach again.
    """
    if distance <= 0.0:
        return 0.0
    m = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * distance / (acceleration * dt * dt)) - 1.0))
    return distance / (dt * (m + 1.0)) + 0.5 * acceleration * dt * m


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

    Invariants, whatever is wanted and measured: |dq_wanted| <= top, its change is at most
    acceleration * dt, and q_wanted stays in its range; from outside it only comes back. The commanded
    joint runs no further than `leash` ahead of the measured one `q`, so that a blocked arm pushes
    with a bounded force. Returns REST, MOVING, or DISPLACED when the arm is so far from its command
    that the command starts again from the arm.
    """
    n = acceleration.shape[0]
    outcome = REST
    for i in range(n):
        if abs(q_wanted[i] - q[i]) > DISPLACEMENT and math.isfinite(q[i]):
            outcome = DISPLACED
    if outcome == DISPLACED:
        for i in range(n):
            if math.isfinite(q[i]):
                q_wanted[i] = q[i]
            dq_wanted[i] = 0.0
        return outcome
    # A joint that is driven faster than it was told (by a contact, through the others) slows all.
    fastest = 0.0
    for i in range(n):
        fastest = max(fastest, abs(dq[i]) / top[i])
        if not (math.isfinite(q[i]) and math.isfinite(dq[i]) and math.isfinite(wanted[i])):
            fastest = math.inf
    share = min(1.0, max(0.0, (HURRY_END - fastest) / (HURRY_END - HURRY)))
    for i in range(n):
        a = acceleration[i]
        goal = share * wanted[i] if math.isfinite(wanted[i]) else 0.0
        # The leash is let out freely to its half, brakes to its end, and beyond it draws back, so that
        # an arm that is pushed gives way.
        if math.isfinite(q[i]):
            lead = (q_wanted[i] - q[i]) / leash[i]
            goal = min(goal, 2.0 * top[i] * (1.0 - lead))
            goal = max(goal, -2.0 * top[i] * (1.0 + lead))
        goal = min(max(goal, -top[i]), top[i])
        goal = min(goal, stoppable(high[i] - q_wanted[i], BRAKING * a, dt))
        goal = max(goal, -stoppable(q_wanted[i] - low[i], BRAKING * a, dt))
        v = dq_wanted[i] + min(max(goal - dq_wanted[i], -a * dt), a * dt)
        dq_wanted[i] = v
        q_wanted[i] += v * dt
        if abs(v) > 1e-4:
            outcome = MOVING
    return outcome


@kernel
def begin(state: Records) -> None:
    """Let the reference of an arm's STATE rest at its commanded joints."""
    s: Any = state[0]
    s.history[:, :] = s.q
    s.reference[:] = s.q
    s.held[:] = s.q
    s.dreference[:] = 0.0
    s.ddreference[:] = 0.0
    s.push[:] = 0.0
    s.lag[:] = 0.0
    s.at = 0


@kernel
def smooth(state: Records, n: int, window: int, dt: float) -> None:
    """The reference: the mean of the commanded joints over the last `window` ticks.

    A mean of points inside a limit is inside it: so position, velocity and acceleration stay within
    those of the commanded joints, and jerk = (a(t) - a(t - window)) / (window dt) <= 2 a / (window dt).
    """
    s: Any = state[0]
    at = s.at
    for i in range(n):
        velocity = (s.q[i] - s.history[at, i]) / (window * dt)
        s.history[at, i] = s.q[i]
        total = 0.0
        for k in range(window):
            total += s.history[k, i]
        s.reference[i] = total / window
        s.ddreference[i] = (velocity - s.dreference[i]) / dt
        s.dreference[i] = velocity
        s.push[i] += dt / PUSH_S * (s.ddreference[i] - s.push[i])
    s.at = (at + 1) % window


@kernel
def move(law: Records, state: Records, q: Array, dq: Array, fresh: bool, giving: bool) -> int:
    """`advance`, then `smooth`, for the STATE of an arm. Returns what `advance` says."""
    c: Any = law[0]
    s: Any = state[0]
    n = c.n
    velocity = s.velocity if fresh else c.still
    leash = c.short_leash if giving else c.leash
    outcome = advance(velocity, q, dq, c.low, c.high, c.top, c.acceleration[:n], leash, c.dt, s.q, s.dq)
    if outcome == DISPLACED:
        begin(state)
    else:
        smooth(state, n, c.window, c.dt)
    return outcome


@kernel
def barrier(x: float, low: float, high: float, band: float, strength: float) -> float:
    """Push back into a range (AVATRINA, eq. 6, corrected): 0 at the band's edge, -K at the limit.

    c = -K ((x - high + band) / band)^2 above, +K ((low + band - x) / band)^2 below; it grows beyond
    the limit too. Printed, it was K at the band's edge and 0 at the limit.
    """
    if x > high - band:
        return -strength * min(STEEPEST, (x - high + band) / band) ** 2
    if x < low + band:
        return strength * min(STEEPEST, (low + band - x) / band) ** 2
    return 0.0


@kernel
def position_barrier(
    x: float, low: float, high: float, band: float, strength: float, reference: float
) -> float:
    """`barrier`, but a joint that is told to be beyond is not pushed from there.

    A robot may be found a little outside its range: a barrier would throw it back. The reference
    itself comes back and does not leave again, and with it the range is as it should be.
    """
    if reference + band > high:
        high = reference + band
    if reference - band < low:
        low = reference - band
    return barrier(x, low, high, band, strength)


@kernel
def power_limited(torque: float, speed: float, most: float) -> float:
    """AVATRINA, eq. 7: p_max / dq where torque * dq > p_max, else the torque. Braking is not limited."""
    return most / speed if torque * speed > most else torque


@kernel
def load(
    chain: Records, law: Records, state: Records, q: Array, dq: Array, log: bool, scratch: Records
) -> None:
    """What carries and moves the arm itself: g(q), C(q, dq) dq and M(q) ddq_w, into the terms of `scratch`.

    Gravity and Coriolis one by one if they are to be logged or one is switched off, else their sum.
    """
    c: Any = law[0]
    s: Any = state[0]
    w: Any = scratch[0]
    gravity, coriolis, inertia = w.terms[GRAVITY], w.terms[CORIOLIS], w.terms[INERTIA]
    arrays = unpack(chain)
    bias(arrays, q, dq, coriolis, w.work)
    newton_euler(arrays, q, dq, s.push, 1.0, inertia, w.work)
    for i in range(c.n):
        push = inertia[i] + c.armature[i] * s.push[i] - coriolis[i]
        inertia[i] = min(max(push, -c.push_most[i]), c.push_most[i])
    if log or not (c.on[GRAVITY] and c.on[CORIOLIS]):
        bias(arrays, q, c.still, gravity, w.work)
        for i in range(c.n):
            coriolis[i] -= gravity[i]
    else:
        gravity[:] = 0.0


@kernel
def conclude(
    law: Records,
    state: Records,
    q: Array,
    dq: Array,
    scratch: Records,
    log: bool,
    tau: Array,
    logged: NDArray[np.float32],
) -> None:
    """Add the barriers, sum the terms that are switched on, limit power and torque.

    AVATRINA, eq. 5, limits the power before it adds the barriers; then a barrier that pushes a moving
    joint back could exceed it. Here tau dq <= p_max holds for what leaves. With `log` the terms are
    written into `logged`, those that are switched off as zero.
    """
    c: Any = law[0]
    s: Any = state[0]
    w: Any = scratch[0]
    terms = w.terms
    for i in range(c.n):
        own = c.lower[i], c.upper[i], c.band[i], c.barrier[i]
        terms[POSITION_BARRIER, i] = position_barrier(q[i], own[0], own[1], own[2], own[3], s.reference[i])
        v = c.velocity[i]
        terms[VELOCITY_BARRIER, i] = barrier(dq[i], -v, v, c.velocity_band[i], c.barrier[i])
        total = 0.0
        for k in range(POWER_CUT):
            if c.on[k] == 0:
                terms[k, i] = 0.0
            total += terms[k, i]
        allowed = power_limited(total, dq[i], c.power[i]) if c.on[POWER_CUT] else total
        terms[POWER_CUT, i] = allowed - total
        tau[i] = min(max(allowed, -c.torque[i]), c.torque[i])
    if log:
        for k in range(COUNT):
            for i in range(c.n):
                logged[k, i] = terms[k, i]


@kernel
def joint_pd(law: Records, state: Records, q: Array, dq: Array, scratch: Records) -> None:
    """k (q_w - q) and d (dq_w - dq) into the terms of `scratch`."""
    c: Any = law[0]
    s: Any = state[0]
    w: Any = scratch[0]
    for i in range(c.n):
        w.terms[STIFFNESS, i] = c.stiffness[i] * (s.reference[i] - q[i])
        w.terms[DAMPING, i] = c.damping[i] * (s.dreference[i] - dq[i])
        w.terms[NULL_SPACE, i] = 0.0


@kernel
def joint_pd_step(
    chain: Records,
    law: Records,
    state: Records,
    q: Array,
    dq: Array,
    fresh: bool,
    giving: bool,
    log: bool,
    scratch: Records,
    tau: Array,
    logged: NDArray[np.float32],
) -> int:
    """One inner tick: `move`, then k (q_w - q) + d (dq_w - dq) + M ddq_w + C dq + g within the limits."""
    outcome = move(law, state, q, dq, fresh, giving)
    joint_pd(law, state, q, dq, scratch)
    load(chain, law, state, q, dq, log, scratch)
    conclude(law, state, q, dq, scratch, log, tau, logged)
    return outcome
