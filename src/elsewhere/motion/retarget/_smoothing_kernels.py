"""The operator's hands between frames: 60 to 90 poses a second become one at every outer tick.

A hand is shown as it was at t = now - lag - BEHIND T, with T the measured period of the frames and `lag`
the age at which the freshest of them arrive. That instant lies between the two newest frames, where the
hand is interpolated (position linear, rotation by slerp), or after the newest one, where it is predicted:

    p(t) = p1 + k v1 min(t - t1, AHEAD T),  v1 = (p1 - p0) / (t1 - t0),  k = clamp(v0 . v1 / v1 . v1, 0, 1)

with v0 the velocity before. `k` keeps a prediction from overshooting: a hand, or a mouse, that jumps by one
step was at rest before, so nothing is predicted; one that turns back neither. A new frame corrects the
prediction. That correction fades over one period, so the hand makes no steps, and when a frame arrives does
not matter: only when it was sampled.

The choice, on one scenario of `lab tracking` (deal, seed 0) at 72 Hz over a link of 2 to 4 ms: delay, mean
error after it, and greatest error of the velocity. The newest frame as it is: 15 ms, 0.92 mm, 2.3 m/s.
Interpolation alone, a period behind: 16 ms, 0.48 mm, 0.13 m/s. All predicted (BEHIND 0): 6 ms, 0.72 mm,
0.69 m/s, as late frames then meet the bound. In between, as taken: 10 ms, 0.58 mm, 0.19 m/s.

Invariants: the hand lies between its two newest frames, or at most one period of the newest velocity after
them, but for what is left of the last correction. A hand at rest does not move. No frame older than the
watchdog's limit counts: an invalid frame empties the memory, as a lost hand does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import quat_exp, quat_log, quat_multiply, quat_normalise

Array = NDArray[np.float64]

TOP_SPEED = 12.0  # m/s: paths of AVATRINA reach 8 m/s; what is faster is a jump of the tracking
TOP_TURN = 60.0  # rad/s
LEAST_PERIOD, MOST_PERIOD = 0.004, 0.025  # s: within which the measured period is kept
MOST_LAG = 0.03  # s
AHEAD = 1.0  # periods: the farthest that a hand is predicted
BEHIND = 0.4  # periods: how much later than the freshest frames a hand is shown
SAME = 0.001  # s: frames nearer in time than this count as one, of which the later holds
JUMP_DT = 0.005  # s: the least time over which a jump is judged


@kernel
def difference(q_to: Array, q_from: Array, out: Array, work: Array) -> None:
    """Rotation vector, in common axes, that turns q_from into q_to. `work` is (2, 4)."""
    work[0, 0] = q_from[0]
    for i in range(1, 4):
        work[0, i] = -q_from[i]
    quat_multiply(q_to, work[0], work[1])
    quat_log(work[1], out)


@kernel
def turned(q: Array, vector: Array, share: float, out: Array, work: Array) -> None:
    """out = exp(share vector) q, of unit length. `out` may not be q; `work` is (2, 4)."""
    for i in range(3):
        work[0, i] = share * vector[i]
    quat_exp(work[0, :3], work[1])
    quat_multiply(work[1], q, out)
    quat_normalise(out)


@kernel
def hand_at(s: Any, side: int, now_ns: int, hand_p: Array, hand_q: Array, work: Array) -> None:
    """The hand as remembered in `s`, without the rest of the last correction. `work` is (3, 4)."""
    p, q, t = s.frame_p[side], s.frame_q[side], s.frame_ns[side]
    span = 1e-9 * (t[1] - t[0])
    after = 1e-9 * (now_ns - t[1]) - s.lag - BEHIND * s.period
    if after <= 0.0:
        way = turn = max(0.0, 1.0 + after / span) - 1.0
    else:
        ahead = min(after, AHEAD * s.period) / span
        way, turn = s.trust[side, 0] * ahead, s.trust[side, 1] * ahead
    for i in range(3):
        hand_p[i] = p[1, i] + way * (p[1, i] - p[0, i])
    difference(q[1], q[0], work[2, :3], work)
    turned(q[1], work[2], turn, hand_q, work)


@kernel
def hand_now(s: Any, side: int, now_ns: int, work: Array) -> None:
    """Write the hand of this instant into `s.hand_p`, `s.hand_q`. `work` is (4, 4)."""
    hand_at(s, side, now_ns, s.hand_p[side], s.hand_q[side], work)
    left = 1.0 - 1e-9 * (now_ns - s.rest_ns[side]) / s.period
    if left > 0.0:
        for i in range(3):
            s.hand_p[side, i] += left * s.rest[side, i]
        work[3, :] = s.hand_q[side]
        turned(work[3], s.rest[side, 3:], left, s.hand_q[side], work)


@kernel
def believed(before: Array, now: Array) -> float:
    """Share of the velocity `now` that was already there `before`: 0 to 1."""
    dot = before[0] * now[0] + before[1] * now[1] + before[2] * now[2]
    square = now[0] * now[0] + now[1] * now[1] + now[2] * now[2]
    return min(max(dot / square, 0.0), 1.0) if square > 0.0 else 0.0


@kernel
def begin(s: Any, side: int, p: Array, q: Array, sampled_ns: int, now_ns: int) -> None:
    """Forget what was before: the hand is here, at rest."""
    for k in range(2):
        s.frame_p[side, k] = p
        s.frame_q[side, k] = q
    s.frame_ns[side, 0], s.frame_ns[side, 1] = sampled_ns - 10_000_000, sampled_ns
    s.trust[side, :], s.rest[side, :], s.rest_ns[side] = 0.0, 0.0, now_ns
    s.hand_p[side] = p
    s.hand_q[side] = q
    s.known[side], s.jumped[side] = 1, 1


@kernel
def remember(s: Any, side: int, p: Array, q: Array, sampled_ns: int, work: Array) -> None:
    """Take a frame into the memory; how much of its velocity is believed. `work` is (5, 4)."""
    span = 1e-9 * (s.frame_ns[side, 1] - s.frame_ns[side, 0])
    apart = 1e-9 * (sampled_ns - s.frame_ns[side, 1])
    if apart >= SAME:
        before, now = work[3], work[4]
        for i in range(3):
            before[i] = (s.frame_p[side, 1, i] - s.frame_p[side, 0, i]) / span
            now[i] = (p[i] - s.frame_p[side, 1, i]) / apart
        s.trust[side, 0] = believed(before, now)
        difference(s.frame_q[side, 1], s.frame_q[side, 0], before, work)
        difference(q, s.frame_q[side, 1], now, work)
        for i in range(3):
            before[i], now[i] = before[i] / span, now[i] / apart
        s.trust[side, 1] = believed(before, now)
        s.frame_p[side, 0] = s.frame_p[side, 1]
        s.frame_q[side, 0] = s.frame_q[side, 1]
        s.frame_ns[side, 0], s.frame_ns[side, 1] = s.frame_ns[side, 1], sampled_ns
    s.frame_p[side, 1] = p
    s.frame_q[side, 1] = q


@kernel
def hands(s: Any, f: Any, valid: bool, now_ns: int, work: Array) -> None:
    """Advance both hands of `s` (base.STATE) to this instant, with frame `f` (FRAME). `work` is (8, 4)."""
    if f.session != s.session:  # hand poses of another session are not comparable
        s.session = f.session
        s.engaged[:], s.known[:] = 0, 0
        s.homed, s.period, s.lag = 0, 0.0, 0.0
    fresh = valid and f.seq != s.seq
    # The output of all that was known before this frame, for the correction to fade from.
    for side in range(2):
        s.jumped[side] = 0
        if not (valid and f.tracked[side]):
            s.known[side] = 0
        elif s.known[side] > 0:
            hand_now(s, side, now_ns, work)
    if not fresh:
        return
    measure(s, f, now_ns)
    s.seq = f.seq
    for side in range(2):
        if not f.tracked[side]:
            continue
        p, q = f.hand_p[side], f.hand_q[side]
        if s.known[side] == 0 or is_jump(s, side, p, q, f.sampled_ns, work):
            begin(s, side, p, q, f.sampled_ns, now_ns)
            continue
        remember(s, side, p, q, f.sampled_ns, work)
        raw_p, raw_q = work[5, :3], work[6]
        hand_at(s, side, now_ns, raw_p, raw_q, work)
        for i in range(3):
            s.rest[side, i] = s.hand_p[side, i] - raw_p[i]
        difference(s.hand_q[side], raw_q, s.rest[side, 3:], work)
        s.rest_ns[side] = now_ns


@kernel
def measure(s: Any, f: Any, now_ns: int) -> None:
    """Follow the period of the frames and the age at which the freshest arrive."""
    age = min(max(1e-9 * (now_ns - f.sampled_ns), 0.0), MOST_LAG)
    if s.period == 0.0:  # nothing is measured yet
        s.period, s.lag = 1.0 / 72.0, age
        return
    newest = max(s.frame_ns[0, 1], s.frame_ns[1, 1])
    apart = 1e-9 * (f.sampled_ns - newest)
    if SAME < apart < 2.0 * MOST_PERIOD:
        s.period += 0.1 * (min(max(apart, LEAST_PERIOD), MOST_PERIOD) - s.period)
    s.lag = age if age < s.lag else s.lag + 0.02 * (age - s.lag)


@kernel
def is_jump(s: Any, side: int, p: Array, q: Array, sampled_ns: int, work: Array) -> bool:
    """Whether no hand moves like that."""
    dt = max(1e-9 * (sampled_ns - s.frame_ns[side, 1]), JUMP_DT)
    way = 0.0
    for i in range(3):
        way += (p[i] - s.frame_p[side, 1, i]) ** 2
    difference(q, s.frame_q[side, 1], work[2, :3], work)
    v = work[2]
    turn = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return bool(math.sqrt(way) > TOP_SPEED * dt or turn > TOP_TURN * dt)
