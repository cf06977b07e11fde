"""Small pictures for the surfaces of a scene, computed: wood, walls, cloth, a view, a painting.

Software rendering has no shadows to spare, so the soft shading of a room (dark corners, a shadow
under the table, light on the floor) is painted into the floor and the walls once, here. Images are
arrays of shape (rows, columns, 3) in 0..1; columns follow the surface's x and rows its y, from the
lowest up.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float64]
Colour = tuple[float, float, float]


def grid(columns: int, rows: int, width: float, height: float) -> tuple[Image, Image]:
    """Coordinates of the pixels' centres [m], zero in the middle of the surface."""
    x = ((np.arange(columns) + 0.5) / columns - 0.5) * width
    y = ((np.arange(rows) + 0.5) / rows - 0.5) * height
    xx, yy = np.meshgrid(x, y)
    return xx, yy


def patch(x: Image, y: Image, centre: tuple[float, float], half: tuple[float, float], blur: float) -> Image:
    """1 inside a rectangle, 0 outside, with an edge `blur` metres wide."""

    def edge(distance: Image) -> Image:
        return 1.0 / (1.0 + np.exp(np.clip(distance / (0.25 * blur), -40.0, 40.0)))

    return edge(np.abs(x - centre[0]) - half[0]) * edge(np.abs(y - centre[1]) - half[1])


def glow(x: Image, y: Image, centre: tuple[float, float], radius: float) -> Image:
    """A round spot of light that fades with distance."""
    square = (x - centre[0]) ** 2 + (y - centre[1]) ** 2
    return np.exp(-square / radius**2)


def flat(shape: Image, colour: Colour) -> Image:
    """An image of one colour, of the shape of a coordinate grid."""
    return np.broadcast_to(np.asarray(colour), (*shape.shape, 3)).copy()


def planks(x: Image, y: Image, *, board: float, length: float, tones: list[Colour], seed: int) -> Image:
    """Floor boards along x: each of its own tone, with grain and thin dark seams."""
    rng = np.random.default_rng(seed)
    row = np.floor(y / board).astype(int)
    row -= row.min()
    shift = rng.uniform(0.0, length, row.max() + 1)
    column = np.floor((x + shift[row]) / length).astype(int)
    column -= column.min()
    tone = rng.integers(0, len(tones), (row.max() + 1, column.max() + 1))
    light = rng.normal(1.0, 0.035, tone.shape)
    image: Image = np.asarray(tones)[tone[row, column]] * light[row, column][..., None]
    phase = rng.uniform(0.0, 6.28, tone.shape)[row, column]
    grain = np.sin(y * 160.0 + 3.0 * np.sin(x * 2.1 + phase) + phase)
    image *= (1.0 + 0.022 * grain)[..., None]
    seam = np.minimum(y / board % 1.0, 1.0 - y / board % 1.0) * board
    along = (x + shift[row]) / length
    joint = np.minimum(along % 1.0, 1.0 - along % 1.0) * length
    image *= (1.0 - 0.16 * np.exp(-((np.minimum(seam, joint) / 0.006) ** 2)))[..., None]
    return image


def add(
    spec: mujoco.MjSpec, name: str, image: Image, *, specular: float = 0.0, emission: float = 0.0
) -> None:
    """Add a texture and a material of the same name that stretches it once over a surface."""
    rows, columns = image.shape[:2]
    pixels = np.clip(image * 255.0 + 0.5, 0, 255).astype(np.uint8)
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D)
    texture.width, texture.height, texture.nchannel = columns, rows, 3
    texture.data = pixels[::-1].tobytes()  # MuJoCo counts rows from the top
    material = spec.add_material(name=name)
    roles = [""] * int(mujoco.mjtTextureRole.mjNTEXROLE)
    roles[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = name
    material.textures = roles
    material.specular, material.shininess, material.emission = specular, 0.3, emission
    material.texrepeat = (1.0, 1.0)
