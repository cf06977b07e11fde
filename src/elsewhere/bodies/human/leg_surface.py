"""Legs with their shoes, as tubes that leave the trunk: rings of 24 points.

Girths are those of `Measures`, wider where trousers are; the shape of the shoe was chosen by eye.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.interpolate import PchipInterpolator

from elsewhere.bodies.human.anthropometry import Measures
from elsewhere.bodies.human.mesh import Array
from elsewhere.bodies.human.palette import Palette
from elsewhere.bodies.human.skeleton import Skeleton
from elsewhere.bodies.human.surface import Indices, Part, Surface, next_ring, smooth_step, super_ellipse

LEG_RING = 24
TROUSER_KNEE, TROUSER_HEM = 1.22, 1.62  # girth of the trousers over the leg's


def build_leg(s: Surface, m: Measures, skeleton: Skeleton, palette: Palette, crotch: Indices) -> None:
    """From the groin to the shoe. The ring runs over the front, the outside and the back."""
    g, h = m.girths, m.stature
    hip, knee, ankle = (skeleton[f"left_{n}"] for n in ("thigh", "shin", "foot"))
    front, back = s.point(int(crotch[0])), s.point(int(crotch[-1]))
    shares = np.array([[0.25], [0.5], [0.75]])
    between = back + shares * (front - back)
    between[:, 2] -= 0.006 * h * np.sin(np.pi * shares[:, 0])
    line = s.add(between, palette.trousers, Part.TRUNK, seam=0.3)
    loop = np.concatenate([crotch, line])
    angles = 0.5 * np.pi + (np.arange(LEG_RING) - 10) * 2.0 * np.pi / LEG_RING
    tau = 2.0 * np.pi
    top = float(m.girths.crotch_height)
    table = np.array(
        [
            # height, girth, breadth/depth, x and y of the middle
            (ankle[2] - 0.002 * h, TROUSER_HEM * g.ankle, 0.86, ankle[0] + 0.006, ankle[1]),
            (0.16 * h, 1.20 * g.calf * 0.86, 0.92, knee[0] - 0.014, knee[1]),
            (knee[2], TROUSER_KNEE * g.calf * 0.92, 0.95, knee[0], knee[1]),
            (0.36 * h, 0.86 * g.thigh, 0.94, 0.5 * (hip[0] + knee[0]), 0.5 * (hip[1] + knee[1])),
            (top - 0.03 * h, 1.0 * g.thigh, 0.90, hip[0] - 0.006, hip[1] + 0.004 * h),
            (top + 0.03 * h, 1.04 * g.thigh, 0.86, hip[0], hip[1] + 0.004 * h),
        ]
    )
    curves = PchipInterpolator(table[:, 0], table[:, 1:], axis=0)
    outline = s.points(loop)
    last = loop
    hem = ankle[2] - 0.002 * h

    def ring(z: float, ease: float) -> Array:
        girth, ratio, x, y = curves(z)
        radius = ease * girth / tau
        c, q = super_ellipse(angles, 2.15)
        return np.stack(
            [x + radius / ratio**0.5 * c, y + radius * ratio**0.5 * q, np.full(LEG_RING, z)], axis=1
        )

    drop = np.concatenate([np.linspace(0.018, 0.13, 7), np.linspace(0.20, 1.0, 8)])
    for i, share in enumerate(drop):
        z = top - share * (top - hem)
        points = ring(z, 1.0)
        fade = 1.0 - float(smooth_step(share, 0.0, 0.20))
        points = fade * (outline + np.array([0.0, 0.0, z - top])) + (1.0 - fade) * points
        points[:, 1] = np.maximum(points[:, 1], 0.004)  # the legs never touch
        last = next_ring(
            s, last, points, palette.trousers, Part.LEG, flip=True, seam=max(0.0, 0.45 - 0.07 * i)
        )
    last = next_ring(s, last, ring(hem - 0.003, 0.985), palette.trousers, Part.LEG, flip=True)
    last = next_ring(s, last, ring(hem + 0.004, 0.80), palette.shoe, Part.LEG, flip=True)
    _shoe(s, m, ankle, palette, last, angles)


def _shoe(s: Surface, m: Measures, ankle: Array, palette: Palette, last: Indices, angles: Array) -> None:
    """Rings that turn from level at the ankle to upright at the toes."""
    long, wide = 1.08 * m.length("foot") * 1.02, 0.5 * m.girths.foot_breadth * 1.04
    heel = ankle[0] - 0.27 * long
    c, q = super_ellipse(angles, 2.4)
    # Tilt [deg], middle x (share of the length from the heel), middle height, front, back, half width.
    table = [
        (8, 0.240, 0.078, 0.046, 0.052, 0.64),
        (22, 0.250, 0.062, 0.056, 0.066, 0.67),
        (38, 0.275, 0.050, 0.064, 0.082, 0.70),
        (55, 0.330, 0.042, 0.062, 0.082, 0.72),
        (70, 0.440, 0.036, 0.050, 0.060, 0.78),
        (80, 0.520, 0.032, 0.044, 0.050, 0.86),
        (86, 0.610, 0.029, 0.037, 0.045, 0.94),
        (90, 0.700, 0.027, 0.030, 0.045, 1.00),
        (90, 0.780, 0.025, 0.025, 0.045, 0.99),
        (90, 0.855, 0.023, 0.021, 0.045, 0.92),
        (90, 0.915, 0.021, 0.018, 0.040, 0.79),
        (90, 0.960, 0.019, 0.015, 0.035, 0.60),
        (90, 0.988, 0.017, 0.010, 0.025, 0.34),
    ]
    k = m.stature / 1.75
    for tilt, share, z, fore, rear, half in table:
        a = np.radians(tilt)
        reach = np.where(c > 0, fore, rear) * c * k
        inward = -0.006 * k * float(smooth_step(share, 0.5, 1.0))
        points = np.stack(
            [
                heel + share * long + np.cos(a) * reach,
                ankle[1] + inward + half * wide * q,
                z * k + np.sin(a) * reach,
            ],
            axis=1,
        )
        points[:, 0] = np.maximum(points[:, 0], heel + 0.10 * np.maximum(0.0, 0.03 * k - points[:, 2]))
        points[:, 2] = np.maximum(points[:, 2], 0.0)
        last = next_ring(s, last, points, palette.shoe, Part.LEG, flip=True)
    tip = np.array([[heel + long, ankle[1] - 0.006 * k, 0.015 * k]])
    apex = s.add(tip, palette.shoe, Part.LEG)
    s.fan(last, int(apex[0]), closed=True, flip=True)
    _sole(s, heel, long, wide, ankle[1], k, palette)


def _sole(
    s: Surface, heel: float, long: float, wide: float, middle: float, k: float, palette: Palette
) -> None:
    """A flat plate under the shoe, a little wider than it."""
    shares = np.array([0.0, 0.02, 0.07, 0.16, 0.30, 0.45, 0.60, 0.72, 0.82, 0.90, 0.96, 0.99, 1.0])
    half = np.array([0.0, 0.35, 0.58, 0.70, 0.72, 0.80, 0.95, 1.03, 1.01, 0.89, 0.64, 0.36, 0.0])
    x = heel + 0.004 * k + (long - 0.001 * k) * np.concatenate([shares, shares[-2:0:-1]])
    out = np.concatenate([half, -half[-2:0:-1]]) * wide
    out += middle - 0.006 * k * smooth_step(x, heel + 0.5 * long, heel + long)

    def level(z: float, grow: float) -> Indices:
        centre = np.array([heel + 0.5 * long, middle])
        flat = centre + grow * (np.stack([x, out], axis=1) - centre)
        return s.add(np.column_stack([flat, np.full(len(x), z * k)]), palette.sole, Part.LEG)

    # From the heel over the left side: clockwise seen from above.
    loops = [level(0.0, 0.985), level(0.004, 1.0), level(0.017, 1.0), level(0.020, 0.97)]
    for near, far in pairwise(loops):
        s.join(near, far, closed=True, flip=True)
    for ring, z, flip in ((loops[-1], 0.020, True), (loops[0], 0.0, False)):
        centre = s.add(np.array([[heel + 0.5 * long, middle, z * k]]), palette.sole, Part.LEG)
        s.fan(ring, int(centre[0]), closed=True, flip=flip)
