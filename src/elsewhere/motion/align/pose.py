"""What a solver gives: rotations and stretches of one arm of the model."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.motion.align.reference import ArmReference
from elsewhere.motion.align.status import AlignStatus

Array = NDArray[np.float64]

SIZE = 30
"""Numbers of a packed pose: R_s, R_e, R_w (row by row), S_u, S_f, status."""


class ArmPose:
    """World rotations of the default-pose vectors, and the factors by which the bones are stretched.

    The elbow is at x_s + R_shoulder S_u d_u, the wrist R_elbow S_f d_f further; the elbow joint's own
    rotation is R_shoulder^T R_elbow. Held as one packed array (30,).
    """

    __slots__ = ("packed",)

    def __init__(
        self,
        R_shoulder: ArrayLike,
        R_elbow: ArrayLike,
        R_wrist: ArrayLike,
        stretch_upper: float = 1.0,
        stretch_fore: float = 1.0,
        status: AlignStatus = AlignStatus.OK,
    ) -> None:
        self.packed: Array = np.empty(SIZE)
        for k, R in enumerate((R_shoulder, R_elbow, R_wrist)):
            self.packed[9 * k : 9 * k + 9] = np.asarray(R, np.float64).reshape(9)
        self.packed[27:] = stretch_upper, stretch_fore, status

    @classmethod
    def unpack(cls, packed: Array) -> Self:
        """A pose on a packed array, which is not copied."""
        found = cls.__new__(cls)
        found.packed = packed
        return found

    @classmethod
    def rest(cls) -> Self:
        """The default pose."""
        return cls(np.eye(3), np.eye(3), np.eye(3))

    @property
    def R_shoulder(self) -> Array:
        """R_s (3, 3), of the upper arm (eq. 14)."""
        return self.packed[0:9].reshape(3, 3)

    @property
    def R_elbow(self) -> Array:
        """R_e (3, 3), of the forearm (eq. 19)."""
        return self.packed[9:18].reshape(3, 3)

    @property
    def R_wrist(self) -> Array:
        """R_w (3, 3), of the hand."""
        return self.packed[18:27].reshape(3, 3)

    @property
    def stretch_upper(self) -> float:
        """S_u (eq. 9)."""
        return float(self.packed[27])

    @property
    def stretch_fore(self) -> float:
        """S_f (eq. 16)."""
        return float(self.packed[28])

    @property
    def status(self) -> AlignStatus:
        """How it went."""
        return AlignStatus(int(self.packed[29]))

    def elbow(self, arm: HumanArm) -> Array:
        """Where the elbow of `arm` comes to lie (3,) [m]."""
        found: Array = arm.shoulder + self.stretch_upper * (self.R_shoulder @ arm.upper)
        return found

    def wrist(self, arm: HumanArm) -> Array:
        """Where the wrist of `arm` comes to lie (3,) [m]."""
        found: Array = self.elbow(arm) + self.stretch_fore * (self.R_elbow @ arm.fore)
        return found

    def deviation(self, arm: HumanArm, reference: ArmReference) -> tuple[float, float]:
        """Distances of elbow and wrist from the robot's [m] (eq. 21, 22)."""
        elbow = np.linalg.norm(self.elbow(arm) - reference.elbow)
        return float(elbow), float(np.linalg.norm(self.wrist(arm) - reference.wrist))

    def __repr__(self) -> str:
        stretches = f"stretch_upper={self.stretch_upper:.4f}, stretch_fore={self.stretch_fore:.4f}"
        return f"ArmPose({stretches}, status={self.status.text})"
