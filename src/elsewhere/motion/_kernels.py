"""Compiled steps of base, head and fingers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._capsule_kernels import ArmsArrays, Frames, ShapeArrays, apart, gap, place, turn_head
from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import (
    quat_multiply,
    quat_to_yaw_pitch_roll,
)
from elsewhere.spatial.profile import ramp

Array = NDArray[np.float64]
Flags = NDArray[np.int64]

LEAST_TURN = 0.01  # rad/s: less than this is no wish to turn


@kernel
def range_speed(distance: float, near: Array) -> float:
    """The fastest speed towards something seen `distance` ahead; see `drive`. Not positive: nothing seen.

    `near`: clearance [m], reaction time [s], deceleration [m/s^2].
    """
    if not distance > 0.0:
        return math.inf
    room = max(0.0, distance - near[0])
    slip = near[2] * near[1]
    return float(math.sqrt(slip * slip + 2.0 * near[2] * room) - slip)


@kernel
def drive_step(
    wanted: Array, ranges: Array, top: Array, near: Array, up: Array, down: Array, dt: float, twist: Array
) -> None:
    """Bring `twist` nearer to `wanted`: see `drive.Drive`. `top`: normal and fast speed, turn."""
    turn = min(max(wanted[2], -top[2]), top[2])
    x, y = wanted[0], wanted[1]
    speed = math.sqrt(x * x + y * y)
    if abs(turn) > LEAST_TURN or twist[2] != 0.0:
        x = y = speed = 0.0
    if abs(turn) <= LEAST_TURN or twist[0] != 0.0 or twist[1] != 0.0:
        turn = 0.0
    if speed > top[0]:
        most = min(speed, top[1])
        # Each range finder bounds the part of the motion that goes its way.
        ahead = range_speed(ranges[0 if x > 0.0 else 2], near)
        aside = range_speed(ranges[1 if y > 0.0 else 3], near)
        share = most / speed
        if abs(x) * share > ahead:
            share = ahead / abs(x)
        if abs(y) * share > aside:
            share = aside / abs(y)
        x, y = x * share, y * share
    twist[0] = ramp(twist[0], x, up[0], down[0], dt)
    twist[1] = ramp(twist[1], y, up[1], down[1], dt)
    twist[2] = ramp(twist[2], turn, up[2], down[2], dt)


@kernel
def look_velocity(
    robot_home: Array,
    operator_home: Array,
    head: Array,
    limits: Array,
    dt: float,
    gain: float,
    angles: Array,
    velocity: Array,
    work: Array,
) -> None:
    """Velocity of yaw, pitch, roll that brings them to R_robot_home R_operator_home^T R_head within dt.

    `limits` (3, 3): lower, upper, velocity. `gain`: share of that velocity. `work` is (3, 4).
    """
    back, relative, wanted = work[0], work[1], work[2, :3]
    back[0] = operator_home[0]
    for i in range(1, 4):
        back[i] = -operator_home[i]
    quat_multiply(back, head, relative)
    quat_multiply(robot_home, relative, back)
    quat_to_yaw_pitch_roll(back, wanted)
    for i in range(3):
        goal = min(max(wanted[i], limits[0, i]), limits[1, i])
        velocity[i] = gain * min(max((goal - angles[i]) / dt, -limits[2, i]), limits[2, i])


@kernel
def head_gap(
    capsules: tuple[ArmsArrays, ShapeArrays, Flags, Flags],
    centre: Array,
    angles: Array,
    q: Array,
    place_arms: bool,
    scratch: tuple[Frames, Array, Array],
) -> float:
    """Least gap [m] of the head, turned by `angles`, to both arms at joints q (2, 8).

    `capsules`: arms and shapes of a body, which of them are the head's, which the arms'. `scratch`:
    frames, ends of all, a quaternion. Without `place_arms` they stay as they were.
    """
    arms, shapes, heads, limbs = capsules
    frames, ends, turn = scratch
    if place_arms:
        place(arms, shapes, q, frames, ends)
    turn_head(heads, shapes[2], centre, angles, turn, ends)
    radius, extent = shapes[3], shapes[4]
    least = math.inf
    for k in range(heads.shape[0]):
        for j in range(limbs.shape[0]):
            if not apart(ends, extent, heads[k], limbs[j], least):
                least = min(least, gap(ends, radius, heads[k], limbs[j]))
    return least


@kernel
def head_blocked(
    capsules: tuple[ArmsArrays, ShapeArrays, Flags, Flags],
    centre: Array,
    angles: Array,
    velocity: Array,
    span: float,
    q: Array,
    margin: float,
    ahead: Array,
    scratch: tuple[Frames, Array, Array],
) -> bool:
    """Whether `velocity`, kept for `span`, brings the head nearer than `margin` to an arm; it then stays.

    Motion away from an arm that is already nearer passes. `ahead` (3) is scratch.
    """
    still = True
    for i in range(3):
        ahead[i] = angles[i] + span * velocity[i]
        still = still and velocity[i] == 0.0
    if still:
        return False
    least = head_gap(capsules, centre, ahead, q, True, scratch)
    if least >= margin or least >= head_gap(capsules, centre, angles, q, False, scratch):
        return False
    velocity[:] = 0.0
    return True


@kernel
def grip_step(
    valid: bool,
    tracked: Flags,
    fingers: Array,
    drive: Flags,
    most: float,
    wake: float,
    patience: int,
    motors: Array,
    following: Flags,
    away: Flags,
    first: Array,
) -> None:
    """See `grip.Grip`. drive[side, motor] is the finger that drives it, or -1; `patience` in ticks.

    `away`: ticks without the hand; more than `patience` count as an absence, and so does a hold.
    `first`: the operator's fingers when they came (back).
    """
    for side in range(2):
        if not (valid and tracked[side]):
            away[side] = away[side] + 1 if valid else patience + 1
            if away[side] > patience:
                following[side] = 0
            continue
        if not following[side]:
            if away[side] > patience:
                first[side] = fingers[side]
            for finger in range(fingers.shape[1]):
                if abs(fingers[side, finger] - first[side, finger]) >= wake:
                    following[side] = 1
        away[side] = 0
        if following[side]:
            for motor in range(drive.shape[1]):
                if drive[side, motor] >= 0:
                    step = fingers[side, drive[side, motor]] - motors[side, motor]
                    motors[side, motor] += min(max(step, -most), most)
