"""Our own solver: a bounded step, and a scout that finds the way when the step alone would not.

The arm's own step is damped least squares with velocity and joint bounds, solved exactly, with a
damping that grows with the error (Sugihara, T-RO 2011) and a pull towards a posture that acts only in
the null space, whatever the bias: no hand error remains.

While the hand is off its target, ghosts of the same arm search along, one step a tick and free of
velocity limits. One starts where the arm is, one stays as near to home as the target allows, and one
roams: from the middle of the ranges, from the arm mirrored, and from points spread over all ranges. The
best posture that they find follows the target from then on. When the arm would be
there sooner joint by joint than by pressing on (because a joint limit, a fold or a singular posture is
in the way), it goes there, each joint at full speed, and on by its own steps. A hand within tolerance
of its target never starts such a way; from one on which it is held up the arm backs out. A target up to
0.1 m out of reach is followed to the edge; further out, home gains weight, so that the arm leans
towards the target and is soon back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from elsewhere.motion.ik._scout_kernels import scout_step
from elsewhere.motion.ik.base import Array, Solver, Step


class Gains(NamedTuple):
    """How eagerly an arm closes its error. The order is that of the kernel."""

    gain: float = 25.0  # 1/s
    top_speed: float = 1.5  # m/s; Franka's data sheet allows 1.7
    deceleration: float = 2.0  # m/s^2: what the slowest joint can give with the arm stretched
    top_turn: float = 2.4  # rad/s; data sheet 2.5
    turn_deceleration: float = 5.0  # rad/s^2
    rotation_weight: float = 0.1  # m^2/rad^2: 0.3 m of lever arm
    damping: float = 3e-3
    caution: float = 0.5  # how much the damping grows with the squared error
    bias_rate: float = 0.5  # 1/s
    detour: float = 1.5  # how many times quicker a way of the joints must be, and
    detour_s: float = 0.15  # by how much [s], before it is taken
    retreat: float = 0.2  # weight of the home posture while no posture reaches the target
    feed: float = 1.0  # share of the target's own velocity that is passed on to the hand
    lead: float = 0.0  # s: postures are searched for where the target will be then. None in the avatar,
    # whose operators would be told that a target which comes back is in reach before it is

    @classmethod
    def kinematic(cls, dt: float) -> Gains:
        """For an arm without inertia: the whole error at once, no approach, the quicker way."""
        everything = {"top_speed": 0.25 / dt, "deceleration": np.inf, "top_turn": 1.0 / dt}
        quick = {
            "turn_deceleration": np.inf,
            "damping": 1e-3,
            "bias_rate": 2.0,
            "feed": 0.0,
            "rotation_weight": 0.05,
            "retreat": 10.0,
            "lead": 0.05,
        }
        return cls(gain=1.0 / dt, detour=1.0, detour_s=0.0, **everything, **quick)


class Scout(Solver):
    """The default solver of one arm."""

    def default_gains(self, dt: float) -> Array:
        """See `Gains`."""
        return np.array(Gains())

    def kernel(self) -> Step:
        """See `Solver.kernel`."""
        return scout_step
