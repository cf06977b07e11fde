"""A pinhole camera: how points before it fall on its picture.

The camera's frame has the axes of computer vision: x right, y down, z forward. Graphics (WebXR, three.js,
MuJoCo) look along -z with y up; such a pose is turned once, where it comes in, by `from_graphics`. Whole
numbers are the centres of pixels, as in OpenCV: the middle of the picture is at (width - 1) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians, tan

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import RigError

Array = NDArray[np.float64]

FOV_RANGE_DEG = (5.0, 150.0)
_GRAPHICS = np.diag([1.0, -1.0, -1.0, 1.0])


def from_graphics(T_world_eye: Array) -> Array:
    """T_world_camera (z forward, y down) of an eye in the axes of graphics (z backward, y up)."""
    return np.asarray(T_world_eye @ _GRAPHICS)


@dataclass(frozen=True)
class Camera:
    """Size [px], focal lengths [px], middle [px], and distortion as OpenCV's k1, k2, p1, p2, k3."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        numbers = (self.fx, self.fy, self.cx, self.cy, *self.distortion)
        if not all(np.isfinite(numbers)) or min(self.width, self.height, self.fx, self.fy) <= 0:
            raise RigError(
                "A camera needs a size and focal lengths above zero, all of them finite numbers."
            )

    @classmethod
    def from_fov(cls, width: int, height: int, fov_deg: float) -> Camera:
        """Square pixels and a field of view across the width; the axis in the middle of the picture."""
        low, high = FOV_RANGE_DEG
        if not low <= fov_deg <= high:
            raise RigError(
                f"A field of view of {fov_deg:g} degrees is not a camera's: take {low:g} to {high:g}."
            )
        return cls.from_focal(width, height, 0.5 * width / tan(0.5 * radians(fov_deg)))

    @classmethod
    def from_focal(cls, width: int, height: int, focal_px: float) -> Camera:
        """Square pixels and a focal length in pixels; the axis in the middle of the picture."""
        return cls(width, height, focal_px, focal_px, 0.5 * (width - 1), 0.5 * (height - 1))

    @property
    def matrix(self) -> Array:
        """The 3 x 3 matrix of the intrinsics."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])
