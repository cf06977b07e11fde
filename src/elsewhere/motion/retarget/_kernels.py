"""Compiled step of the clutched relative mapping."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import quat_exp, quat_heading, quat_log, quat_multiply, quat_normalise

Array = NDArray[np.float64]
Flags = NDArray[np.int64]


@kernel
def clutched_step(
    valid: bool,
    fresh: bool,
    dt: float,
    gain: float,
    top_speed: float,
    top_turn: float,
    frame: tuple[Flags, Flags, Array, Array, Array],
    arms: tuple[Flags, Array, Array],
    state: tuple[Flags, Array, Array, Array, Array, Array],
    work: Array,
) -> None:
    """Both hands, one outer tick: see `clutched.Clutched`. `work` is (3, 4) scratch.

    `frame`: tracked, clutch, hand_p, hand_q, head_q. `arms`: moving, palm_p, palm_q. `state`:
    engaged, yaw, last_p, last_q, target_p, target_q.
    """
    tracked, clutch, hand_p, hand_q, head_q = frame
    moving, palm_p, palm_q = arms
    engaged, yaw, last_p, last_q, target_p, target_q = state
    for side in range(2):
        if not (valid and tracked[side] and clutch[side]):
            engaged[side] = 0
            if moving[side]:  # released in mid motion: the target goes with the arm until it stops
                target_p[side] = palm_p[side]
                target_q[side] = palm_q[side]
        elif engaged[side] == 0:
            engaged[side] = 1
            heading = quat_heading(head_q)
            if not math.isnan(heading):  # looking straight up or down keeps the last heading
                yaw[side] = heading
            last_p[side] = hand_p[side]
            last_q[side] = hand_q[side]
        elif fresh:
            follow(
                hand_p[side],
                hand_q[side],
                last_p[side],
                last_q[side],
                yaw[side],
                gain,
                top_speed * dt,
                top_turn * dt,
                target_p[side],
                target_q[side],
                work,
            )
            last_p[side] = hand_p[side]
            last_q[side] = hand_q[side]


@kernel
def follow(
    p: Array,
    q: Array,
    last_p: Array,
    last_q: Array,
    yaw: float,
    gain: float,
    most: float,
    most_turn: float,
    target_p: Array,
    target_q: Array,
    work: Array,
) -> None:
    """Move a target by what the hand did since the last frame, unless no hand moves like that."""
    dx, dy, dz = p[0] - last_p[0], p[1] - last_p[1], p[2] - last_p[2]
    other, turn, vector = work[0], work[1], work[2, :3]
    other[0] = last_q[0]
    for i in range(1, 4):
        other[i] = -last_q[i]
    quat_multiply(q, other, turn)
    quat_log(turn, vector)
    angle = math.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    if math.sqrt(dx * dx + dy * dy + dz * dz) > most or angle > most_turn:
        return  # the tracking jumped: go on from where the hand is now
    # From the operator's room into the frozen body frame: Rz(-yaw), for points and for axes alike.
    c, s = math.cos(yaw), math.sin(yaw)
    target_p[0] += gain * (c * dx + s * dy)
    target_p[1] += gain * (-s * dx + c * dy)
    target_p[2] += gain * dz
    vx, vy = vector[0], vector[1]
    vector[0] = gain * (c * vx + s * vy)
    vector[1] = gain * (-s * vx + c * vy)
    vector[2] *= gain
    quat_exp(vector, turn)
    other[:] = target_q
    quat_multiply(turn, other, target_q)  # the increment is in base axes: it stands left
    quat_normalise(target_q)
