"""Damped least squares: ONIA's first baseline (eq. 1-3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.motion.align._dls_kernels import STATE, WORK, dls_batch, dls_into
from elsewhere.motion.align.limits import ArmLimits
from elsewhere.motion.align.solver import ALPHA, Solver

Array = NDArray[np.float64]

ITERATIONS = 100
"""Cap for one frame. From the default pose to 500 random arms, the mean objective after 100 iterations is
within 1 % of that after 5,000; after 50 it is 3 % off, after 20 9 %."""
TOLERANCE = 3e-4
"""Largest change of a variable [rad, or log stretch] that ends a frame. On the warm-started stream of
`bench/align.py` the mean deviations of elbow and wrist are then within 6 % of those of 2,000 iterations a
frame; at 5e-4 the elbow's is 11 % off, at 1e-3 24 %."""


class DampedLeastSquares(Solver):
    """Steps of damped Gauss-Newton, from the pose of the frame before, within a human arm's limits.

        dtheta = J^T (J J^T + lambda^2 I)^-1 dp                          (eq. 1)
        J = [dp/dtheta; w_e dp_e/dtheta],  dp = [x - p; w_e (x_e - p_e)]  (eq. 3)

    theta: swing (exponential map), twist, hinge, log S_u, log S_f; logarithms, so that a stretch stays
    positive and both ways cost alike. (A forearm twist moves neither elbow nor wrist: it is ONIA's eq.
    17-19.) Every step is clamped to the limits. lambda = 0.2 is in metres, as are all lengths here.
    """

    name = "dls"

    def __init__(
        self,
        limits: ArmLimits | None = None,
        elbow_weight: float = 0.1,
        damping: float = 0.2,
        iterations: int = ITERATIONS,
        tolerance: float = TOLERANCE,
        alpha: float = ALPHA,
    ) -> None:
        self.limits = limits or ArmLimits()
        self._own = elbow_weight, damping, float(iterations), tolerance
        self._work = np.zeros((WORK, 6))
        self.iterations = 0
        """What the last call took."""
        super().__init__(alpha)

    def extra_settings(self) -> tuple[float, ...]:
        """Limits, then w_e, lambda, iterations, tolerance."""
        return (*self.limits.packed, *self._own)

    def init(self, arm: HumanArm) -> Array:
        """The default pose: all variables zero, or at the nearer end of their range."""
        return self._fresh()

    def solve_into(self, arm: Array, reference: Array, out: Array, state: Array | None = None) -> None:
        """One frame; `state` is changed. Without one, from the default pose."""
        if state is None:
            state = self._fresh()
        self.iterations = dls_into(self._settings, arm, reference, out, state, self._work)

    def _batch(self, arms: Array, references: Array, out: Array, state: Array | None) -> None:
        if state is None:
            state = self._fresh()
        self.iterations = dls_batch(self._settings, arms, references, out, state, self._work)

    def _fresh(self) -> Array:
        """A state is angles and stretches, so it is the same for any arm."""
        state = np.zeros(STATE)
        state[3] = np.clip(0.0, *self.limits.hinge)
        state[4:] = np.log(np.clip(1.0, *self.limits.stretch))
        return state
