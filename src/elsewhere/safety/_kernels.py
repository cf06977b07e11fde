"""Compiled guard and watchdog: the last computation before a robot moves, and what it may follow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.motion.torque._kernels import barrier, position_barrier, power_limited

Array = NDArray[np.float64]

Limits = tuple[Array, Array, Array, Array, Array, Array]
Records = NDArray[np.void]

OK, CLAMPED, REFUSED = 0, 1, 2
HOLD, FADE, TRACK, STOPPED = 0, 1, 2, 3  # status.Mode; numba is slow with an enum
STARTED, FRAME_CAME, FADED, NO_FRAME, NEW_SESSION, RESET, OPERATOR_STOP, RESUMED, RESTARTED = range(9)
EXCESS_TORQUE, EXCESS_VELOCITY, EXCESS_FORCE, BAD_REFERENCE = 9, 10, 11, 12  # status.Reason

BARRIER = 0.5  # share of the torque with which the guard pushes back at a limit; the law adds its own
VELOCITY_BAND = 0.25  # width of the velocity barrier, share of the limit
SLACK = 1e-6  # share of a limit that rounding may add to the reference's differences


@kernel
def release(
    tau: Array,
    q: Array,
    dq: Array,
    limits: Limits,
    band: float,
    dt: float,
    reference: Array,
    sent: Array,
) -> int:
    """Replace `sent` (what was sent last) by what may be sent now; OK, CLAMPED or REFUSED.

    `limits`: lower, upper, velocity, torque, torque rate, power. Invariants: |sent| <= torque,
    |change| <= torque_rate dt, everything finite; and sent dq <= power, as soon as the rate allows. A
    command that is not finite is refused as a whole: the torque then fades to zero at its rate.
    """
    low, high, velocity, torque, torque_rate, power = limits
    n = low.shape[0]
    outcome = OK
    for i in range(n):
        if not (math.isfinite(tau[i]) and math.isfinite(q[i]) and math.isfinite(dq[i])):
            outcome = REFUSED
    for i in range(n):
        if outcome == REFUSED:
            wanted = 0.0
        else:
            strength, edge = BARRIER * torque[i], VELOCITY_BAND * velocity[i]
            wanted = tau[i] + position_barrier(q[i], low[i], high[i], band, strength, reference[i])
            wanted += barrier(dq[i], -velocity[i], velocity[i], edge, strength)
            wanted = power_limited(wanted, dq[i], power[i])
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
    reference: Array,
    sent: NDArray[np.void],
) -> int:
    """Guard a whole command: both arms by `release`, the rest by `within`. The gravest outcome.

    `wanted`, `sent`: a COMMAND; `state`: a ROBOT_STATE. `limits` (6, 2, n): as in `release`, of both arms.
    `joints`: how many each arm has. `ranges` (2, k): least and greatest of motors, head, base twist and
    baseline, one after the other. `reference` (2, n): where the joints are told to be.
    """
    w: Any = wanted[0]
    now: Any = state[0]
    s: Any = sent[0]
    worst = OK
    for side in range(2):
        own = limits[:, side, : joints[side]]
        rows = (own[0], own[1], own[2], own[3], own[4], own[5])
        told = reference[side]
        done = release(w.tau[side], now.q[side], now.dq[side], rows, band, dt, told, s.tau[side])
        worst = max(worst, done)
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


@kernel
def follows(q: Array, last: Array, dlast: Array, ddlast: Array, limits: Array, n: int, dt: float) -> bool:
    """Whether a reference goes on within its limits; `last`, `dlast`, `ddlast` become the present ones.

    `limits` (5, n): lower, upper, velocity, acceleration, jerk. Beyond an end of its range a reference
    may only come back.
    """
    sound = True
    for i in range(n):
        v = (q[i] - last[i]) / dt
        a = (v - dlast[i]) / dt
        jerk = (a - ddlast[i]) / dt
        more = 1.0 + SLACK
        # Written so that what is not a number is not sound.
        sound = sound and abs(v) <= more * limits[2, i]
        sound = sound and abs(a) <= more * limits[3, i]
        sound = sound and abs(jerk) <= more * limits[4, i]
        sound = sound and min(limits[0, i], last[i]) - 1e-9 <= q[i] <= max(limits[1, i], last[i]) + 1e-9
        last[i], dlast[i], ddlast[i] = q[i], v, a
    return sound


@kernel
def watch(
    state: Records,
    reference: Array,
    limits: Array,
    joints: NDArray[np.int64],
    force: float,
    patience: int,
    dt: float,
    memory: Records,
) -> int:
    """Why the arms should stop, as a Reason, or 0. `memory`: Guard.STATE.

    A measured torque, velocity or force may be beyond its limit for `patience` ticks: sensors have noise,
    and a hand that is set down clicks. `limits` (7, 2, n): lower, upper, velocity, acceleration, jerk,
    velocity, torque.
    """
    now: Any = state[0]
    m: Any = memory[0]
    reason = 0
    heavy, fast, pressed = False, False, False
    for side in range(2):
        n = joints[side]
        own = limits[:, side]
        if not follows(reference[side], m.q[side], m.dq[side], m.ddq[side], own, n, dt):
            reason = BAD_REFERENCE
        for i in range(n):
            fast = fast or abs(now.dq[side, i]) > own[5, i]
            heavy = heavy or abs(now.tau[side, i]) > 1.001 * own[6, i]
        w = now.wrench[side]
        pressed = pressed or w[0] * w[0] + w[1] * w[1] + w[2] * w[2] > force * force
    m.excess[0] = m.excess[0] + 1 if heavy else 0
    m.excess[1] = m.excess[1] + 1 if fast else 0
    m.excess[2] = m.excess[2] + 1 if pressed else 0
    for kind in range(3):
        if reason == 0 and m.excess[kind] >= patience:
            reason = EXCESS_TORQUE + kind
    m.trip = reason
    return reason


@kernel
def sound(frame: Records) -> bool:
    """Whether every number of a FRAME is finite and every quaternion a rotation."""
    f: Any = frame[0]
    total = f.base_twist[0] + f.base_twist[1] + f.base_twist[2]
    for side in range(2):
        for i in range(3):
            total += f.hand_p[side, i]
        for i in range(f.fingers.shape[1]):
            total += f.fingers[side, i]
        for i in range(f.way_from.shape[1]):
            total += f.way_from[side, i] + f.way_to[side, i]
        square = 0.0
        for i in range(4):
            square += f.hand_q[side, i] ** 2
        if not abs(square - 1.0) < 1e-3:
            return False
    square = 0.0
    for i in range(4):
        square += f.head_q[i] ** 2
    return math.isfinite(total) and abs(square - 1.0) < 1e-3


@kernel
def accept(accepted: Records, frame: Records, now_ns: int, limit_ns: int, future_ns: int) -> bool:
    """Take `frame` if it is newer than all before it, timely and sound; whether it opens a session."""
    f: Any = frame[0]
    a: Any = accepted[0]
    if f.seq == 0 or f.session < a.session or (f.session == a.session and f.seq <= a.seq):
        return False
    age_ns = now_ns - f.sampled_ns
    if age_ns < -future_ns or age_ns >= limit_ns or not sound(frame):
        return False
    opens = f.session != a.session
    accepted[0] = frame[0]
    return bool(opens)


@kernel
def decide(
    state: Records,
    accepted: Records,
    frame: Records,
    request: Records,
    now_ns: int,
    limit_ns: int,
    future_ns: int,
    fade_ns: int,
    restart_ns: int,
    trip: int,
) -> tuple[int, float]:
    """One step of the state machine (see `watchdog.Watchdog`): the mode, and the share of a fade."""
    s: Any = state[0]
    r: Any = request[0]
    mode, reason = s.mode, s.reason
    if trip != 0:
        s.stopped_ns = now_ns  # the pause begins when the limit is kept again
        if mode != STOPPED:
            mode, reason = STOPPED, trip
    elif mode == STOPPED and reason != OPERATOR_STOP and now_ns - s.stopped_ns >= restart_ns:
        mode, reason = HOLD, RESTARTED
    if r.stop != s.stop:
        s.stop = r.stop
        mode, reason = STOPPED, OPERATOR_STOP
    if r.resume != s.resume:
        s.resume = r.resume
        if mode == STOPPED and trip == 0:
            mode, reason = HOLD, RESUMED
    # A new session begins with a hold of one tick: its hand poses have nothing to do with the old.
    broken = accept(accepted, frame, now_ns, limit_ns, future_ns)
    last: Any = accepted[0]
    age_ns = now_ns - last.sampled_ns
    valid = last.seq > 0 and age_ns < limit_ns and not broken
    gain = 0.0
    if mode != STOPPED:
        if not valid:
            if mode != HOLD:
                mode, reason = HOLD, NEW_SESSION if broken else NO_FRAME
        else:
            if mode == HOLD:
                mode, reason, s.fade_ns = FADE, FRAME_CAME, now_ns
            gain = 1.0
            if mode == FADE:
                gain = (now_ns - s.fade_ns) / max(fade_ns, 1)
                if gain >= 1.0:
                    mode, reason, gain = TRACK, FADED, 1.0
    s.mode, s.reason = mode, reason
    return mode, gain
