"""Compiled step of `scout.Scout`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._kernels import MAX
from elsewhere.kernel import kernel
from elsewhere.motion.ik._kernels import (
    ASKEW,
    BLOCKED,
    FAR,
    FOLLOWS,
    REFUSED,
    Array,
    all_finite,
    closing,
    normal_equations,
    outcome,
    palm_error,
    posture_pull,
    shorten,
    solve_box,
    stand_still,
    velocity_bounds,
)
from elsewhere.spatial._kernels import approach_speed, quat_exp, quat_multiply

# Places in a solver's memory. All zeros: the hand is at its target, nothing is searched.
SEARCHING, TRAVELLING, FOUND, STALL, SEED, ROUNDS, LOST, SHORT = 0, 1, 2, 3, 4, 5, 6, 7
GHOST, GOAL, LAST = 8, 16, 24  # joints, MAX each
GIVEN_UP, ASKED, BACK = 32, 35, 36  # a target's position (3), the last top speed, time left [s]
START = 40  # joints where a way began
ANCHORED = 48  # joints of the ghost that stays near home

ERROR, DRIFT, G, LOWER, UPPER, TWIST, SOON, SOON_TURNED = 4, 5, 6, 7, 8, 9, 10, 11  # rows of scratch

OFF, TURNED = 0.05, 0.3  # m, rad: what counts as off its target (AVATRINA, eq. 1)
REACH, TURN = 0.25, 1.0  # m, rad: an error beyond this does not weigh more
HOLD = 1e-3  # weight of the arm's own posture in a ghost's step
TIE = 0.5  # share of its damping that ties the goal to the arm: what is out of reach leads it less astray
LONGEST = 0.6  # rad or m, of a ghost's step
STAYING, ROAMING = 1.0, 2.0  # whose turn it is while searching
PATIENCE = 15  # steps of a ghost before it starts elsewhere
LOSS = 25  # steps that a goal may lag behind a moving target
BETTER = 0.7  # a newly found posture replaces the goal when it costs this share
HOMESICK = 0.3  # what the time from a posture to home counts, against the time to get there
SHORT_OF, LOST_CAUSE = 0.1, 0.3  # m: from the one to the other shortfall, home gains weight
STALL_S = 0.3  # s: an arm that does not get on for so long gives a way up
BACK_S = 1.5  # s: how long it takes at most to back out of a way
DRIFT_MOST = 0.5  # rad/s, towards the posture that the bias wants


@kernel
def balance(weight: float, distance: float, angle: float) -> float:
    """The weight of rotation: more where the turn is further out of tolerance than the place, and back."""
    place, turn = (distance / OFF) ** 2, (angle / TURNED) ** 2
    return weight * math.sqrt(min(max((turn + 0.2) / (place + 0.2), 0.1), 10.0))


@kernel
def own_step(
    arm: Any,
    q: Array,
    feed: Array,
    distance: float,
    angle: float,
    posture: Array,
    retreat: float,
    velocity: Array,
) -> None:
    """The arm's bounded step for the error in scratch; `posture` is where the bias pulls.

    min_v |x - J v|^2_W + (d + c |e|^2_W) |v - v_0|^2   within the bounds

    The damping grows with the error (Sugihara, T-RO 2011): quick near the target, calm where it cannot
    be reached. v_0 moves the arm towards its posture without moving the hand. `retreat` weighs home
    against a target out of reach: the arm leans towards it, ready to come back.
    """
    n, gains, rows = arm.chain.n, arm.gains, arm.rows
    error, twist, g = rows[ERROR], rows[TWIST], rows[G]
    speed = approach_speed(distance, gains[0], gains[1], gains[2])
    turning = approach_speed(angle, gains[0], gains[3], gains[4])
    for i in range(3):
        twist[i] = error[i] * speed / max(distance, 1e-12) + gains[12] * feed[i]
        twist[3 + i] = error[3 + i] * turning / max(angle, 1e-12) + gains[12] * feed[3 + i]
    shorten(twist[:3], gains[1])
    shorten(twist[3:6], gains[3])
    size = 0.0
    for i in range(n):
        posture[i] *= gains[8]
        size += posture[i] * posture[i]
    size = math.sqrt(size)
    if size > DRIFT_MOST:
        for i in range(n):
            posture[i] *= DRIFT_MOST / size
    weight = balance(gains[5], distance, angle)
    damping = gains[6] + gains[7] * (min(distance, REACH) ** 2 + weight * min(angle, TURN) ** 2)
    normal_equations(arm.J, n, twist, weight, damping, posture, arm.H, g)
    if retreat > 0.0:
        for i in range(n):
            arm.H[i, i] += retreat
            g[i] += retreat * gains[1] / REACH * (arm.home[i] - q[i])
    velocity_bounds(arm, q, rows[LOWER], rows[UPPER])
    solve_box(arm.H, g, n, rows[LOWER], rows[UPPER], velocity, arm.fixed, arm.L)


@kernel
def ghost_step(
    arm: Any, ghost: Array, q: Array, target_p: Array, target_q: Array, tie: float
) -> tuple[float, float]:
    """Move a ghost of the arm nearer to the target, free of velocity limits, and as near to q as it can.

    Levenberg-Marquardt within the joint ranges. `tie` is the share of the damping that ties it to q
    instead of to where it is. Returns distance and angle before the step. Writes over the scratch
    of the arm's own step.
    """
    n, rows = arm.chain.n, arm.rows
    error, drift, lower, upper, x = rows[ERROR], rows[DRIFT], rows[LOWER], rows[UPPER], rows[TWIST]
    distance, angle = palm_error(arm, ghost, target_p, target_q, error)
    shorten(error[:3], REACH)
    shorten(error[3:6], TURN)
    weight = balance(arm.gains[5], distance, angle)
    step = 1e-5 + 0.5 * (min(distance, REACH) ** 2 + weight * min(angle, TURN) ** 2)
    damping = HOLD + step
    for i in range(n):
        drift[i] = (q[i] - ghost[i]) * (HOLD + tie * step) / damping
        lower[i] = min(max(arm.low[i] - ghost[i], -LONGEST), LONGEST)
        upper[i] = max(min(arm.high[i] - ghost[i], LONGEST), lower[i])
    normal_equations(arm.J, n, error, weight, damping, drift, arm.H, rows[G])
    solve_box(arm.H, rows[G], n, lower, upper, x, arm.fixed, arm.L)
    for i in range(n):
        ghost[i] += x[i]
    return distance, angle


@kernel
def plant(arm: Any, q: Array, seed: int, ghost: Array) -> None:
    """Put a ghost where search number `seed` begins: the same places in the same order each time.

    The arm itself, home, the middle of the ranges, the arm mirrored in that middle, and then points
    spread evenly over all ranges (an additive recurrence with the generalised golden ratio).
    """
    n = arm.chain.n
    ratio = 1.5
    for _ in range(30):
        ratio = (1.0 + ratio) ** (1.0 / (n + 1))
    step = 1.0
    for i in range(n):
        step /= ratio
        if seed == 0:
            ghost[i] = q[i]
        elif seed == 1:
            ghost[i] = arm.home[i]
        elif seed == 2:
            ghost[i] = arm.neutral[i]
        elif seed == 3:
            ghost[i] = arm.low[i] + arm.high[i] - q[i]
        else:
            share = (0.5 + step * (seed - 3)) % 1.0
            ghost[i] = arm.low[i] + share * (arm.high[i] - arm.low[i])
        ghost[i] = min(max(ghost[i], arm.low[i]), arm.high[i])


@kernel
def time_between(arm: Any, q: Array, goal: Array) -> float:
    """How long the slowest joint takes from q to goal at full speed [s]."""
    longest = 0.0
    for i in range(arm.chain.n):
        longest = max(longest, abs(goal[i] - q[i]) / arm.top[i])
    return longest


@kernel
def cost(arm: Any, q: Array, posture: Array) -> float:
    """What a posture is worth less: the time to get there, and in part the time from there to home."""
    return time_between(arm, q, posture) + HOMESICK * time_between(arm, arm.home, posture)


@kernel
def consider(arm: Any, memory: Array, q: Array, ghost: Array, distance: float, angle: float) -> bool:
    """Whether a ghost has reached the target; its posture becomes the goal where it costs clearly less."""
    if distance >= FAR or angle >= ASKEW:
        return False
    goal = memory[GOAL : GOAL + MAX]
    if not memory[FOUND] or cost(arm, q, ghost) < BETTER * cost(arm, q, goal):
        for i in range(arm.chain.n):
            goal[i] = ghost[i]
        memory[FOUND], memory[LOST] = 1.0, 0.0
    return True


@kernel
def search(arm: Any, memory: Array, q: Array, target_p: Array, target_q: Array) -> None:
    """One step of the goal, and one of a ghost: by turns of the one near home and of the one that roams.

    The goal starts where the arm is, and follows the target; either ghost may find a better one.
    """
    goal, anchored = memory[GOAL : GOAL + MAX], memory[ANCHORED : ANCHORED + MAX]
    ghost = memory[GHOST : GHOST + MAX]
    if not memory[SEARCHING]:
        memory[SEARCHING], memory[SEED], memory[ROUNDS] = STAYING, 2.0, 0.0
        plant(arm, q, 0, goal)
        plant(arm, q, 1, anchored)
        plant(arm, q, 2, ghost)
    distance, angle = ghost_step(arm, goal, q, target_p, target_q, TIE)
    memory[SHORT] = distance
    if distance < FAR and angle < ASKEW:
        memory[FOUND], memory[LOST] = 1.0, 0.0
    else:
        memory[LOST] += 1.0
        if memory[LOST] > LOSS:
            memory[FOUND] = memory[TRAVELLING] = 0.0
    if memory[SEARCHING] == STAYING:
        memory[SEARCHING] = ROAMING
        distance, angle = ghost_step(arm, anchored, arm.home, target_p, target_q, TIE)
        consider(arm, memory, q, anchored, distance, angle)
        return
    memory[SEARCHING] = STAYING
    distance, angle = ghost_step(arm, ghost, q, target_p, target_q, 0.0)
    memory[ROUNDS] += 1.0
    if consider(arm, memory, q, ghost, distance, angle) or memory[ROUNDS] >= PATIENCE:
        memory[SEED] += 1.0
        memory[ROUNDS] = 0.0
        plant(arm, q, int(memory[SEED]), ghost)


@kernel
def foresee(arm: Any, target_p: Array, target_q: Array, feed: Array) -> None:
    """Where a target that goes on at its velocity will be when a way could begin, into scratch."""
    rows, lead = arm.rows, arm.gains[13]
    turn, turned = rows[DRIFT, :4], rows[UPPER, :3]
    for i in range(3):
        rows[SOON, i] = target_p[i] + lead * feed[i]
        turned[i] = lead * feed[3 + i]
    quat_exp(turned, turn)
    quat_multiply(turn, target_q, rows[SOON_TURNED, :4])


@kernel
def travel_step(arm: Any, goal: Array, q: Array, velocity: Array) -> None:
    """Every joint to its place in a goal, as fast as it can, and able to stop there."""
    rows = arm.rows
    velocity_bounds(arm, q, rows[LOWER], rows[UPPER])
    for i in range(arm.chain.n):
        way = goal[i] - q[i]
        speed = approach_speed(abs(way), arm.gains[0], arm.top[i], arm.braking[i])
        velocity[i] = min(max(math.copysign(speed, way), rows[LOWER, i]), rows[UPPER, i])


@kernel
def watch_progress(arm: Any, memory: Array, q: Array, target_p: Array) -> None:
    """Notice an arm that is held up on a way by something that the solver does not see: itself, or a thing.

    It then backs out to where the way began, which is free, and takes none to this target any more.
    """
    last, start, n = memory[LAST : LAST + MAX], memory[START : START + MAX], arm.chain.n
    moved, apart = 0.0, 0.0
    for i in range(n):
        moved = max(moved, abs(q[i] - last[i]))
        last[i] = q[i]
    for i in range(3):
        apart += (target_p[i] - memory[GIVEN_UP + i]) ** 2
    if memory[STALL] < 0.0:
        memory[STALL] = 0.0 if apart > OFF * OFF else -1.0
    elif memory[TRAVELLING] and moved < 0.1 * memory[ASKED] * arm.dt:
        memory[STALL] += arm.dt
    else:
        memory[STALL] = 0.0
    if memory[STALL] > STALL_S:
        memory[TRAVELLING] = memory[FOUND] = 0.0
        memory[STALL], memory[BACK] = -1.0, BACK_S
        for i in range(3):
            memory[GIVEN_UP + i] = target_p[i]
    if memory[BACK] > 0.0:
        memory[BACK] = memory[BACK] - arm.dt if time_between(arm, q, start) > 0.05 else 0.0


@kernel
def time_left(arm: Any, distance: float, angle: float, feed: Array, velocity: Array) -> float:
    """How long the hand takes to its target if it goes on as `velocity` begins [s]; inf: never."""
    n, error = arm.chain.n, arm.rows[ERROR]
    longest = 0.0
    if distance > FAR:
        speed = closing(arm.J, n, error, distance, velocity, 0)
        longest = distance / speed if speed > 1e-6 else math.inf
    if angle > ASKEW:
        speed = closing(arm.J, n, error, angle, velocity, 3)
        longest = max(longest, angle / speed if speed > 1e-6 else math.inf)
    return longest


@kernel
def asked(memory: Array, velocity: Array, n: int, said: int) -> int:
    """Remember the top speed that is asked for while the hand is off its target; `said` again."""
    if memory[SEARCHING]:
        memory[ASKED] = 0.0
        for i in range(n):
            memory[ASKED] = max(memory[ASKED], abs(velocity[i]))
    return said


@kernel
def scout_step(
    packed: NDArray[np.void],
    memory: Array,
    q: Array,
    target_p: Array,
    target_q: Array,
    feed: Array,
    velocity: Array,
) -> int:
    """One step. `gains`: as in `scout.Gains`."""
    arm = packed[0]
    n, rows = arm.chain.n, arm.rows
    error, posture = rows[ERROR], rows[DRIFT]
    stand_still(velocity)
    if not all_finite(q, n, target_p, target_q, feed):
        return REFUSED
    distance, angle = palm_error(arm, q, target_p, target_q, error)
    if distance <= FAR and angle <= ASKEW:
        if memory[SEARCHING]:
            memory[:] = 0.0
    else:
        watch_progress(arm, memory, q, target_p)
        if memory[BACK] > 0.0:
            travel_step(arm, memory[START : START + MAX], q, velocity)
            return asked(memory, velocity, n, BLOCKED)
        foresee(arm, target_p, target_q, feed)
        search(arm, memory, q, rows[SOON, :3], rows[SOON_TURNED, :4])
        if memory[TRAVELLING]:
            travel_step(arm, memory[GOAL : GOAL + MAX], q, velocity)
            return asked(memory, velocity, n, FOLLOWS)
        distance, angle = palm_error(arm, q, target_p, target_q, error)
    posture_pull(arm, q, target_p, target_q, True, posture)
    retreat = arm.gains[11] * min(1.0, max(0.0, memory[SHORT] - SHORT_OF) / (LOST_CAUSE - SHORT_OF))
    own_step(arm, q, feed, distance, angle, posture, retreat, velocity)
    if memory[FOUND] and memory[LOST] == 0.0 and memory[STALL] >= 0.0:
        way = time_between(arm, q, memory[GOAL : GOAL + MAX])
        if time_left(arm, distance, angle, feed, velocity) > arm.gains[9] * way + arm.gains[10]:
            memory[TRAVELLING] = 1.0
            memory[START : START + n] = q[:n]
            travel_step(arm, memory[GOAL : GOAL + MAX], q, velocity)
            return asked(memory, velocity, n, FOLLOWS)
    return asked(memory, velocity, n, outcome(arm, q, error, distance, angle, velocity))
