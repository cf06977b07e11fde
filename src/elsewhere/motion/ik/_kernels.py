"""Compiled parts that the solvers share: the arm's record, pose error, posture pull, bounds, box QP."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._kernels import CHAIN, MAX, WORK_ROWS, forward
from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import quat_from_matrix, quat_log, quat_multiply

Array = NDArray[np.float64]
Flags = NDArray[np.int64]

FOLLOWS, BLOCKED, LIMITED, REFUSED = 0, 1, 2, 3  # what a step says: see `base.OUTCOMES`
FAR, ASKEW = 0.04, 0.25  # m, rad: nearer than this, a hand is at its target
AT_END = 0.02  # rad or m: nearer than this, a joint rests on the end of its range
CREEP, CREEP_TURN = 0.05, 0.1  # m/s, rad/s: an arm that closes its error more slowly is blocked
NEUTRAL, HOME, SHOULDER, NULL_SPACE = 0, 1, 2, 3  # see `biases.BIASES`

GAINS = 16
ROWS = 12
ARM = np.dtype(
    [
        ("chain", CHAIN),
        ("dt", "f8"),
        ("low", "f8", (MAX,)),  # ends of the ranges that are used
        ("high", "f8", (MAX,)),
        ("top", "f8", (MAX,)),  # speeds that are used
        ("braking", "f8", (MAX,)),  # decelerations that are counted on
        ("neutral", "f8", (MAX,)),
        ("home", "f8", (MAX,)),
        ("bias", "i8"),  # NEUTRAL .. NULL_SPACE
        ("shoulder", "f8", (4,)),  # side (+1 left, -1 right), k_a, k_z, z_0 of eq. 15
        ("gains", "f8", (GAINS,)),  # of the solver
        # Scratch, in the same record: each further argument of a compiled call costs 0.2 us.
        ("work", "f8", (WORK_ROWS, 3)),
        ("R", "f8", (3, 3)),
        ("J", "f8", (6, MAX)),
        ("H", "f8", (MAX, MAX)),
        ("L", "f8", (MAX + 1, MAX)),
        ("A", "f8", (6, 6)),
        ("rows", "f8", (ROWS, MAX)),
        ("fixed", "i8", (MAX,)),
    ]
)
"""All that a solver's kernel takes besides its inputs: constants of the arm, gains, and scratch."""


@kernel
def all_finite(q: Array, n: int, target_p: Array, target_q: Array, feed: Array) -> bool:
    """Whether every input of a step is a number: a sum is not finite when one of its terms is not."""
    total = 0.0
    for i in range(n):
        total += q[i]
    for i in range(3):
        total += target_p[i] + feed[i] + feed[3 + i]
    for i in range(4):
        total += target_q[i]
    return math.isfinite(total)


@kernel
def palm_error(arm: Any, q: Array, target_p: Array, target_q: Array, error: Array) -> tuple[float, float]:
    """Kinematics at q, into `arm.R` and `arm.J`; the twist `error` (6) that leads to the target.

    Position difference and rotation vector (log map), in base axes; returns their lengths.
    """
    c = arm.chain
    rows = arm.rows
    p, now, turn = rows[0, :3], rows[1, :4], rows[2, :4]
    arrays = (c.kind[: c.n], c.axis, c.R, c.p, c.mass, c.com, c.inertia, c.gravity)
    forward(arrays, q, arm.R, p, arm.J, arm.work)
    quat_from_matrix(arm.R, now)
    for i in range(1, 4):
        now[i] = -now[i]
    quat_multiply(target_q, now, turn)
    quat_log(turn, error[3:6])
    for i in range(3):
        error[i] = target_p[i] - p[i]
    distance = math.sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2])
    angle = math.sqrt(error[3] * error[3] + error[4] * error[4] + error[5] * error[5])
    return distance, angle


@kernel
def cholesky6(A: Array) -> None:
    """Replace the lower triangle of a positive definite (6, 6) matrix by its Cholesky factor."""
    for i in range(6):
        for j in range(i):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            A[i, j] = s / A[j, j]
        s = A[i, i]
        for k in range(i):
            s -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(max(s, 1e-18))


