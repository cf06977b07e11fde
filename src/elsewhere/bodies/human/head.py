"""The head: rings from below the chin to the crown, the face, ears and hair.

Length, breadth and girth are those of `Measures`; the features were modelled here by eye.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.interpolate import PchipInterpolator

from elsewhere.bodies.human.anthropometry import Measures
from elsewhere.bodies.human.mesh import Array
from elsewhere.bodies.human.palette import Palette
from elsewhere.bodies.human.surface import Colour, Indices, Part, Surface, smooth_step, super_ellipse
from elsewhere.bodies.human.trunk import ANGLES, COLUMNS

# Share of the height from chin to crown; half width over head breadth; front and back over head length;
# squareness. The middle of the head's length is the origin of x.
_PROFILE = np.array(
    [
        (-0.075, 0.365, 0.250, 0.400, 2.0),
        (-0.030, 0.362, 0.330, 0.396, 1.95),
        (-0.005, 0.355, 0.400, 0.394, 1.85),
        (0.020, 0.352, 0.432, 0.392, 1.82),
        (0.070, 0.365, 0.446, 0.392, 1.88),
        (0.140, 0.390, 0.442, 0.398, 2.0),
        (0.220, 0.415, 0.443, 0.412, 2.1),
        (0.300, 0.436, 0.448, 0.432, 2.15),
        (0.400, 0.460, 0.450, 0.464, 2.2),
        (0.500, 0.482, 0.452, 0.488, 2.2),
        (0.600, 0.496, 0.478, 0.502, 2.15),
        (0.700, 0.498, 0.476, 0.498, 2.1),
        (0.800, 0.472, 0.440, 0.470, 2.05),
        (0.880, 0.400, 0.365, 0.405, 2.0),
        (0.940, 0.300, 0.265, 0.310, 2.0),
        (0.980, 0.180, 0.155, 0.190, 2.0),
        (1.000, 0.000, 0.000, 0.000, 2.0),
    ]
)
ROWS = np.concatenate(
    [
        [-0.05, -0.025, -0.005, 0.015, 0.04, 0.07],
        np.arange(0.105, 0.66, 0.0385),
        [0.70, 0.77, 0.84, 0.90, 0.95, 0.98],
    ]
)
EYE = (0.505, 0.205)  # height share, distance from the middle over head breadth
MOUTH, NOSE, BROW = 0.185, 0.335, 0.590
CROWD = 0.45  # how much the points of a ring crowd towards the face


class Head:
    """The surface of the head without hair: a point for each height and angle."""

    def __init__(self, m: Measures) -> None:
        self.m = m
        g = m.girths
        self.low, self.height = m.length("chin_height"), m.stature - m.length("chin_height")
        self.length, self.breadth = g.head_length, g.head_breadth
        self.middle = 0.018 * m.stature / 1.75  # the head stands a little before the neck
        # The crown is round: interpolate over the square root of the distance from it.
        self._curves = PchipInterpolator(-np.sqrt(1.0 - _PROFILE[:, 0]), _PROFILE[:, 1:], axis=0)

    def ring(self, share: float, angles: Array) -> Array:
        """Points at a height share, angles from the front over the left side (k, 3)."""
        width, front, back, exponent = self._curves(-np.sqrt(max(0.0, 1.0 - share)))
        c, s = super_ellipse(angles, float(exponent))
        x = self.middle + self.length * np.where(c > 0, front, back) * c
        y = self.breadth * width * s
        points = np.stack([x, y, np.full(len(c), self.low + share * self.height)], axis=1)
        points[:, 0] += self.relief(points) * smooth_step(c, 0.0, 0.5)
        # Rows rise towards the nape, as those of the neck below do.
        points[:, 2] += 0.17 * self.height * (1.0 - smooth_step(share, -0.06, 0.25)) * np.maximum(0.0, -c)
        return points

    def angles(self, share: float) -> Array:
        """Where the points of a ring stand: crowded at the face, even at the neck."""
        crowd = CROWD * float(smooth_step(share, -0.08, 0.08))
        return ANGLES - crowd * np.sin(ANGLES)

    def relief(self, points: Array) -> Array:
        """How far the face stands out of the smooth head [m]."""
        k = self.height / 0.2275  # features were measured on a head of this height
        y, t = np.abs(points[:, 1]) / k, (points[:, 2] - self.low) / self.height

        def bump(size: float, y0: float, wide: float, t0: float, high: float) -> Array:
            return size * np.exp(-(((y - y0) / wide) ** 2) - ((t - t0) / high) ** 2)

        along = np.clip((EYE[0] + 0.04 - t) / (EYE[0] + 0.04 - NOSE), 0.0, 1.0)
        # The nose grows from the bridge to its tip and ends steeply.
        ridge = (0.004 + 0.019 * along**1.3) * smooth_step(t, NOSE - 0.065, NOSE - 0.005)
        ridge *= 1.0 - smooth_step(t, EYE[0] + 0.0, EYE[0] + 0.10)
        nose = ridge * np.exp(-((y / (0.0085 + 0.0055 * along)) ** 2))
        face = (
            bump(-0.0085, EYE[1] * self.breadth / k, 0.017, EYE[0], 0.055)
            + bump(0.0035, 0.026, 0.022, BROW - 0.01, 0.045)
            + bump(0.0045, 0.042, 0.020, 0.38, 0.075)
            + bump(0.0055, 0.0, 0.024, MOUTH, 0.050)
            + bump(-0.0035, 0.0, 0.024, MOUTH - 0.085, 0.028)
            + bump(0.0060, 0.0, 0.020, 0.045, 0.045)
            + bump(0.0045, 0.013, 0.006, NOSE - 0.02, 0.025)
        )
        return np.asarray(k * (nose + face))

    def front(self, y: Array, z: Array) -> Array:
        """The face's points before (y, z) (k, 3)."""
        angles = np.linspace(0.0, 0.5 * np.pi, 60)
        result = np.empty((len(y), 3))
        for i, (across, up) in enumerate(zip(y, z, strict=True)):
            ring = self.ring((up - self.low) / self.height, angles)
            result[i] = np.interp(abs(across), ring[:, 1], ring[:, 0]), across, up
        return result


