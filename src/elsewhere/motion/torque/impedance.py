"""Cartesian impedance with null-space posture (NimbRo, eq. 9-10).

    tau = J^T (-S dp - D J (dq - dq_w)) + (I - J^T (J^T)+) (K (q_w - q) + N (dq_w - dq)) + C dq + g

around the palm pose of the commanded joints. Eq. 10 damps J dq alone; with the velocity of the
command taken off, the hand is as well damped at rest and does not lag behind a moving command. The
posture does not press on the hand: a force F on it at rest displaces it by S^-1 F.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.motion.torque._impedance_kernels import impedance_step
from elsewhere.motion.torque.base import Array, TorqueLaw
from elsewhere.motion.torque.registry import torque_law
from elsewhere.motion.torque.task_inertia import damping_for, task_inertia
from elsewhere.records import Views


@torque_law("impedance")
class Impedance(TorqueLaw):
    """The palm a spring in six directions; the elbow a softer one beside it."""

    STIFFNESS = np.array([1500.0, 1500.0, 1500.0, 60.0, 60.0, 60.0])
    """N/m and N m/rad. NimbRo does not print its own."""
    DAMPING_RATIO = 0.9
    POSTURE = 0.2
    """Stiffness of the posture, as a share of the joint law's."""

    def __init__(self, arm: Arm, bounds: Array, dt: float, off: Sequence[str] = ()) -> None:
        super().__init__(arm, bounds, dt, off)
        n, law = arm.chain.n, self.constants
        posture = self.POSTURE * arm.limits.torque / self.SOFTNESS
        law["stiffness"][:n] = posture
        law["damping"][:n] = 2.0 * np.sqrt(posture * arm.chain.inertia_diagonal(arm.home))
        law["task_stiffness"] = self.STIFFNESS
        inertia = task_inertia(arm.chain, arm.home)
        law["task_damping"] = damping_for(inertia, self.STIFFNESS, self.DAMPING_RATIO)

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
        """See `TorqueLaw.step`."""
        log = terms is not None
        out = self._unlogged if terms is None else terms
        chain, law, scratch = self.arm.chain.packed, self._law, self._scratch
        return impedance_step(chain, law, state.whole, q, dq, fresh, giving, log, share, scratch, tau, out)
