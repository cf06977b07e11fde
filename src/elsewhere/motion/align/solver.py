"""What every alignment solver is: from a robot's arm to a pose of the model's arm."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.motion.align import pose as poses
from elsewhere.motion.align.pose import ArmPose
from elsewhere.motion.align.reference import ArmReference

Array = NDArray[np.float64]

ALPHA = 0.4
"""Share of the wrist's twist that the forearm takes over (ONIA, section III-B h)."""
STRAIGHT, BENT = 1e-6, 1e-2
"""Sine of the elbow's angle: below the first the elbow axis is undefined (ONIA gives no number; ours),
between the two it fades, beyond the second (0.6 degrees) it is the robot's alone."""
FADE = 0.05
"""Below this sine of the angle between palm normal and forearm the forearm's twist fades out."""
UNMARKED = 1e-2
"""Below this sine between elbow axis and upper arm the annotation is doubted aloud."""


class Solver(ABC):
    """Lays one arm of a human model over a robot's.

    Whatever the reference, the pose is finite: where there is none, it is the default pose and the status
    says DEGENERATE. All solvers fill R_wrist with the robot's hand and the forearm's twist by ONIA's
    eq. 17-19; they differ in where elbow and wrist come to lie.

    What a solver remembers is in `state`, changed in place; the stateless ones have an empty one.
    """

    name: str

    def __init__(self, alpha: float = ALPHA, straight: float = STRAIGHT, bent: float = BENT) -> None:
        if not 0.0 <= straight < bent < 1.0:
            raise ValueError(f"0 <= straight < bent < 1 is needed, not {straight} and {bent}.")
        self._settings: Array = np.array([alpha, straight, bent, FADE, *self.extra_settings()])

    def extra_settings(self) -> tuple[float, ...]:
        """Numbers of the kernel beyond the four that all share."""
        return ()

    @abstractmethod
    def init(self, arm: HumanArm) -> Array:
        """A fresh state: the arm in its default pose."""

    @abstractmethod
    def solve_into(self, arm: Array, reference: Array, out: Array, state: Array | None = None) -> None:
        """One arm (15,) and reference (18,), packed, to a packed pose (30,): the quick way."""

    @abstractmethod
    def _batch(self, arms: Array, references: Array, out: Array, state: Array | None) -> None:
        """The compiled loop over rows."""

    def solve(self, arm: HumanArm, reference: ArmReference, state: Array | None = None) -> ArmPose:
        """The pose of `arm` over `reference`."""
        out = np.empty(poses.SIZE)
        self.solve_into(arm.packed, reference.packed, out, state)
        return ArmPose.unpack(out)

    def solve_batch(
        self,
        arms: HumanArm | Array,
        references: Array,
        out: Array | None = None,
        state: Array | None = None,
    ) -> Array:
        """Poses (n, 30) of the references (n, 18), in their order, with one arm or one a row (n, 15).

        A solver with a state goes through the rows as through the frames of a stream.
        """
        packed = arms.packed if isinstance(arms, HumanArm) else arms
        packed = np.ascontiguousarray(np.atleast_2d(packed), dtype=np.float64)
        rows = np.ascontiguousarray(np.atleast_2d(references), dtype=np.float64)
        if len(packed) not in (1, len(rows)):
            raise ValueError(f"{len(rows)} references need 1 or {len(rows)} arms, not {len(packed)}.")
        if out is None:
            out = np.empty((len(rows), poses.SIZE))
        self._batch(packed, rows, out, state)
        return out


class Stateless(Solver):
    """A solver in closed form: the same reference gives the same pose, whatever came before."""

    def __init__(self, into: Callable[..., Any], batch: Callable[..., Any], *arguments: float) -> None:
        super().__init__(*arguments)
        self._into, self._rows = into, batch

    def init(self, arm: HumanArm) -> Array:
        """Nothing is remembered."""
        return np.zeros(0)

    def solve_into(self, arm: Array, reference: Array, out: Array, state: Array | None = None) -> None:
        """One arm (15,) and reference (18,), packed, to a packed pose (30,): one compiled call."""
        self._into(self._settings, arm, reference, out)

    def _batch(self, arms: Array, references: Array, out: Array, state: Array | None) -> None:
        self._rows(self._settings, arms, references, out)


def check_annotation(arm: HumanArm) -> bool:
    """Warn, once at load, about an elbow axis along the upper arm: it cannot say how the arm is twisted."""
    u = arm.upper / np.linalg.norm(arm.upper)
    sine = float(np.linalg.norm(np.cross(u, arm.elbow_axis)))
    if sine < UNMARKED:
        warnings.warn(
            "The elbow axis of the human model lies along the upper arm, so the shoulder is not twisted. "
            "It should be normal to the plane in which the elbow bends.",
            stacklevel=2,
        )
    return sine >= UNMARKED
