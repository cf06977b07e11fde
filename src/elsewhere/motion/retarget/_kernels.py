"""Compiled steps of the two mappings. Records come as arrays of one; `work` is (8, 4) scratch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.motion.retarget._smoothing_kernels import difference, hands, turned
from elsewhere.spatial._kernels import quat_heading, quat_multiply, quat_normalise

Array = NDArray[np.float64]
Flags = NDArray[np.int64]
Records = NDArray[np.void]


@kernel
def held(s: Any, f: Any, side: int, valid: bool, one_clutch: bool) -> bool:
    """Whether a hand is tracked and its clutch held; with one clutch for both, either one."""
    pressed = f.clutch[side] or (one_clutch and f.clutch[1 - side])
    return bool(valid and f.tracked[side] and pressed and s.known[side] > 0)


@kernel
def let_go(s: Any, side: int, moving: Flags, palm_p: Array, palm_q: Array) -> None:
    """Release a hand: one in mid motion takes its target along until the arm stops."""
    s.engaged[side] = 0
    if moving[side]:
        s.target_p[side] = palm_p[side]
        s.target_q[side] = palm_q[side]


@kernel
def clutched_step(
    state: Records,
    frame: Records,
    valid: bool,
    gain: float,
    now_ns: int,
    one_clutch: bool,
    moving: Flags,
    palm_p: Array,
    palm_q: Array,
    work: Array,
) -> None:
    """Both hands, one outer tick: see `clutched.Clutched`. `state`: base.STATE; `frame`: FRAME."""
    s: Any = state[0]
    f: Any = frame[0]
    hands(s, f, valid, now_ns, work)
    for side in range(2):
        if not held(s, f, side, valid, one_clutch):
            let_go(s, side, moving, palm_p, palm_q)
            continue
        if s.engaged[side] == 0:
            s.engaged[side] = 1
            heading = quat_heading(f.head_q)
            if not math.isnan(heading):  # looking straight up or down keeps the last heading
                s.yaw[side] = heading
        elif s.jumped[side] == 0:
            follow(s, side, gain, work)
        s.last_p[side] = s.hand_p[side]
        s.last_q[side] = s.hand_q[side]


@kernel
def follow(s: Any, side: int, gain: float, work: Array) -> None:
    """Move a target by what the hand did since the last tick."""
    # From the operator's room into the frozen body frame: Rz(-yaw), for points and for axes alike.
    c, n = math.cos(s.yaw[side]), math.sin(s.yaw[side])
    dx = s.hand_p[side, 0] - s.last_p[side, 0]
    dy = s.hand_p[side, 1] - s.last_p[side, 1]
    s.target_p[side, 0] += gain * (c * dx + n * dy)
    s.target_p[side, 1] += gain * (-n * dx + c * dy)
    s.target_p[side, 2] += gain * (s.hand_p[side, 2] - s.last_p[side, 2])
    vector = work[2]
    difference(s.hand_q[side], s.last_q[side], vector, work)
    vx, vy = vector[0], vector[1]
    vector[0], vector[1] = c * vx + n * vy, -n * vx + c * vy
    work[3, :] = s.target_q[side]
    turned(work[3], vector, gain, s.target_q[side], work)  # in base axes: the increment stands left


@kernel
def absolute_step(
    state: Records,
    frame: Records,
    request: Records,
    valid: bool,
    scale: float,
    fade: float,
    now_ns: int,
    one_clutch: bool,
    arms: tuple[Flags, Array],
    moving: Flags,
    palm_p: Array,
    palm_q: Array,
    work: Array,
) -> None:
    """Both hands, one outer tick: see `absolute.Absolute`. `arms`: which exist, and their palms at home.

    `fade` is the share of the fade that one tick is.
    """
    s: Any = state[0]
    f: Any = frame[0]
    r: Any = request[0]
    hands(s, f, valid, now_ns, work)
    if valid and (s.homed == 0 or s.rehome != r.rehome):
        come_home(s, f, r, arms)
    for side in range(2):
        if not (s.homed and held(s, f, side, valid, one_clutch)):
            let_go(s, side, moving, palm_p, palm_q)
            continue
        if s.engaged[side] == 0 or s.jumped[side]:
            s.engaged[side], s.blend[side] = 1, 0.0
            s.start_p[side] = s.target_p[side]
            s.start_q[side] = s.target_q[side]
        else:
            s.blend[side] = min(1.0, s.blend[side] + fade)
            approach(s, side, scale, work)


@kernel
def come_home(s: Any, f: Any, r: Any, arms: tuple[Flags, Array]) -> None:
    """Lay the middle of the tracked hands on the middle of the same palms at home."""
    exists, home_p = arms
    count = 0
    for side in range(2):
        count += 1 if s.known[side] > 0 and exists[side] else 0
    if count == 0:
        return
    s.homed, s.rehome = 1, r.rehome
    heading = quat_heading(f.head_q)
    if not math.isnan(heading):
        s.home_yaw = heading
    s.home_hand[:], s.home_palm[:] = 0.0, 0.0
    for side in range(2):
        s.jumped[side] = 1  # what was absolute before is no more: fade to what is now
        if s.known[side] > 0 and exists[side]:
            for i in range(3):
                s.home_hand[i] += s.hand_p[side, i] / count
                s.home_palm[i] += home_p[side, i] / count


@kernel
def approach(s: Any, side: int, scale: float, work: Array) -> None:
    """Write the target of a hand: on the way from where it was engaged to the absolute pose."""
    yaw, blend = s.home_yaw, s.blend[side]
    c, n = math.cos(yaw), math.sin(yaw)
    dx = scale * (s.hand_p[side, 0] - s.home_hand[0])
    dy = scale * (s.hand_p[side, 1] - s.home_hand[1])
    dz = scale * (s.hand_p[side, 2] - s.home_hand[2])
    goal, back, q = work[4], work[5], work[6]
    goal[0] = s.home_palm[0] + c * dx + n * dy
    goal[1] = s.home_palm[1] - n * dx + c * dy
    goal[2] = s.home_palm[2] + dz
    back[0], back[1], back[2], back[3] = math.cos(0.5 * yaw), 0.0, 0.0, -math.sin(0.5 * yaw)
    quat_multiply(back, s.hand_q[side], q)
    quat_normalise(q)
    if blend >= 1.0:
        s.target_p[side] = goal[:3]
        s.target_q[side] = q
        return
    for i in range(3):
        s.target_p[side, i] = s.start_p[side, i] + blend * (goal[i] - s.start_p[side, i])
    difference(q, s.start_q[side], work[2], work)
    turned(s.start_q[side], work[2], blend, s.target_q[side], work)
