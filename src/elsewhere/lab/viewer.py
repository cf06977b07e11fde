"""The eye of the person beside the robot: a pinhole camera."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians, tan

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Viewer:
    """A pinhole camera in the frame of what it looks at.

    `R` (3, 3) has the camera's axes in its columns: x right, y down, z forward; `p` (3,) is its centre [m].
    `fov_deg` is the whole vertical angle of view; the picture has square pixels.
    """

    R: Array
    p: Array
    fov_deg: float = 50.0
    width: int = 640
    height: int = 480

    @property
    def focal(self) -> float:
        """Focal length in pixels."""
        return 0.5 * self.height / tan(radians(0.5 * self.fov_deg))

    @property
    def centre(self) -> Array:
        """Column and row straight ahead; the centre of pixel (i, j) is at i + 1/2, j + 1/2."""
        return np.array([0.5 * self.width, 0.5 * self.height])


def looking(eye: ArrayLike, target: ArrayLike) -> Array:
    """Axes (3, 3) of a camera at `eye` that looks at `target`, upright (z up); not straight up or down."""
    forward = np.asarray(target, float) - np.asarray(eye, float)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward], axis=1)
