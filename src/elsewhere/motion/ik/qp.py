"""The quadratic program of AVATRINA (Correia Marques et al., 2024, eq. 4), with velocity bounds.

    min_dq |dr - J dq|^2_{W_r} + |dq|^2_{W_q} + |q + dq - q_bias|^2_{W_b}
    q_min <= q + dq <= q_max,  |dq| <= dq_max dt

with W_r = I, W_q = 0.02 I, W_b = 0.0005 I, on the commanded joints q. dr is the log-map error between
the palm at q and its target, metres and radians mixed as in the paper. The velocity bounds are in the
paper's prose, not in its equation. Solved exactly. It plans no approach: a target that jumps is
followed as fast as the joints allow, and `feed` is not used.
"""

from __future__ import annotations

import numpy as np

from elsewhere.motion.ik._qp_kernels import qp_step
from elsewhere.motion.ik.base import Array, Solver, Step


class QP(Solver):
    """Eq. 4 for one arm."""

    STEP_WEIGHT = 0.02
    BIAS_WEIGHT = 0.0005

    def default_gains(self, dt: float) -> Array:
        """W_q, W_b."""
        return np.array([self.STEP_WEIGHT, self.BIAS_WEIGHT])

    def kernel(self) -> Step:
        """See `Solver.kernel`."""
        return qp_step
