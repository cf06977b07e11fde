"""Joint stiffness and damping with gravity and Coriolis feed-forward (AVATRINA, eq. 5), and inertia.

tau = k (q_w - q) + d (dq_w - dq) + M(q) ddq_w + C(q, dq) dq + g(q), with barriers, within power and torque

The paper has no M ddq_w. It takes a third of the delay: the arm need not fall behind first to be pushed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.motion.torque._kernels import joint_pd_step
from elsewhere.motion.torque.base import Array, TorqueLaw
from elsewhere.motion.torque.registry import torque_law
from elsewhere.records import Views


@torque_law("joint-pd")
class JointPD(TorqueLaw):
    """The default law: every joint a spring, critically damped for what it carries at home."""

    DAMPING_RATIO = 1.0

    def __init__(self, arm: Arm, bounds: Array, dt: float, off: Sequence[str] = ()) -> None:
        super().__init__(arm, bounds, dt, off)
        self.stiffness = arm.limits.torque / self.SOFTNESS
        inertia = arm.chain.inertia_diagonal(arm.home)
        self.damping = 2.0 * self.DAMPING_RATIO * np.sqrt(self.stiffness * inertia)
        n = arm.chain.n
        self.constants["stiffness"][:n], self.constants["damping"][:n] = self.stiffness, self.damping

    def step(
        self,
        state: Views,
        q: Array,
        dq: Array,
        fresh: bool,
        tau: Array,
        terms: NDArray[np.float32] | None = None,
        share: float = 1.0,
        giving: bool = False,
    ) -> int:
        """See `TorqueLaw.step`. A fade needs nothing here: the reference itself never jumps."""
        log = terms is not None
        out = self._unlogged if terms is None else terms
        chain, law, scratch = self.arm.chain.packed, self._law, self._scratch
        return joint_pd_step(chain, law, state.whole, q, dq, fresh, giving, log, scratch, tau, out)
