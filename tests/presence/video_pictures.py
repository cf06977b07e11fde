"""Pictures for tests: shapes that move over a checkered floor, with shading and noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def make_picture(index: int, width: int = 1280, height: int = 480) -> NDArray[np.uint8]:
    rng = np.random.default_rng(3)
    y, x = np.mgrid[0:height, 0:width]
    floor = np.where((x // 40 + (y + 2 * index) // 40) % 2, 110, 135).astype(np.int16)
    picture = np.repeat((floor + y * 40 // height)[..., None], 3, axis=2)
    for _ in range(6):
        cx, cy, r = rng.integers(0, width), rng.integers(40, height), rng.integers(15, 60)
        inside = (x - cx - 4 * index) ** 2 + (y - cy) ** 2 < r * r
        picture[inside] = rng.integers(0, 255, 3)
    noise = np.random.default_rng(index).integers(-3, 4, (height, width, 1))
    return np.clip(picture + noise, 0, 255).astype(np.uint8)