@kernel
def solve6(A: Array, x: Array) -> None:
    """x <- (L L^T)^-1 x with the factor that `cholesky6` left in A."""
    for i in range(6):
        for k in range(i):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            x[i] -= A[k, i] * x[k]
        x[i] /= A[i, i]


@kernel
def gram(J: Array, n: int, damping: float, A: Array) -> None:
    """A = J J^T + damping I, its lower triangle."""
    for i in range(6):
        for j in range(i + 1):
            s = 0.0
            for k in range(n):
                s += J[i, k] * J[j, k]
            A[i, j] = s
        A[i, i] += damping


@kernel
def project(J: Array, n: int, A: Array, pull: Array, work: Array) -> None:
    """pull <- (I - J^T (J J^T + e I)^-1 J) pull: what moves no hand. `work` holds 6."""
    gram(J, n, 1e-7, A)
    cholesky6(A)
    for i in range(6):
        s = 0.0
        for k in range(n):
            s += J[i, k] * pull[k]
        work[i] = s
    solve6(A, work)
    for k in range(n):
        for i in range(6):
            pull[k] -= J[i, k] * work[i]


@kernel
def posture_pull(arm: Any, q: Array, target_p: Array, target_q: Array, null: bool, pull: Array) -> None:
    """The way to the posture that the bias wants, from q; see `biases.BIASES`.

    In the null space of `arm.J` only, where `null` or the bias says so.
    """
    n, kind = arm.chain.n, arm.bias
    for i in range(n):
        pull[i] = (arm.home[i] if kind == HOME else arm.neutral[i]) - q[i]
    if kind == SHOULDER:
        r = arm.rows[2, :3]
        quat_log(target_q, r)  # of length pi at most
        side, k_a, k_z, z_0 = arm.shoulder[0], arm.shoulder[1], arm.shoulder[2], arm.shoulder[3]
        lift = max(k_a * (r[1] - side * r[2]), 0.0) + k_z * (target_p[2] - z_0)
        pull[0] = min(max(side * lift, arm.low[0]), arm.high[0]) - q[0]
    if null or kind == NULL_SPACE:
        project(arm.J, n, arm.A, pull, arm.rows[3])


@kernel
def normal_equations(
    J: Array, n: int, twist: Array, weight: float, damping: float, drift: Array, H: Array, g: Array
) -> None:
    """Of min_v |x - J v|^2_W + d |v - v_0|^2: H = J^T W J + d I, g = J^T W x + d v_0.

    W weighs linear rows by 1 and angular ones by `weight`. `drift` is v_0.
    """
    for i in range(n):
        for j in range(i + 1):
            s = J[0, i] * J[0, j] + J[1, i] * J[1, j] + J[2, i] * J[2, j]
            s += weight * (J[3, i] * J[3, j] + J[4, i] * J[4, j] + J[5, i] * J[5, j])
            H[i, j] = s
            H[j, i] = s
        H[i, i] += damping
        s = J[0, i] * twist[0] + J[1, i] * twist[1] + J[2, i] * twist[2]
        s += weight * (J[3, i] * twist[3] + J[4, i] * twist[4] + J[5, i] * twist[5])
        g[i] = s + damping * drift[i]


@kernel
def velocity_bounds(arm: Any, q: Array, lower: Array, upper: Array) -> None:
    """Velocities that stay below the limit and can still brake before the end of the range.

    v <= sqrt(2 a d) and v <= d / dt with d the distance to the end: exact for a step of dt. From
    outside the range a joint may only come back.
    """
    for i in range(arm.chain.n):
        up, down = max(0.0, arm.high[i] - q[i]), max(0.0, q[i] - arm.low[i])
        upper[i] = min(arm.top[i], math.sqrt(2.0 * arm.braking[i] * up), up / arm.dt)
        lower[i] = -min(arm.top[i], math.sqrt(2.0 * arm.braking[i] * down), down / arm.dt)


