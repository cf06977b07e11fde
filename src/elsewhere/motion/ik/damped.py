"""Damped least squares with joint and velocity bounds: the plain solver.

    min_v |W^(1/2) (x - J v)|^2 + d |v|^2 + b |v - k (q_n - q)|^2     lower(q) <= v <= upper(q)

with x the twist that closes the error (AVATRINA, eq. 4, in velocities and with the velocity bounds
that its prose promises). The bias b pulls towards the home posture. It is small for a hand at its
target, which so stays within a tenth of a millimetre, and a hundred times heavier for one far from
it: an arm that was led out of its workspace into another posture finds back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from elsewhere.bodies import chain as chains
from elsewhere.bodies.arm import Arm
from elsewhere.motion.ik._kernels import Scratch, damped_step
from elsewhere.motion.ik.base import Array, Solver
from elsewhere.status import Status


class Gains(NamedTuple):
    """How eagerly an arm closes its error. The order is that of the kernel."""

    gain: float = 25.0  # 1/s
    top_speed: float = 1.5  # m/s; Franka's data sheet allows 1.7
    deceleration: float = 2.0  # m/s^2: what the slowest joint can give with the arm stretched
    top_turn: float = 2.4  # rad/s; data sheet 2.5
    turn_deceleration: float = 5.0  # rad/s^2
    rotation_weight: float = 0.1  # m^2/rad^2: 0.3 m of lever arm
    damping: float = 3e-3
    bias_weight: float = 1e-4
    bias_gain: float = 2.0  # 1/s
    bias_boost: float = 100.0  # how much heavier the bias is for a hand far from its target


class Damped(Solver):
    """The plain solver of one arm: one compiled call a step, nothing allocated."""

    MARGIN = 0.05
    """Joints stop this far before the ends of their range [rad or m]: room for what tracking adds."""
    SHARE = 0.65
    """Share of the velocity limits that is used, for the same reason."""

    def __init__(self, arm: Arm, dt: float, gains: Gains | None = None) -> None:
        super().__init__(arm, dt)
        limits = arm.limits
        self._gains = np.array(gains or Gains())
        self._low, self._high = limits.lower + self.MARGIN, limits.upper - self.MARGIN
        self._top, self._braking = self.SHARE * limits.velocity, 0.5 * limits.acceleration
        self._scratch = scratch(arm.chain.n)

    def step(self, q: Array, target_p: Array, target_q: Array, feed: Array, velocity: Array) -> Status:
        """See `Solver.step`."""
        blocked = damped_step(
            self.arm.chain.arrays,
            q,
            target_p,
            target_q,
            feed,
            self.arm.home,
            self._low,
            self._high,
            self._top,
            self._braking,
            self._gains,
            self.dt,
            velocity,
            self._scratch,
        )
        return Status.UNREACHABLE if blocked else Status.OK


def scratch(n: int) -> Scratch:
    """Room for the kernel's intermediate values, for an arm of n joints."""
    return (
        chains.scratch(),
        np.zeros((3, 3)),
        np.zeros((6, n)),
        np.zeros((n, n)),
        np.zeros((n + 1, n)),
        np.zeros((7, 8)),
        np.zeros(n, np.int64),
    )
