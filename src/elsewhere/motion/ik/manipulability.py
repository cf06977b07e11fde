"""Manipulability-filtered Newton steps (AVATRINA, Correia Marques et al., 2024, eq. 3).

Where the measure M = sqrt(det(J J^T)) is low, the component of the task step that lowers it is taken
away and a small motion along its gradient is added; then comes a damped Newton step,

    dq = (J^T J + (d + w) I)^-1 (J^T x + w (q_bias - q)),

clipped joint by joint to the bounds. Threshold, band and gain are not printed in the paper: ours are
two fifths of the measure at the arm's home posture, half as much again, and a gain that leaves a
singular posture within a few tenths of a second. An arm with a singular home is not filtered.
"""

from __future__ import annotations

import numpy as np

from elsewhere.motion.ik._manipulability_kernels import manipulability_step
from elsewhere.motion.ik.base import Array, Solver, Step


class Manipulability(Solver):
    """Eq. 3 and a Newton step for one arm."""

    THRESHOLD, BAND, GAIN = 0.4, 0.2, 0.2
    """M_0 and its band, as shares of the measure at home; gain [m or rad per unit of the measure]."""
    DAMPING = 1e-3
    BIAS_WEIGHT = 0.0005

    def default_gains(self, dt: float) -> Array:
        """M_0, band, k, d, w."""
        J = self.arm.chain.forward(self.arm.home)[2]
        home = float(np.sqrt(max(0.0, np.linalg.det(J @ J.T))))
        band = max(self.BAND * home, 1e-9)
        return np.array([self.THRESHOLD * home, band, self.GAIN, self.DAMPING, self.BIAS_WEIGHT])

    def kernel(self) -> Step:
        """See `Solver.kernel`."""
        return manipulability_step
