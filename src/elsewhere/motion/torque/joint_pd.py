"""Joint stiffness and damping with gravity and Coriolis feed-forward (AVATRINA, eq. 5).

tau = k (q_w - q) + d (dq_w - dq) + C(q, dq) dq + g(q)
"""

from __future__ import annotations

import numpy as np

from elsewhere.bodies import chain as chains
from elsewhere.bodies.arm import Arm
from elsewhere.motion.torque._kernels import joint_pd
from elsewhere.motion.torque.base import Array, TorqueLaw


class JointPD(TorqueLaw):
    """Stiffness such that `SOFTNESS` radians of error use the whole torque; critical damping.

    On a Panda this gives 580 N m/rad in the large joints and 80 in the wrist, near the gains of its
    maker's joint-impedance example.
    """

    SOFTNESS = 0.15
    DAMPING_RATIO = 1.0

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self.stiffness = arm.limits.torque / self.SOFTNESS
        inertia = arm.chain.inertia_diagonal(arm.home)
        self.damping = 2.0 * self.DAMPING_RATIO * np.sqrt(self.stiffness * inertia)
        self.leash = 0.35 * arm.limits.torque / self.stiffness
        """How far the wanted joint may run ahead: a third of the torque goes into pushing, at most."""
        self._work = chains.scratch()

    def step(self, q: Array, dq: Array, q_wanted: Array, dq_wanted: Array, tau: Array) -> None:
        """See `TorqueLaw.step`."""
        joint_pd(
            self.arm.chain.arrays, self.stiffness, self.damping, q, dq, q_wanted, dq_wanted, tau, self._work
        )
