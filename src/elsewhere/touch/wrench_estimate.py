"""The wrench on a palm, estimated from joint torques (AVATRINA, eq. 13): no sensor at the wrist needed.

    F = -(J^T)+ (tau - tau_g),    (J^T)+ = (J J^T + eps I)^-1 J,    eps = 1e-4

tau is what the joints' torque sensors feel, tau_g what gravity asks for. F is what the surroundings do
to the palm, in the base frame, linear first [N, N m]. It is true for an arm at rest or in slow motion:
in a fast one the arm's own inertia is felt too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.touch._kernels import SCRATCH, sense_palm

Array = NDArray[np.float64]


class WrenchEstimate:
    """Estimates the wrench on the palm of one arm; the palm's pose is a by-product of the same call."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self._scratch = np.zeros(1, SCRATCH)

    def step(
        self,
        q: Array,
        tau: Array,
        palm_p: Array,
        palm_q: Array,
        wrench: NDArray[np.float32],
        whole: bool = True,
    ) -> None:
        """Write the palm's pose for joints `q` and, if `whole`, the wrench that the torques tell of."""
        sense_palm(self.arm.chain.packed, q, tau, whole, palm_p, palm_q, wrench, self._scratch)