def build_head(s: Surface, m: Measures, palette: Palette, neck: Indices) -> Head:
    """Join the head to the uppermost ring of the neck, and give it a face, ears and hair."""
    head = Head(m)
    last = neck
    for share in ROWS:
        ring = s.add(head.ring(share, head.angles(share)), palette.skin, Part.HEAD)
        if share < 0.03:
            s.soften(ring[5:], 0.35)
        s.join(last, ring, closed=False)
        last = ring
    crown = s.add(np.array([[head.middle - 0.015, 0.0, m.stature]]), palette.skin, Part.HEAD)
    s.fan(last, int(crown[0]), closed=False)
    _eye(s, head, palette)
    _brow(s, head, palette)
    _mouth(s, head, palette)
    _ear(s, head, palette)
    _hair(s, head, palette)
    return head


def _lens(s: Surface, rings: list[Array], colours: list[Colour], back: Array, half: bool = False) -> None:
    """A closed lens: rings from the centre (first, one point) outwards, and a point behind.

    Rings run from the body's left upwards seen from the front, that is counter-clockwise about x.
    """
    centre = int(s.add(rings[0], colours[0], Part.HEAD)[0])
    loops = [s.add(ring, colour, Part.HEAD) for ring, colour in zip(rings[1:], colours[1:], strict=True)]
    s.fan(loops[0], centre, closed=not half)
    for inner, outer in pairwise(loops):
        s.join(outer, inner, closed=not half)
    behind = int(s.add(back, colours[-1], Part.HEAD)[0])
    s.fan(loops[-1], behind, closed=not half, flip=True)


