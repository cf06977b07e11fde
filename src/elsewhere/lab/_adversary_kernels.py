"""Compiled check of one tick against every limit, by differences of what was sent and felt alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Records = NDArray[np.void]

CHECKS = (
    "position",
    "velocity",
    "torque",
    "felt torque",
    "torque rate",
    "power",
    "reference position",
    "reference velocity",
    "reference acceleration",
    "reference jerk",
)
"""What is checked of each joint, in the order of the kernel."""
FAULTS = ("not finite", "sequence not increasing", "target moved on engaging")
LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk", "torque", "torque_rate", "power")

MEMORY = np.dtype(
    [
        ("ticks", "i8"),  # since the robot was last put somewhere
        ("seq", "u8"),
        ("tau", "f8", (2, 8)),
        ("q", "f8", (2, 8)),  # reference, and its differences
        ("dq", "f8", (2, 8)),
        ("ddq", "f8", (2, 8)),
        ("clutched", "i8", (2,)),
        ("target_p", "f8", (2, 3)),
        ("target_q", "f8", (2, 4)),
    ]
)


@kernel
def use(share: float, check: int, worst: Array, violations: Integers) -> None:
    """Note that `share` of a limit was used; more than all of it is a violation."""
    if not share <= 1.0 + 1e-6:
        violations[check] += 1
    if share > worst[check]:
        worst[check] = share


@kernel
def inspect(
    tap: Records,
    limits: Array,
    joints: Integers,
    dt: float,
    memory: Records,
    worst: Array,
    violations: Integers,
) -> None:
    """Compare a TAP with the one before. `limits` (8, 2, n): in the order of LIMITS."""
    t: Any = tap[0]
    m: Any = memory[0]
    finite = 0.0
    for side in range(2):
        for i in range(joints[side]):
            low, high, velocity = limits[0, side, i], limits[1, side, i], limits[2, side, i]
            q, dq, tau = t.state.q[side, i], t.state.dq[side, i], t.command.tau[side, i]
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            use(abs(q - middle) / half, 0, worst, violations)
            use(abs(dq) / velocity, 1, worst, violations)
            use(abs(tau) / limits[5, side, i], 2, worst, violations)
            use(abs(t.state.tau[side, i]) / limits[5, side, i], 3, worst, violations)
            use(tau * dq / limits[7, side, i], 5, worst, violations)
            wanted = t.q_wanted[side, i]
            use(abs(wanted - middle) / half, 6, worst, violations)
            v = (wanted - m.q[side, i]) / dt
            a = (v - m.dq[side, i]) / dt
            jerk = (a - m.ddq[side, i]) / dt
            if m.ticks > 0:
                use(abs(tau - m.tau[side, i]) / dt / limits[6, side, i], 4, worst, violations)
                use(abs(v) / velocity, 7, worst, violations)
            if m.ticks > 1:
                use(abs(a) / limits[3, side, i], 8, worst, violations)
            if m.ticks > 2:
                use(abs(jerk) / limits[4, side, i], 9, worst, violations)
            m.q[side, i], m.dq[side, i], m.ddq[side, i], m.tau[side, i] = wanted, v, a, tau
            finite += tau + wanted
        for i in range(3):
            finite += t.target_p[side, i] + t.palm_p[side, i]
    for i in range(3):
        finite += t.command.head[i] + t.command.base_twist[i]
    for side in range(2):
        for i in range(t.command.motors.shape[1]):
            finite += t.command.motors[side, i]
        for i in range(6):
            finite += t.wrench_estimate[side, i]
    first = len(CHECKS)
    if not math.isfinite(finite):
        violations[first] += 1
    if t.command.seq <= m.seq:
        violations[first + 1] += 1
    for side in range(2):
        if m.ticks > 0 and t.clutched[side] != 0 and m.clutched[side] == 0:
            moved = False
            for i in range(3):
                moved = moved or t.target_p[side, i] != m.target_p[side, i]
            for i in range(4):
                moved = moved or t.target_q[side, i] != m.target_q[side, i]
            if moved:
                violations[first + 2] += 1
    m.seq = t.command.seq
    m.clutched[:] = t.clutched
    m.target_p[:, :] = t.target_p
    m.target_q[:, :] = t.target_q
    m.ticks += 1
