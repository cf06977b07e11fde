"""Joint stiffness and damping with gravity and Coriolis feed-forward (AVATRINA, eq. 5).

tau = k (q_w - q) + d (dq_w - dq) + C(q, dq) dq + g(q)
"""

from __future__ import annotations

import numpy as np

from elsewhere.bodies import chain as chains
from elsewhere.bodies.arm import Arm
from elsewhere.motion.torque._kernels import follow_pd
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
        self._gains = np.stack([self.stiffness, self.damping, self.leash])
        self._work = chains.scratch()

    def step(
        self,
        bounds: Array,
        velocity: Array,
        q: Array,
        dq: Array,
        dt: float,
        q_wanted: Array,
        dq_wanted: Array,
        tau: Array,
    ) -> int:
        """See `TorqueLaw.step`."""
        packed, gains, work = self.arm.chain.packed, self._gains, self._work
        return follow_pd(packed, bounds, gains, velocity, q, dq, dt, q_wanted, dq_wanted, tau, work)
