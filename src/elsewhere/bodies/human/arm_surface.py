"""Arms with their hands, as tubes that leave the trunk.

Every ring of an arm has 20 points, of a digit 8. Girths are those of `Measures`; where
along an arm they lie, and the shape of the hand, were chosen by eye.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.interpolate import PchipInterpolator

from elsewhere.bodies.human.anthropometry import Measures
from elsewhere.bodies.human.mesh import Array
from elsewhere.bodies.human.palette import Palette
from elsewhere.bodies.human.skeleton import DIGIT_PART, Digit, Skeleton
from elsewhere.bodies.human.surface import Indices, Part, Surface, circle, next_ring, smooth_step

ARM_RING = 20
SLEEVE_END = 0.60  # share of the upper arm
SLEEVE_EASE = 1.13
FLEXED = 0.94  # a relaxed arm against the flexed one that ANSUR measures


def build_arm(s: Surface, m: Measures, skeleton: Skeleton, palette: Palette, hole: Indices) -> None:
    """From the trunk's hole to the fingertips."""
    g = m.girths
    shoulder, elbow, wrist = (skeleton[f"left_{n}"] for n in ("upper_arm", "forearm", "hand"))
    upper, fore = elbow[1] - shoulder[1], wrist[1] - elbow[1]
    biceps, forearm, hand = (FLEXED * g.biceps, FLEXED * g.forearm, g.wrist)
    tau = 2.0 * np.pi
    stations = np.array(
        [
            # y, half height (z), half depth (x)
            (shoulder[1] - 0.3 * upper, 1.12 * biceps / tau, 1.25 * biceps / tau),
            (shoulder[1] + 0.02 * upper, 1.08 * biceps / tau, 1.20 * biceps / tau),
            (shoulder[1] + 0.22 * upper, 1.03 * biceps / tau, 1.10 * biceps / tau),
            (shoulder[1] + 0.50 * upper, 0.98 * biceps / tau, 1.02 * biceps / tau),
            (shoulder[1] + 0.80 * upper, 0.86 * biceps / tau, 0.88 * biceps / tau),
            (elbow[1], 0.90 * forearm / tau, 0.97 * forearm / tau),
            (elbow[1] + 0.22 * fore, 0.97 * forearm / tau, 1.03 * forearm / tau),
            (elbow[1] + 0.50 * fore, 0.85 * forearm / tau, 0.92 * forearm / tau),
            (elbow[1] + 0.82 * fore, 0.86 * hand / tau, 1.12 * hand / tau),
            (wrist[1], 0.80 * hand / tau, 1.16 * hand / tau),
            (wrist[1] + 0.2 * fore, 0.74 * hand / tau, 1.25 * hand / tau),
        ]
    )
    curves = PchipInterpolator(stations[:, 0], stations[:, 1:], axis=0)
    up, front = circle(ARM_RING)
    loop = s.points(hole)
    start = float(loop[:, 1].mean())

    def ring(y: float, ease: float) -> Array:
        high, deep = ease * curves(y)
        points = np.stack(
            [shoulder[0] + deep * front, np.full(ARM_RING, y), shoulder[2] + high * up], axis=1
        )
        return points

    last = hole
    end = shoulder[1] + SLEEVE_END * upper
    for i, y in enumerate(np.linspace(start, end, 10)[1:]):
        share = (y - start) / (end - start)
        points = ring(y, 1.0 + (SLEEVE_EASE - 1.0) * float(smooth_step(share, 0.0, 0.4)))
        # The first rings grow out of the hole: its points, moved along, fade into the sleeve.
        fade = 1.0 - float(smooth_step(share, -0.05, 0.55))
        points = fade * (loop + np.array([0.0, y - start, 0.0])) + (1.0 - fade) * points
        last = next_ring(s, last, points, palette.shirt, Part.ARM, seam=max(0.0, 0.4 - 0.06 * i))
    last = next_ring(s, last, ring(end + 0.003, SLEEVE_EASE), palette.trim, Part.ARM)
    last = next_ring(s, last, ring(end + 0.002, 1.03), palette.trim, Part.ARM)
    last = next_ring(s, last, ring(end - 0.004, 1.0), palette.skin, Part.ARM)
    for y in shoulder[1] + upper * np.array([0.70, 0.80, 0.88, 0.94]):
        last = next_ring(s, last, _elbow(ring(y, 1.0), elbow), palette.skin, Part.ARM)
    for y in elbow[1] + fore * np.array(
        [-0.02, 0.03, 0.08, 0.15, 0.25, 0.36, 0.48, 0.60, 0.71, 0.81, 0.89, 0.95]
    ):
        last = next_ring(s, last, _elbow(ring(y, 1.0), elbow), palette.skin, Part.ARM)
    _hand(s, m, skeleton, palette, last, ring)


