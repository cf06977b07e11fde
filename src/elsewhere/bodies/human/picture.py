"""Pictures of a human: shaded views from any direction, and the sheet for annotation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.bodies.human import _picture_kernels as kernels
from elsewhere.bodies.human.mesh import Array, Integers
from elsewhere.bodies.human.palette import to_screen

BACKGROUND = (0.93, 0.94, 0.95)
SUN = np.array([0.55, 0.35, 0.75]) / np.linalg.norm([0.55, 0.35, 0.75])
SAMPLES = 2  # per pixel and direction


@dataclass(frozen=True)
class View:
    """An orthographic look along `-towards` with `up` upwards: `towards` points from the body to the eye."""

    towards: tuple[float, float, float] = (1.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def axes(self) -> Array:
        """Rows: right, up and towards the eye."""
        z = np.array(self.towards) / np.linalg.norm(self.towards)
        x = np.cross(self.up, z)
        x /= np.linalg.norm(x)
        return np.stack([x, np.cross(z, x), z])


FRONT, LEFT, BACK = View(), View((0.0, 1.0, 0.0)), View((-1.0, 0.0, 0.0))
TOP = View((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0))
"""From above, the front of the body downwards, so that left and right are as in the front view."""


def shaded(
    vertices: Array, normals: Array, triangles: Integers, colours: Array,
    view: View, centre: ArrayLike, width: int, height: int, pixels_per_metre: float,
) -> NDArray[np.uint8]:  # fmt: skip
    """A picture (height, width, 3) of a coloured surface (linear RGB), `centre` in its middle."""
    axes = view.axes()
    scale = pixels_per_metre * SAMPLES
    seen = (vertices - np.asarray(centre, np.float64)) @ axes.T
    points = np.stack(
        [0.5 * SAMPLES * width + scale * seen[:, 0], 0.5 * SAMPLES * height - scale * seen[:, 1], seen[:, 2]], axis=1
    )
    sun = np.clip(normals @ (axes.T @ np.array([0.35, 0.55, 0.75])), 0.0, 1.0)
    sky = 0.5 + 0.5 * normals[:, 2]
    lit = colours * (0.28 + 0.22 * sky + 0.62 * sun)[:, None]
    image = np.empty((height * SAMPLES, width * SAMPLES, 3))
    image[:] = np.array(BACKGROUND) ** 2.2
    depth = np.full(image.shape[:2], -np.inf)
    kernels.draw(np.ascontiguousarray(points), lit, triangles, depth, image)
    small = image.reshape(height, SAMPLES, width, SAMPLES, 3).mean(axis=(1, 3))
    return np.round(255.0 * to_screen(small)).astype(np.uint8)
