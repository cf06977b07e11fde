"""What every differential solver is: from a palm target to joint velocities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.bodies.limits import JointLimits
from elsewhere.errors import ModelError
from elsewhere.motion.ik import _kernels
from elsewhere.motion.ik.biases import SHOULDER_GAINS, find_bias
from elsewhere.records import Record, Views, zeros
from elsewhere.status import LEFT, Status

Array = NDArray[np.float64]
Step = Callable[[NDArray[np.void], Array, Array, Array, Array, Array, Array], int]

OUTCOMES = (Status.OK, Status.UNREACHABLE, Status.AT_LIMIT, Status.NOT_FINITE)
"""The status for FOLLOWS, BLOCKED, LIMITED and REFUSED of the kernels."""


@dataclass(frozen=True)
class Reserve:
    """What a solver leaves of an arm's limits: room for what tracking adds."""

    margin: float = 0.05
    """Joints stop this far before the ends of their range [rad or m], or a quarter of a short one."""
    share: float = 0.65
    """Share of the velocity limits that is used."""
    braking: float = 0.5
    """Share of the acceleration limits that is counted on to stop before the end of a range."""


NO_RESERVE = Reserve(0.0, 1.0, np.inf)
"""All that the data sheet allows, for an arm without inertia: kinematic studies."""


class Solver(ABC):
    """Joint velocities that bring the palm of one arm to its target, within the arm's limits.

    One compiled call a step, nothing allocated. What a solver remembers is in its state, a record of
    `STATE` that is the same for all of them; all zeros is a fresh one.
    """

    STATE: ClassVar = np.dtype([("memory", "f8", (56,))])
    MARGIN: ClassVar = Reserve.margin
    SHARE: ClassVar = Reserve.share

    def __init__(
        self,
        arm: Arm,
        dt: float,
        bias: str = "home",
        reserve: Reserve = Reserve(),
        gains: Array | None = None,
    ) -> None:
        limits, n = arm.limits, arm.chain.n
        check_limits(arm)
        self.arm, self.dt, self.bias = arm, dt, bias
        margin = np.minimum(reserve.margin, 0.25 * (limits.upper - limits.lower))
        self.low, self.high = limits.lower + margin, limits.upper - margin
        packed = np.zeros(1, _kernels.ARM)
        packed["chain"] = arm.chain.packed
        packed["dt"], packed["bias"] = dt, find_bias(bias)
        packed["shoulder"] = (1.0 if arm.side == LEFT else -1.0, *SHOULDER_GAINS)
        packed["low"][0, :n], packed["high"][0, :n] = self.low, self.high
        packed["top"][0, :n] = reserve.share * limits.velocity
        packed["braking"][0, :n] = reserve.braking * limits.acceleration
        packed["neutral"][0, :n], packed["home"][0, :n] = arm.neutral, arm.home
        chosen = self.default_gains(dt) if gains is None else gains
        packed["gains"][0, : len(chosen)] = chosen
        self.packed, self._step = packed, self.kernel()

    @abstractmethod
    def default_gains(self, dt: float) -> Array:
        """The solver's own numbers, in the order of its kernel."""

    @abstractmethod
    def kernel(self) -> Step:
        """The compiled step."""

    def new_state(self) -> Views:
        """A fresh state, for callers that keep it nowhere else."""
        record: Record = zeros(self.STATE)
        return Views(record)

    def init(self, state: Views, q: Array) -> None:
        """Begin anew, with the arm at joints `q`: nothing of former targets counts."""
        state.memory[:] = 0.0

    def step(
        self, state: Views, q: Array, target_p: Array, target_q: Array, feed: Array, velocity: Array
    ) -> Status:
        """Write the wanted joint velocities for commanded joints `q` into `velocity`.

        `feed` is the target's own twist, linear first: what the hand must do even without any error.
        Invariant, whatever the target: |velocity| is within the arm's limits, and keeping it for
        `dt` leaves no joint range; a joint that is outside its range only comes back. Returns OK,
        UNREACHABLE, AT_LIMIT where the end of a joint's range is why, or NOT_FINITE with no velocity at
        all where an input is not a number.
        """
        return OUTCOMES[self._step(self.packed, state.memory, q, target_p, target_q, feed, velocity)]


def check_limits(arm: Arm) -> None:
    """Raise ModelError where a limit that a solver needs is missing or makes no sense."""
    limits: JointLimits = arm.limits
    for index, name in enumerate(arm.joints):
        ends = limits.lower[index], limits.upper[index]
        if not np.isfinite(ends).all() or ends[0] >= ends[1]:
            raise ModelError(
                f"Joint '{name}' has no position limits ({ends[0]:g} to {ends[1]:g}). Give it a range."
            )
        for what in ("velocity", "acceleration"):
            value = float(getattr(limits, what)[index])
            if not np.isfinite(value) or value <= 0.0:
                raise ModelError(f"Joint '{name}' has no {what} limit ({value:g}). Give it a positive one.")
