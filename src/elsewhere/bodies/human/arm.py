"""A human arm in its default pose: what an alignment solver has to know of a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import ModelError

Vector = NDArray[np.float64]

SHORTEST = 1e-3
"""Segments and vectors shorter than this [m] have no direction worth the name."""


@dataclass(frozen=True, eq=False)
class HumanArm:
    """Joint centres [m] and annotations of one arm in its default pose (ONIA, section II).

    `elbow_axis` is a^h: flexing the elbow turns the forearm about it by a positive angle.
    `wrist_vector` is w, the normal of the palm. Both are kept as unit vectors.
    """

    shoulder: Vector
    elbow: Vector
    wrist: Vector
    elbow_axis: Vector
    wrist_vector: Vector

    def __post_init__(self) -> None:
        for name in ("shoulder", "elbow", "wrist", "elbow_axis", "wrist_vector"):
            value = np.array(getattr(self, name), dtype=np.float64)
            if value.shape != (3,) or not np.isfinite(value).all():
                raise ModelError(f"The {name} of a human arm must be three finite numbers, not {value}.")
            object.__setattr__(self, name, value)
        for name, segment in (("upper arm", self.upper), ("forearm", self.fore)):
            if np.linalg.norm(segment) < SHORTEST:
                raise ModelError(f"The {name} of the human model has no length: its two joints coincide.")
        for name in ("elbow_axis", "wrist_vector"):
            length = float(np.linalg.norm(getattr(self, name)))
            if length < SHORTEST:
                raise ModelError(f"The {name} of the human model has no length: annotate it again.")
            object.__setattr__(self, name, getattr(self, name) / length)

    @property
    def upper(self) -> Vector:
        """The upper arm d_u^h: from the shoulder to the elbow (eq. 6)."""
        return self.elbow - self.shoulder

    @property
    def fore(self) -> Vector:
        """The forearm d_f^h: from the elbow to the wrist (eq. 6)."""
        return self.wrist - self.elbow

    @cached_property
    def packed(self) -> Vector:
        """All in one array (15,), for kernels: shoulder, elbow, wrist, elbow axis, wrist vector."""
        return np.concatenate([self.shoulder, self.elbow, self.wrist, self.elbow_axis, self.wrist_vector])

    def moved(self, rotation: ArrayLike, shift: ArrayLike) -> HumanArm:
        """The same arm after the rigid motion x -> R x + p."""
        R, p = np.asarray(rotation, np.float64), np.asarray(shift, np.float64)
        return HumanArm(
            R @ self.shoulder + p,
            R @ self.elbow + p,
            R @ self.wrist + p,
            R @ self.elbow_axis,
            R @ self.wrist_vector,
        )