def _elbow(points: Array, elbow: Array) -> Array:
    """The point of the elbow, at the back of the straight arm."""
    away = np.exp(-(((points[:, 1] - elbow[1]) / 0.028) ** 2) - ((points[:, 2] - elbow[2]) / 0.02) ** 2)
    points[:, 0] -= 0.007 * away * (points[:, 0] < elbow[0])
    return points


_TOP = np.array([0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -4, -3, -2, -1])
"""Place of each point of an arm's ring across the palm: 4 is the index finger's side, -4 the little's."""
_SIGN = np.where((np.arange(ARM_RING) < 5) | (np.arange(ARM_RING) > 15), 1.0, -1.0)


def _hand(
    s: Surface,
    m: Measures,
    skeleton: Skeleton,
    palette: Palette,
    last: Indices,
    ring: Callable[[float, float], Array],
) -> None:
    """Palm and digits; `ring` gives the arm's own rings, which the palm grows out of."""
    wrist = skeleton["left_hand"]
    long, wide = m.length("hand"), 0.5 * m.girths.hand_breadth
    # Share of the hand's length, half width, half thickness, shift towards the index side.
    table = np.array(
        [
            (0.00, 0.66, 0.44, 0.00),
            (0.10, 0.72, 0.41, 0.01),
            (0.22, 0.92, 0.39, 0.06),
            (0.34, 0.98, 0.37, 0.04),
            (0.46, 0.98, 0.31, 0.01),
            (0.57, 0.95, 0.25, 0.00),
        ]
    )
    curves = PchipInterpolator(table[:, 0], table[:, 1:], axis=0)
    rings = []
    for share in (0.03, 0.09, 0.16, 0.235, 0.315, 0.39, 0.45, 0.51, 0.565):
        half, thick, shift = wide * curves(share)
        across = np.clip(_TOP / 4.25, -1.0, 1.0)
        across = np.where(np.abs(_TOP) == 5, np.sign(_TOP) * 1.0, across)
        round_off = (1.0 - np.abs(across) ** 2.8) ** (1 / 2.2)
        bulge = np.where(
            _SIGN > 0, 1.0, 1.0 + 0.25 * np.exp(-(((share - 0.25) / 0.15) ** 2)) * (across > -2)
        )
        flat = np.stack(
            [
                wrist[0] + shift + half * across,
                np.full(ARM_RING, wrist[1] + share * long),
                wrist[2] + thick * _SIGN * round_off * bulge,
            ],
            axis=1,
        )
        fade = float(smooth_step(share, -0.02, 0.22))
        # The knuckles lie on an arc: the little finger's is nearer to the wrist.
        arc = float(smooth_step(share, 0.25, 0.56))
        flat[:, 1] -= (
            arc * long * (0.045 * np.clip(-across - 0.1, 0, 1) ** 1.3 + 0.012 * np.clip(across - 0.3, 0, 1))
        )
        points = fade * flat + (1.0 - fade) * ring(wrist[1] + share * long, 1.0)
        rings.append(s.add(points, palette.skin, Part.ARM))
    for row in rings[1:7]:
        s.soften(row[2:9], 0.3)
    thumb = (2, 5)  # the thumb leaves between these rings of the palm
    s.join(last, rings[0], closed=True)
    for r in range(len(rings) - 1):
        if thumb[0] <= r < thumb[1]:
            keep = np.concatenate([np.arange(6, ARM_RING), np.arange(5)])
            s.join(rings[r][keep], rings[r + 1][keep], closed=False)
        else:
            s.join(rings[r], rings[r + 1], closed=True)
    _thumb(s, skeleton, palette, rings[thumb[0] : thumb[1] + 1])
    _fingers(s, skeleton, palette, rings[-1])