def _eye(s: Surface, head: Head, palette: Palette) -> None:
    k = head.height / 0.2275
    y0, z0 = EYE[1] * head.breadth, head.low + EYE[0] * head.height
    x0 = float(head.front(np.array([y0]), np.array([z0]))[0, 0])
    angles = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    across, up = np.cos(angles), np.sin(angles)
    # The eye as seen: an almond, the white round the iris, and the upper lid's shade as its border.
    almond = np.stack([0.0150 * across, 0.0062 * np.sign(up) * np.abs(up) ** 1.15 + 0.0006], axis=1)
    sizes = (
        (0.0024, palette.pupil),
        (0.0027, palette.iris),
        (0.0056, palette.iris),
        (0.0060, palette.white),
    )
    rings, colours = [np.array([[0.0, 0.0]])], [palette.pupil]
    for size, colour in sizes:
        # The lids cover the top and the bottom of the iris.
        limit = np.minimum(size, np.abs(almond[:, 1]) / np.maximum(np.abs(up), 1e-6) * 0.93)
        rings.append(np.stack([limit * across, limit * up], axis=1))
        colours.append(colour)
    rings += [0.96 * almond, 1.10 * almond, 1.10 * almond]
    colours += [palette.white, palette.brow, palette.brow]
    out = (0.0030, 0.0030, 0.0030, 0.0027, 0.0026, 0.0012, 0.0002, -0.006)
    placed = []
    for ring, lift in zip(rings, out, strict=True):
        # Laid on the face, so that it shows evenly: the socket is not flat.
        points = head.front(y0 + k * ring[:, 0], z0 + k * ring[:, 1])
        points[:, 0] += k * lift
        placed.append(points)
    _lens(s, placed, colours, np.array([[x0 - 0.014 * k, y0, z0]]))


def _brow(s: Surface, head: Head, palette: Palette) -> None:
    k = head.height / 0.2275
    along = np.concatenate([np.linspace(-1, 1, 9), np.linspace(1, -1, 9)[1:-1]])
    side = np.concatenate([-np.ones(9), np.ones(7)])
    y = EYE[1] * head.breadth + k * (0.001 + 0.0185 * along)
    arch = 0.0045 * (1.0 - (along - 0.25) ** 2) - 0.0015 * along
    thick = 0.0026 * (1.0 - 0.55 * np.maximum(0, along)) * np.where(np.abs(along) == 1, 0.15, 1.0)
    z = head.low + 0.585 * head.height + k * (arch + thick * side)
    border = head.front(y, z)
    out = np.array([0.0022 * k, 0.0, 0.0])
    middle = border.mean(axis=0)
    inner = middle + 0.55 * (border - middle)
    inner[:, 0] = head.front(inner[:, 1], inner[:, 2])[:, 0]
    centre = head.front(middle[1:2], middle[2:3])
    rings = [centre + out, inner + out, border + 0.3 * out, border - 2.0 * out]
    _lens(s, rings, [palette.brow] * 4, middle[None] - 6.0 * out)


def _mouth(s: Surface, head: Head, palette: Palette) -> None:
    """Lips with a slight smile; the left half of a lens that ends in the middle plane."""
    k = head.height / 0.2275
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 13)
    across, up = np.cos(angles), np.sin(angles)
    across[[0, -1]] = 0.0
    rings, colours = [], []
    dark: Colour = (0.45 * palette.lips[0], 0.45 * palette.lips[1], 0.45 * palette.lips[2])
    for size, lift, colour in ((0.04, 0.0, dark), (0.12, 0.0012, dark), (0.45, 0.0030, palette.lips),
                               (0.80, 0.0022, palette.lips), (1.0, -0.0004, palette.lips)):  # fmt: skip
        y = k * 0.0255 * across * min(1.0, 0.72 + 0.28 * size if size > 0.1 else 0.70)
        z = 0.0072 * size * up * np.where(up > 0, 0.8, 1.0) * (1.0 - 0.25 * across**4)
        z = head.low + MOUTH * head.height + k * z + k * 0.0042 * (y / (0.0255 * k)) ** 2
        points = head.front(y, z)
        points[:, 0] += k * lift * (1.0 - 0.7 * across**6)
        rings.append(points)
        colours.append(colour)
    centre = head.front(np.zeros(1), np.array([head.low + MOUTH * head.height]))
    rings.append(rings[-1] - (0.004 * k, 0.0, 0.0))
    colours.append(palette.lips)
    _lens(s, [centre, *rings], [dark, *colours], centre - (0.012 * k, 0.0, 0.0), half=True)


