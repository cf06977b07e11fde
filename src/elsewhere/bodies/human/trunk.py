"""The trunk, the neck and the head as one grid of rings from the crotch to the crown.

A ring has 21 points on the left half, from the middle of the front to the middle of the back. Its
circumference is the girth of `Measures` at that height; its breadth against its depth and how square it
is were chosen by eye.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator

from elsewhere.bodies.human.anthropometry import Measures
from elsewhere.bodies.human.mesh import Array
from elsewhere.bodies.human.palette import Palette
from elsewhere.bodies.human.surface import Indices, Part, Surface, perimeter, smooth_step, super_ellipse

COLUMNS = 21
ANGLES = np.linspace(0.0, np.pi, COLUMNS)
SIDE = 10  # the column at the side of the body
HOLE_COLUMNS = (7, 13)  # the arm leaves the trunk between these
EASE_SHIRT = 1.04  # clothes are a little wider than the body
EASE_TROUSERS = 1.02

HEM, TROUSERS_TOP = 0.538, 0.546
TROUSERS_ROWS = (0.503, 0.516, 0.529)
SHIRT_ROWS = (0.548, 0.562, 0.582, 0.604, 0.628, 0.652, 0.676, 0.700, 0.720, 0.738, 0.753)
HOLE_ROWS = (0.765, 0.782, 0.799, 0.816, 0.832)
YOKE_ROWS = (0.839, 0.845, 0.850, 0.8545)
COLLAR, NECK_ROWS = 0.8575, (0.8565, 0.863, 0.870)


@dataclass(frozen=True)
class Trunk:
    """The rings that other parts attach to."""

    crotch: Indices  # the lowest ring, 21 points
    hole: Indices  # 20 points round the arm, from the top over the front


class Profile:
    """Half width, front and back depth, middle, squareness and tilt of the rings over the height."""

    def __init__(self, rows: list[tuple[float, ...]]) -> None:
        table = np.array(rows)
        self._curves = PchipInterpolator(table[:, 0], table[:, 1:], axis=0, extrapolate=True)

    def ring(self, height: float, angles: Array = ANGLES, ease: float = 1.0) -> Array:
        """Points at a height (k, 3)."""
        width, front, back, middle, exponent, tilt = self._curves(height)
        c, s = super_ellipse(angles, float(exponent))
        x = middle + ease * np.where(c > 0, front, back) * c
        return np.stack([x, ease * width * s, np.full(len(c), height) + tilt * c], axis=1)


def trunk_profile(m: Measures) -> Profile:
    """From the crotch to below the chin."""
    g, h = m.girths, m.stature
    half = 0.5 * g.biacromial_breadth
    neck = g.neck / (2.0 * np.pi)
    shape = [
        # height, girth, breadth/depth, share of the depth in front, squareness, middle of the ring
        (0.480, 0.92 * g.buttock, 1.58, 0.47, 2.3, -0.006),
        (0.520, g.buttock, 1.46, 0.46, 2.35, -0.004),
        (0.560, 0.4 * g.waist + 0.6 * g.buttock, 1.46, 0.49, 2.35, -0.002),
        (0.605, g.waist, 1.42, 0.51, 2.3, 0.002),
        (0.650, 0.86 * g.waist + 0.14 * g.chest, 1.40, 0.50, 2.35, 0.000),
        (0.700, 0.30 * g.waist + 0.70 * g.chest, 1.38, 0.49, 2.4, -0.004),
        (0.735, g.chest, 1.42, 0.48, 2.45, -0.008),
        (0.765, 0.985 * g.chest, 1.52, 0.47, 2.5, -0.010),
    ]
    rows: list[tuple[float, ...]] = []
    for height, girth, ratio, share, exponent, middle in shape:
        scale = girth / perimeter(ratio, 2.0 * share, 2.0 * (1.0 - share), exponent)
        rows.append(
            (height * h, ratio * scale, 2 * share * scale, 2 * (1 - share) * scale, middle, exponent, 0.0)
        )
    depth = rows[-1][2] + rows[-1][3]
    rows += [
        (0.799 * h, 0.87 * half, 0.43 * depth, 0.48 * depth, -0.012, 2.5, 0.0),
        (0.832 * h, 0.75 * half, 0.33 * depth, 0.40 * depth, -0.014, 2.3, -0.005 * h),
        (0.845 * h, 0.50 * half, 0.265 * depth, 0.32 * depth, -0.012, 2.1, -0.011 * h),
        (0.8565 * h, 1.06 * neck, 1.08 * neck, 1.14 * neck, -0.008, 2.0, -0.016 * h),
        (0.870 * h, 0.92 * neck, 0.98 * neck, 1.03 * neck, 0.000, 2.0, -0.011 * h),
        (0.882 * h, 0.90 * neck, 0.98 * neck, 1.0 * neck, 0.004, 2.0, -0.004 * h),
    ]
    return Profile(rows)


def shaped(points: Array, m: Measures) -> Array:
    """Add what no girth says: bust or chest muscles, the buttocks, the furrow of the spine."""
    h = m.stature
    x, y, z = points.T
    front = smooth_step(x, -0.02, 0.05)
    back = smooth_step(-x, -0.02, 0.05)
    bust = (0.012 + 0.026 * m.femininity) * np.exp(-(((y - 0.052 * h) / (0.036 * h)) ** 2))
    bust = bust * np.exp(-(((z - (0.728 - 0.006 * m.femininity) * h) / (0.030 * h)) ** 2))
    seat = 0.014 * np.exp(-(((y - 0.045 * h) / (0.040 * h)) ** 2) - ((z - 0.515 * h) / (0.032 * h)) ** 2)
    spine = 0.008 * np.exp(-((y / (0.016 * h)) ** 2) - ((z - 0.67 * h) / (0.09 * h)) ** 2)
    blades = 0.008 * np.exp(-(((y - 0.05 * h) / (0.03 * h)) ** 2) - ((z - 0.765 * h) / (0.035 * h)) ** 2)
    moved = points.copy()
    moved[:, 0] += front * bust - back * (seat + blades - spine)
    return moved


def build_trunk(s: Surface, m: Measures, palette: Palette) -> tuple[Trunk, Indices]:
    """Everything up to the neck; returns what others attach to, and the uppermost ring."""
    profile, h = trunk_profile(m), m.stature

    def row(height: float, ease: float, colour: tuple[float, float, float]) -> Indices:
        return s.add(shaped(profile.ring(height * h, ease=ease), m), colour, Part.TRUNK)

    lowest = profile.ring(0.485 * h, ease=EASE_TROUSERS)
    # The groin: lowest in the middle, rising to the outside of the hip.
    lowest[:, 2] = m.girths.crotch_height + 0.022 * h * np.sin(ANGLES)
    lowest[:, 0] *= 0.86 + 0.12 * np.sin(ANGLES)
    crotch = s.add(lowest, palette.trousers, Part.TRUNK, seam=0.4)
    rings = [crotch]
    for height in TROUSERS_ROWS:
        points = shaped(profile.ring(height * h, ease=EASE_TROUSERS), m)
        # Rows just above the groin follow its slope, and forget it higher up.
        fade = 1.0 - smooth_step(height, 0.49, 0.53)
        points[:, 2] += fade * 0.016 * h * (np.sin(ANGLES) - 0.4)
        rings.append(s.add(points, palette.trousers, Part.TRUNK, seam=0.25 * float(fade)))
    rings.append(row(TROUSERS_TOP, EASE_TROUSERS, palette.trousers))
    rings.append(row(HEM + 0.0015, EASE_SHIRT * 1.005, palette.trim))
    rings.append(row(HEM, EASE_SHIRT * 1.022, palette.shirt))
    rings += [row(height, EASE_SHIRT, palette.shirt) for height in SHIRT_ROWS]
    bottom = len(rings)
    rings += [row(height, EASE_SHIRT, palette.shirt) for height in HOLE_ROWS]
    top = len(rings) - 1
    rings += [row(height, EASE_SHIRT, palette.shirt) for height in YOKE_ROWS]
    rings.append(row(COLLAR, EASE_SHIRT * 1.02, palette.trim))
    rings += [row(height, 1.0, palette.skin) for height in NECK_ROWS]
    s.soften(rings[-1], 0.35)
    first, last = HOLE_COLUMNS
    for r in range(len(rings) - 1):
        if bottom <= r < top:
            s.join(rings[r][: first + 1], rings[r + 1][: first + 1], closed=False)
            s.join(rings[r][last:], rings[r + 1][last:], closed=False)
        else:
            s.join(rings[r], rings[r + 1], closed=False)
    for r in range(bottom - 2, top + 3):
        s.soften(rings[r][first - 2 : last + 3], 0.35)
    hole = _loop(rings[bottom : top + 1])
    return Trunk(crotch, hole), rings[-1]


def _loop(rows: list[Indices]) -> Indices:
    """The border of the arm's hole: from the middle of the top over the front, 20 points."""
    first, last = HOLE_COLUMNS
    upper, lower = rows[-1], rows[0]
    return np.concatenate(
        [
            upper[SIDE:first:-1],
            [upper[first]],
            [r[first] for r in rows[-2:0:-1]],
            lower[first : last + 1],
            [r[last] for r in rows[1:-1]],
            upper[last:SIDE:-1],
        ]
    ).astype(np.int64)
