"""What every torque law is: from wanted joint velocities to joint torques, in separate terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.errors import ModelError, UnknownNameError
from elsewhere.motion.torque._kernels import COUNT, LAW, MAX_WINDOW, SCRATCH
from elsewhere.records import MAX_JOINTS, TERMS, Views

Array = NDArray[np.float64]


class TorqueLaw(ABC):
    """Torques for one arm, every inner tick.

    A torque is the sum of the terms in `records.TERMS`. All laws share the joint motion and its
    reference (`_kernels.move`), gravity and Coriolis, the barriers, the power limit and the clamp
    (`_kernels.conclude`). `off` names terms that are left out, to see what they are good for.
    """

    SOFTNESS = 0.15
    """Radians of error that would use a joint's whole torque. On a Panda this gives 580 N m/rad in the
    large joints and 80 in the wrist, near the gains of its maker's joint-impedance example."""
    LEASH = 0.35
    """Share of the torque that goes into pushing, at most."""
    GIVING = 0.25
    """Share of the leash that is left to an arm that is to give way."""
    BARRIER = 0.5
    """Share of the torque with which a joint at its limit is pushed back; the guard adds its own."""
    BAND, VELOCITY_BAND = 0.05, 0.25
    """Width of the barriers: rad or m; share of the velocity limit."""
    PUSH_S = 0.012
    """The inertia term is at most what the torque rate takes back in this time [s]. Without a bound an arm
    that is waved as fast as it can be is pushed on when it should already brake."""

    def __init__(self, arm: Arm, bounds: Array, dt: float, off: Sequence[str] = ()) -> None:
        """`bounds` (4, n): lower and upper end, speed and acceleration of the commanded joints."""
        self.arm, self.dt = arm, dt
        limits, n = arm.limits, arm.chain.n
        check_terms(off)
        self.leash = np.full(n, self.LEASH * self.SOFTNESS)
        """How far the commanded joint may run ahead."""
        self.constants = np.zeros((), LAW)
        self._law = np.atleast_1d(self.constants)
        law = self.constants
        law["n"], law["dt"], law["window"] = n, dt, window(bounds[3], limits.jerk, dt)
        law["on"] = [name not in off for name in TERMS]
        rows = {
            **dict(zip(("low", "high", "top", "acceleration"), bounds, strict=True)),
            "leash": self.leash,
            "short_leash": self.GIVING * self.leash,
            **{name: getattr(limits, name) for name in ("lower", "upper", "velocity", "torque", "power")},
            "barrier": self.BARRIER * limits.torque,
            "band": np.minimum(self.BAND, 0.25 * (limits.upper - limits.lower)),
            "velocity_band": self.VELOCITY_BAND * limits.velocity,
            "armature": arm.chain.armature,
            "push_most": self.PUSH_S * limits.torque_rate,
        }
        for name, values in rows.items():
            law[name][:n] = values
        self._scratch = np.zeros(1, SCRATCH)
        self._unlogged = np.zeros((COUNT, MAX_JOINTS), np.float32)

    @abstractmethod
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
        """Advance the commanded joints and their reference; write the torques that bring the arm along.

        Both in one compiled call, since the call costs more than the work. `state` is an
        `ArmMotion.STATE`; q, dq are measured, and where they are not `fresh` the commanded joints come
        to rest. `terms` (COUNT, MAX_JOINTS), if given, gets what the torque is the sum of. `share`: how
        far a fade has come, 0 to 1. An arm that is `giving` pushes with a fraction of its usual force.
        Returns REST, MOVING or DISPLACED.
        """


def check_terms(names: Sequence[str]) -> None:
    """Raise UnknownNameError where one is no term of a torque."""
    for name in names:
        if name not in TERMS:
            raise UnknownNameError("torque term", name, TERMS)


def window(acceleration: Array, jerk: Array, dt: float) -> int:
    """Over how many ticks commanded joints are averaged, so that their jerk stays within its limit.

    jerk <= 2 a / (window dt): see `_kernels.smooth`. On a Panda 4 ticks, which delay by 1.5 ms.
    """
    needed = int(np.ceil(2.0 * np.max(acceleration / jerk) / dt - 1e-9))
    if needed > MAX_WINDOW:
        least = 2.0 / (MAX_WINDOW * dt)
        raise ModelError(
            f"A joint's jerk limit is only {np.min(jerk / acceleration):.0f} times its acceleration per "
            f"second, which would make the arm slow to follow. Give it at least {least:.0f} times."
        )
    return max(needed, 1)