@kernel
def solve_free(H: Array, g: Array, n: int, x: Array, fixed: Flags, L: Array) -> None:
    """Minimise x^T H x / 2 - g^T x over the first n places that are not fixed, by Cholesky."""
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
        L[i, i] = math.sqrt(max(s, 1e-18))
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
    H: Array, g: Array, n: int, lower: Array, upper: Array, x: Array, fixed: Flags, L: Array
) -> int:
    """Minimise x^T H x / 2 - g^T x within lower <= x <= upper, exactly; the number of rounds.

    Block principal pivoting (Judice and Pires, 1994): all places that break an optimality condition
    change sides at once while that helps, one at a time (the last, as Murty's rule says) when it does
    not, which ends for every positive definite H. `fixed` is -1, 0 or 1: at its lower end, free, at
    its upper end. Bounds are kept exactly.
    """
    for i in range(n):
        fixed[i] = 0
    fewest, patience, rounds = n + 1, 3, 0
    for _ in range(100 * n):
        rounds += 1
        solve_free(H, g, n, x, fixed, L)
        count = 0
        for i in range(n):
            count += _side(H, g, n, lower, upper, x, fixed, i) != fixed[i]
        if count == 0:
            break
        if count < fewest:
            fewest, patience = count, 3
        else:
            patience -= 1
        # Decide for all before any x moves: the slopes must belong to one and the same point.
        for i in range(n):
            L[n, i] = _side(H, g, n, lower, upper, x, fixed, i)
        for i in range(n - 1, -1, -1):
            if L[n, i] != fixed[i]:
                fixed[i] = int(L[n, i])
                if patience < 0:
                    break
        for i in range(n):
            if fixed[i]:
                x[i] = lower[i] if fixed[i] < 0 else upper[i]
    for i in range(n):
        x[i] = min(max(x[i], lower[i]), upper[i])
    return rounds


@kernel
def _side(H: Array, g: Array, n: int, lower: Array, upper: Array, x: Array, fixed: Flags, i: int) -> int:
    """Where place i belongs, seen from x: at its lower end (-1), free (0), at its upper end (1)."""
    if fixed[i] == 0:
        if x[i] < lower[i] - 1e-13:
            return -1
        return 1 if x[i] > upper[i] + 1e-13 else 0
    if lower[i] >= upper[i]:
        return int(fixed[i])
    slope = -g[i]
    for k in range(n):
        slope += H[i, k] * x[k]
    if fixed[i] < 0:
        return 0 if slope < -1e-12 else -1
    return 0 if slope > 1e-12 else 1


@kernel
def closing(J: Array, n: int, error: Array, length: float, velocity: Array, first: int) -> float:
    """How fast the three rows from `first` of the error get shorter at a joint velocity."""
    speed = 0.0
    for i in range(first, first + 3):
        for k in range(n):
            speed += error[i] * J[i, k] * velocity[k]
    return speed / max(length, 1e-12)


@kernel
def outcome(arm: Any, q: Array, error: Array, distance: float, angle: float, velocity: Array) -> int:
    """BLOCKED where a hand is off its target and hardly comes nearer.

    LIMITED where it is at its place, and the end of a joint's range keeps it from turning further.
    """
    n, J = arm.chain.n, arm.J
    if distance > FAR and closing(J, n, error, distance, velocity, 0) < CREEP:
        return BLOCKED
    if angle <= ASKEW or closing(J, n, error, angle, velocity, 3) >= CREEP_TURN:
        return FOLLOWS
    for i in range(n):
        at_end = q[i] - arm.low[i] < AT_END or arm.high[i] - q[i] < AT_END
        # A joint near its end is a reason only if the error turns it further out: along J^T e.
        pull = 0.0
        for k in range(3, 6):
            pull += J[k, i] * error[k]
        outwards = pull < 0.0 if q[i] - arm.low[i] < AT_END else pull > 0.0
        if at_end and outwards:
            return LIMITED
    return BLOCKED


@kernel
def stand_still(velocity: Array) -> None:
    """No velocity at all."""
    for i in range(velocity.shape[0]):
        velocity[i] = 0.0


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
