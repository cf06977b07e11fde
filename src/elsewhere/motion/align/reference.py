"""What an arm of the model is laid over: points and hand of one robot arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import ModelError

Array = NDArray[np.float64]

SIZE = 18
"""Numbers of a packed reference: elbow, wrist, hand (row by row), shoulder (NaN where unknown)."""


class ArmReference:
    """Elbow and wrist of the robot [m]; `hand` is R_w, the rotation of the model's default-pose hand to it.

    Held as one packed array (18,), which kernels read and which may be written to from frame to frame.
    Points may be NaN (lost tracking): a solver then says so. `shoulder` is used by `together` only.
    """

    __slots__ = ("packed",)

    def __init__(
        self, elbow: ArrayLike, wrist: ArrayLike, hand: ArrayLike, shoulder: ArrayLike | None = None
    ) -> None:
        self.packed: Array = np.full(SIZE, np.nan)
        for name, at, shape, value in (
            ("elbow", 0, (3,), elbow),
            ("wrist", 3, (3,), wrist),
            ("hand", 6, (3, 3), hand),
            ("shoulder", 15, (3,), shoulder),
        ):
            if value is None:
                continue
            array = np.asarray(value, np.float64)
            if array.shape != shape:
                raise ModelError(
                    f"The {name} of an arm's reference must have shape {shape}, not {array.shape}."
                )
            self.packed[at : at + array.size] = array.ravel()

    @classmethod
    def unpack(cls, packed: Array) -> ArmReference:
        """A reference on a packed array, which is not copied."""
        found = cls.__new__(cls)
        found.packed = packed
        return found

    @property
    def elbow(self) -> Array:
        """x_e^r (3,) [m]."""
        return self.packed[0:3]

    @property
    def wrist(self) -> Array:
        """x_w^r (3,) [m]."""
        return self.packed[3:6]

    @property
    def hand(self) -> Array:
        """R_w (3, 3)."""
        return self.packed[6:15].reshape(3, 3)

    @property
    def shoulder(self) -> Array | None:
        """x_s^r (3,) [m], or None where it was not given."""
        shoulder = self.packed[15:18]
        return None if np.isnan(shoulder).any() else shoulder

    def __repr__(self) -> str:
        return f"ArmReference(elbow={self.elbow}, wrist={self.wrist})"
