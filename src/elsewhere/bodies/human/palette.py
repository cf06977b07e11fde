"""The colours of a made human, as linear RGB."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.bodies.human.surface import Colour


def linear(code: str) -> Colour:
    """Linear RGB of a colour as it is written for a screen (#rrggbb, sRGB: IEC 61966-2-1)."""
    channels = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    value = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(value[0]), float(value[1]), float(value[2])


def to_screen(value: ArrayLike) -> NDArray[np.float64]:
    """The inverse of `linear`, for arrays: sRGB in 0..1."""
    v = np.clip(np.asarray(value, np.float64), 0.0, 1.0)
    return np.where(v <= 0.0031308, 12.92 * v, 1.055 * v ** (1.0 / 2.4) - 0.055)


@dataclass(frozen=True)
class Palette:
    """What a person wears and looks like."""

    skin: Colour
    lips: Colour
    hair: Colour
    brow: Colour
    white: Colour
    iris: Colour
    pupil: Colour
    shirt: Colour
    trim: Colour
    trousers: Colour
    shoe: Colour
    sole: Colour


PLAIN = Palette(
    skin=linear("#d9a47f"),
    lips=linear("#b5685a"),
    hair=linear("#3a2a20"),
    brow=linear("#3f2d22"),
    white=linear("#f4f1ec"),
    iris=linear("#5b4028"),
    pupil=linear("#120d0a"),
    shirt=linear("#3f6f9f"),
    trim=linear("#335a82"),
    trousers=linear("#3b4048"),
    shoe=linear("#5a4234"),
    sole=linear("#d8d2c6"),
)
