"""Compiled steps of base, head and fingers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import quat_multiply, quat_to_yaw_pitch_roll
from elsewhere.spatial.profile import ramp

Array = NDArray[np.float64]
Flags = NDArray[np.int64]


@kernel
def drive_step(wanted: Array, top: Array, up: Array, down: Array, dt: float, twist: Array) -> None:
    """Bring `twist` nearer to `wanted`, with |twist| <= top and bounded acceleration."""
    for axis in range(3):
        goal = min(max(wanted[axis], -top[axis]), top[axis])
        twist[axis] = ramp(twist[axis], goal, up[axis], down[axis], dt)


@kernel
def look_step(
    robot_home: Array,
    operator_home: Array,
    head: Array,
    lower: Array,
    upper: Array,
    velocity: Array,
    dt: float,
    angles: Array,
    work: Array,
) -> None:
    """Bring yaw, pitch, roll nearer to R_robot_home R_operator_home^T R_head. `work` is (3, 4)."""
    back, relative, wanted = work[0], work[1], work[2, :3]
    back[0] = operator_home[0]
    for i in range(1, 4):
        back[i] = -operator_home[i]
    quat_multiply(back, head, relative)
    quat_multiply(robot_home, relative, back)
    quat_to_yaw_pitch_roll(back, wanted)
    for i in range(3):
        goal = min(max(wanted[i], lower[i]), upper[i])
        most = velocity[i] * dt
        angles[i] += min(max(goal - angles[i], -most), most)


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
