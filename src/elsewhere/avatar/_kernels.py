"""Compiled gathering and notes of a tick: from what it remembers into its command and its tap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import quat_from_yaw_pitch_roll


@kernel
def gather(memory: NDArray[np.void], wanted: NDArray[np.void]) -> None:
    """Fill in a COMMAND what fingers, head and base of this `memory` (SNAPSHOT) want."""
    m: Any = memory[0]
    w: Any = wanted[0]
    w.motors[:, :] = m.grip.motors
    w.head[:] = m.look.angles
    w.base_twist[:] = m.drive.twist
    w.baseline = m.look.baseline


@kernel
def note(memory: NDArray[np.void], tap: NDArray[np.void], now_ns: int, gain: float, status: int) -> None:
    """Fill in a TAP what the tick with this `memory` (SNAPSHOT) decided, but for the palms."""
    m: Any = memory[0]
    t: Any = tap[0]
    t.tick, t.now_ns = m.tick, now_ns
    t.mode, t.status, t.fade, t.reason = m.watchdog.mode, status, gain, m.watchdog.reason
    t.clutched[:] = m.retarget.engaged
    t.target_p[:] = m.retarget.target_p
    t.target_q[:] = m.retarget.target_q
    for side in range(2):
        t.arm_status[side] = m.arms[side].status
        t.q_wanted[side, :] = m.arms[side].reference
    quat_from_yaw_pitch_roll(t.state.head, t.head_q)