def _ear(s: Surface, head: Head, palette: Palette) -> None:
    k = head.height / 0.2275
    share = 0.45
    side = head.ring(share, np.array([0.54 * np.pi]))[0]
    angles = np.linspace(0.0, 2.0 * np.pi, 14, endpoint=False)
    # Seen from the left: the front is to the left, so the ring runs from the back over the top.
    fore, up = -np.cos(angles), np.sin(angles)
    wide = np.where(up > 0, 0.0165, 0.0165 + 0.006 * up)
    rings = []
    for size, out in (
        (0.0, 0.002),
        (0.42, 0.002),
        (0.72, 0.006),
        (0.92, 0.007),
        (1.0, 0.004),
        (0.95, -0.002),
    ):
        y = side[1] + k * (out + 0.004 * size * (0.2 - fore) - 0.004 * (fore > 0.5))
        points = np.stack(
            [side[0] - 0.004 * k + k * size * wide * fore + k * size * 0.004 * up * -1.0, y,
             side[2] + k * 0.0285 * size * up], axis=1)  # fmt: skip
        rings.append(points if size else points[:1])
    # Rings run counter-clockwise about y here, as about x in `_lens`.
    back = np.array([[side[0] - 0.004 * k, side[1] - 0.010 * k, side[2]]])
    _lens(s, rings, [palette.skin] * 6, back)


def _hair(s: Surface, head: Head, palette: Palette) -> None:
    """A cap whose border dips into the head: where they cross is the hairline."""
    long = head.m.femininity > 0.75
    angles = ANGLES
    degrees = np.degrees(angles)
    knots = [0, 25, 48, 62, 74, 84, 92, 100, 112, 130, 180]
    line = [0.83, 0.83, 0.76, 0.64, 0.55, 0.44, 0.50, 0.50, 0.30, 0.16, 0.12]
    if long:
        line = [0.82, 0.81, 0.72, 0.60, 0.42, 0.16, 0.10, 0.06, 0.04, 0.02, 0.00]
    border = PchipInterpolator(knots, line)(degrees)
    k = head.height / 0.2275
    middle = np.array([head.middle - 0.01, 0.0, head.low + 0.55 * head.height])
    levels = [(0.0, -0.006), (0.03, 0.001), (0.08, 0.0055), (0.18, 0.0095), (0.32, 0.012), (0.48, 0.014),
              (0.63, 0.0155), (0.76, 0.016), (0.86, 0.0165), (0.94, 0.017), (0.985, 0.017)]  # fmt: skip
    last: Indices | None = None
    first: Indices | None = None
    for part, thick in levels:
        points = np.empty((COLUMNS, 3))
        for i in range(COLUMNS):
            share = border[i] + part * (1.0 - border[i])
            surface = head.ring(share, angles[i : i + 1])[0]
            out = (surface - middle) * (1.0, 1.0, 0.75 if share > 0.55 else 0.15)
            out[1] = 0.0 if surface[1] < 1e-9 else out[1]
            full = thick * (1.35 if long and thick > 0 else 1.0)
            full += 0.003 * part * max(0.0, np.cos(angles[i])) if thick > 0.005 else 0.0
            points[i] = surface + k * full * out / np.linalg.norm(out)
        ring = s.add(points, palette.hair, Part.HEAD)
        if last is None:
            first = ring
        else:
            s.join(last, ring, closed=False)
        last = ring
    assert last is not None
    assert first is not None
    top = s.add(
        np.array([[head.middle - 0.012, 0.0, head.low + head.height + 0.0165 * k]]), palette.hair, Part.HEAD
    )
    s.fan(last, int(top[0]), closed=False)
    inside = s.add(middle[None], palette.hair, Part.HEAD)
    s.fan(first, int(inside[0]), closed=False, flip=True)
