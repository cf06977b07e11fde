"""FABRIK: ONIA's second baseline (section III-A2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.motion.align._fabrik_kernels import fabrik_batch, fabrik_into
from elsewhere.motion.align.limits import ArmLimits
from elsewhere.motion.align.solver import ALPHA, Solver

Array = NDArray[np.float64]

SWEEPS = 10
"""Cap for one tolerance. From the default pose to 500 random arms, elbow and wrist deviate on average
within 1 % of what 200 sweeps give."""
BISECTIONS = 10
"""Enough for 1 mm: the search ends when the interval is that short."""
TOLERANCE = 1e-3
"""Beyond its tolerance a joint may be this far off and the tolerance still works [m]."""


class Fabrik(Solver):
    """Forward and backward reaching, from the chain of the frame before, within a human arm's limits.

    For a joint p with reference x, tolerance e and neighbour p_c, segment length L:

        c = x + min(1, e / |p - x|) (p - x),   p' = p_c + L (c - p_c) / |c - p_c|

    from the wrist up and from the fixed shoulder down, L free within the stretch, then the limits. A
    tolerance works when both joints come within it (and 1 mm); the smallest one that works, by binary
    search, makes the larger of the two deviations small. A chain that is and stays collinear has no
    plane: the known trap, from which only another reference frees it.
    """

    name = "fabrik"

    def __init__(
        self,
        limits: ArmLimits | None = None,
        sweeps: int = SWEEPS,
        bisections: int = BISECTIONS,
        tolerance: float = TOLERANCE,
        alpha: float = ALPHA,
    ) -> None:
        self.limits = limits or ArmLimits()
        self._own = float(sweeps), float(bisections), tolerance
        self.sweeps = 0
        """What the last call took."""
        super().__init__(alpha)

    def extra_settings(self) -> tuple[float, ...]:
        """Limits, then sweeps, bisections, tolerance."""
        return (*self.limits.packed, *self._own)

    def init(self, arm: HumanArm) -> Array:
        """The default pose: elbow and wrist where they are, no twist."""
        return np.array([*arm.elbow, *arm.wrist, 0.0])

    def solve_into(self, arm: Array, reference: Array, out: Array, state: Array | None = None) -> None:
        """One frame; `state` is changed. Without one, from the default pose."""
        if state is None:
            state = np.append(arm[3:9], 0.0)
        self.sweeps = fabrik_into(self._settings, arm, reference, out, state)

    def _batch(self, arms: Array, references: Array, out: Array, state: Array | None) -> None:
        if state is None:
            state = np.append(arms[0, 3:9], 0.0)
        self.sweeps = fabrik_batch(self._settings, arms, references, out, state)
