"""Compiled wiring between MuJoCo's flat arrays and the words of a record (8 bytes each).

A wire is a row of integers, so that one table tells where everything comes from and goes to: looking
fields and addresses up one by one costs more than a step of the physics. Words are arguments, never
constants: machine code that is kept would not notice that the layout of a record has changed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Array = NDArray[np.float64]
Wires = NDArray[np.int64]

# What a wire of a state carries.
POSITION, ADDED_POSITION, VELOCITY, SENSOR, REACTION, MOTOR, RANGE = range(7)


@kernel
def clamp(x: float, low: float, high: float) -> float:
    """`x` inside [low, high]."""
    return min(max(x, low), high)


@kernel
def sense(
    wires: Wires,
    servos: Array,
    nearest: float,
    farthest: float,
    yaw: int,
    twist: int,
    qpos: Array,
    qvel: Array,
    sensors: Array,
    lengths: Array,
    words: Array,
) -> None:
    """Write what the robot feels into the words of a ROBOT_STATE.

    `wires` (n, 3): what, its address, its word. `servos` (actuators, 3): constant and linear bias and
    gain; a finger motor is reported as the control that would hold it there, 0 open .. 1 closed. `yaw`,
    `twist`: words of the base's yaw and of its velocity, which is turned from the room into the base.
    """
    for k in range(wires.shape[0]):
        kind, at, word = wires[k, 0], wires[k, 1], wires[k, 2]
        if kind == POSITION:
            words[word] = qpos[at]
        elif kind == ADDED_POSITION:
            words[word] += qpos[at]
        elif kind == VELOCITY:
            words[word] = qvel[at]
        elif kind == SENSOR:
            words[word] = sensors[at]
        elif kind == REACTION:
            # MuJoCo tells what the arm does to the hand; the hand feels its surroundings and its weight.
            words[word] = -sensors[at]
        elif kind == MOTOR:
            words[word] = clamp(-(servos[at, 0] + servos[at, 1] * lengths[at]) / servos[at, 2], 0.0, 1.0)
        else:  # RANGE: MuJoCo says -1 where a ray meets nothing
            words[word] = farthest if sensors[at] < 0.0 else clamp(sensors[at], nearest, farthest)
    c, s = math.cos(words[yaw]), math.sin(words[yaw])
    vx, vy = words[twist], words[twist + 1]
    words[twist], words[twist + 1] = c * vx + s * vy, c * vy - s * vx


@kernel
def obey(wires: Wires, laws: Array, first: int, last: int, words: Array, twist: Array, ctrl: Array) -> bool:
    """Set controls and base twist from the words of a COMMAND; if any is not finite, nothing (False).

    `wires` (n, 2): word, its actuator. `laws` (n, 2): a factor, and the most that it may become.
    `first`: where the numbers begin; `last`: where the base's twist begins, with which they end.
    """
    total = 0.0
    for word in range(first, words.shape[0]):
        total += words[word]
    if not math.isfinite(total):
        return False
    for k in range(wires.shape[0]):
        most = laws[k, 1]
        ctrl[wires[k, 1]] = clamp(laws[k, 0] * words[wires[k, 0]], -most, most)
    for i in range(3):
        twist[i] = words[last + i]
    return True


@kernel
def roll(
    twist: Array,
    standing: bool,
    rate: float,
    standstill: float,
    places: Wires,
    qpos: Array,
    qvel: Array,
    stand: Array,
    ctrl: Array,
) -> bool:
    """Turn the base's twist into the room for its servos; without one, return to `stand`.

    `places` (3, 3): addresses of position, velocity and actuator of x, y, yaw. `stand` follows the base
    until it is slower than `standstill`. Returns whether it stands.
    """
    vx, vy, wz = twist[0], twist[1], twist[2]
    if vx != 0.0 or vy != 0.0 or wz != 0.0:
        yaw = qpos[places[0, 2]]
        c, s = math.cos(yaw), math.sin(yaw)
        ctrl[places[2, 0]] = c * vx - s * vy
        ctrl[places[2, 1]] = s * vx + c * vy
        ctrl[places[2, 2]] = wz
        return False
    if not standing:
        standing = True
        for i in range(3):
            stand[i] = qpos[places[0, i]]
            if not abs(qvel[places[1, i]]) < standstill:
                standing = False
    for i in range(3):
        ctrl[places[2, i]] = rate * (stand[i] - qpos[places[0, i]])
    return standing