def _fingers(s: Surface, skeleton: Skeleton, palette: Palette, palm: Indices) -> None:
    """Split the palm's last ring into four digits, with a web between neighbours."""
    place = {  # by the place across the palm, on its back; 100 more on its inside
        int(t) if sign > 0 else int(t) + 100: int(palm[k])
        for k, (t, sign) in enumerate(zip(_TOP, _SIGN, strict=True))
    }
    webs = {}
    for i in (-2, 0, 2):
        middle = 0.5 * (s.point(place[i]) + s.point(place[i + 100]))
        webs[i] = int(s.add((middle - (0.0, 0.002, 0.0))[None], palette.skin, Part.ARM, seam=0.2)[0])
    plus, minus = int(palm[5]), int(palm[15])
    for digit, low in (("index", 2), ("middle", 0), ("ring", -2), ("little", -4)):
        right = plus if digit == "index" else webs[low + 2]
        left = minus if digit == "little" else webs[low]
        base = np.array(
            [
                place[low + 1],
                place[low + 2],
                right,
                place[low + 102],
                place[low + 101],
                place[low + 100],
                left,
                place[low],
            ]
        )
        _digit(s, skeleton.digits[digit], palette, base, np.array([0.0, 0.0, 1.0]), root=0.38)


def _thumb(s: Surface, skeleton: Skeleton, palette: Palette, rows: list[Indices]) -> None:
    """The thumb leaves the palm's side through a hole of three rows by two columns: ten points."""
    upper, middle, lower = 4, 5, 6
    base = np.array(
        [rows[-1][middle], rows[-1][upper], *[r[upper] for r in rows[-2:0:-1]], rows[0][upper],
         rows[0][middle], rows[0][lower], *[r[lower] for r in rows[1:-1]], rows[-1][lower]]
    )  # fmt: skip
    _digit(s, skeleton.digits["thumb"], palette, base, np.array([0.0, 1.0, 0.0]), root=0.55)


def _digit(s: Surface, digit: Digit, palette: Palette, base: Indices, first: Array, root: float) -> None:
    """A tube along the bones, from the `root` share of the first bone to the tip.

    `first` is the direction in which point 0 of a ring lies, before it is made square to the bones.
    """
    part = DIGIT_PART[digit.name]
    joints = np.vstack([digit.joints, digit.tip])
    lengths = np.linalg.norm(np.diff(joints, axis=0), axis=1)
    ends = np.concatenate([[0.0], np.cumsum(lengths)])
    total = ends[-1]
    middle = PchipInterpolator(ends, joints, axis=0)
    direction = middle.derivative()
    start, second, third = root * lengths[0], ends[1], ends[2]
    reach = 0.16 * lengths[1]
    along = [
        start + 0.25 * (second - start), start + 0.58 * (second - start),
        second - reach, second, second + reach,
        0.5 * (second + third), third - reach, third, third + reach,
        total - 0.95 * digit.radius, total - 0.42 * digit.radius, total - 0.10 * digit.radius,
    ]  # fmt: skip
    swell = [1.04, 1.0, 1.02, 1.04, 1.02, 0.97, 0.97, 0.97, 0.94, 0.90, 0.70, 0.36]
    if digit.name == "thumb":
        swell[:4] = [1.75, 1.40, 1.12, 1.08]
    count = len(base)
    c, q = circle(count)
    last = base
    for place, size in zip(along, swell, strict=True):
        d = direction(place) / np.linalg.norm(direction(place))
        e0 = first - (first @ d) * d
        e0 /= np.linalg.norm(e0)
        e1 = np.cross(d, e0)
        r = digit.radius * size
        points = middle(place) + r * (c[:, None] * e0 + q[:, None] * e1)
        share = (place - start) / (second - start)
        fade = 1.0 - float(smooth_step(share, 0.0, 0.9 if digit.name == "thumb" else 0.7))
        if fade > 0:
            mean = s.points(base).mean(axis=0)
            points = fade * (s.points(base) + middle(place) - mean) * 1.0 + (1.0 - fade) * points
        last = next_ring(s, last, points, palette.skin, part, along=place, seam=0.3 * fade)
    tip = s.add(middle(total)[None], palette.skin, part, total)
    s.fan(last, int(tip[0]), closed=True)
