"""Arms with their hands, and legs with their shoes, as tubes that leave the trunk.

Every ring of an arm has 20 points, of a leg 24, of a digit 8. Girths are those of `Measures`; where
along a limb they lie, and the shapes of hand and shoe, were chosen by eye.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator

from elsewhere.bodies.human.anthropometry import Measures
from elsewhere.bodies.human.mesh import Array
from elsewhere.bodies.human.palette import Palette
from elsewhere.bodies.human.skeleton import DIGIT_PART, Digit, Skeleton
from elsewhere.bodies.human.surface import Indices, Part, Surface, circle, smooth_step, super_ellipse

ARM_RING, LEG_RING, DIGIT_RING = 20, 24, 8
SLEEVE_END = 0.60  # share of the upper arm
SLEEVE_EASE = 1.13
FLEXED = 0.94  # a relaxed arm against the flexed one that ANSUR measures
TROUSER_KNEE, TROUSER_HEM = 1.22, 1.62  # girth of the trousers over the leg's


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
        points = np.stack([shoulder[0] + deep * front, np.full(ARM_RING, y), shoulder[2] + high * up], axis=1)
        return points

    last = hole
    end = shoulder[1] + SLEEVE_END * upper
    for i, y in enumerate(np.linspace(start, end, 10)[1:]):
        share = (y - start) / (end - start)
        points = ring(y, 1.0 + (SLEEVE_EASE - 1.0) * float(smooth_step(share, 0.0, 0.4)))
        # The first rings grow out of the hole: its points, moved along, fade into the sleeve.
        fade = 1.0 - float(smooth_step(share, -0.05, 0.55))
        points = fade * (loop + (0.0, y - start, 0.0)) + (1.0 - fade) * points
        last = _next(s, last, points, palette.shirt, Part.ARM, seam=max(0.0, 0.4 - 0.06 * i))
    last = _next(s, last, ring(end + 0.003, SLEEVE_EASE), palette.trim, Part.ARM)
    last = _next(s, last, ring(end + 0.002, 1.03), palette.trim, Part.ARM)
    last = _next(s, last, ring(end - 0.004, 1.0), palette.skin, Part.ARM)
    for y in shoulder[1] + upper * np.array([0.70, 0.80, 0.88, 0.94]):
        last = _next(s, last, _elbow(ring(y, 1.0), elbow), palette.skin, Part.ARM)
    for y in elbow[1] + fore * np.array([-0.02, 0.03, 0.08, 0.15, 0.25, 0.36, 0.48, 0.60, 0.71, 0.81, 0.89, 0.95]):
        last = _next(s, last, _elbow(ring(y, 1.0), elbow), palette.skin, Part.ARM)
    _hand(s, m, skeleton, palette, last, ring)


def _elbow(points: Array, elbow: Array) -> Array:
    """The point of the elbow, at the back of the straight arm."""
    away = np.exp(-(((points[:, 1] - elbow[1]) / 0.028) ** 2) - ((points[:, 2] - elbow[2]) / 0.02) ** 2)
    points[:, 0] -= 0.007 * away * (points[:, 0] < elbow[0])
    return points


def _next(
    s: Surface, last: Indices, points: Array, colour: tuple[float, float, float], part: Part,
    *, flip: bool = False, along: float = 0.0, seam: float = 0.0,
) -> Indices:  # fmt: skip
    """One more ring of a tube."""
    ring = s.add(points, colour, part, along, seam)
    s.join(last, ring, closed=True, flip=flip)
    return ring


_TOP = np.array([0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -4, -3, -2, -1])
"""Place of each point of an arm's ring across the palm: 4 is the index finger's side, -4 the little's."""
_SIGN = np.where((np.arange(ARM_RING) < 5) | (np.arange(ARM_RING) > 15), 1.0, -1.0)


def _hand(s: Surface, m: Measures, skeleton: Skeleton, palette: Palette, last: Indices, ring) -> None:  # type: ignore[no-untyped-def]
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
        bulge = np.where(_SIGN > 0, 1.0, 1.0 + 0.25 * np.exp(-(((share - 0.25) / 0.15) ** 2)) * (across > -2))
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
        flat[:, 1] -= arc * long * (0.045 * np.clip(-across - 0.1, 0, 1) ** 1.3 + 0.012 * np.clip(across - 0.3, 0, 1))
        points = fade * flat + (1.0 - fade) * ring(wrist[1] + share * long, 1.0)
        rings.append(s.add(points, palette.skin, Part.ARM))
    for r in rings[1:7]:
        s.soften(r[2:9], 0.3)
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
    place = {int(t) if sign > 0 else int(t) + 100: int(palm[k]) for k, (t, sign) in enumerate(zip(_TOP, _SIGN, strict=True))}
    webs = {}
    for i in (-2, 0, 2):
        middle = 0.5 * (s.point(place[i]) + s.point(place[i + 100]))
        webs[i] = int(s.add((middle - (0.0, 0.002, 0.0))[None], palette.skin, Part.ARM, seam=0.2)[0])
    plus, minus = int(palm[5]), int(palm[15])
    for digit, low in (("index", 2), ("middle", 0), ("ring", -2), ("little", -4)):
        right = plus if digit == "index" else webs[low + 2]
        left = minus if digit == "little" else webs[low]
        base = np.array(
            [place[low + 1], place[low + 2], right, place[low + 102], place[low + 101], place[low + 100], left, place[low]]
        )
        _digit(s, skeleton.digits[digit], palette, base, np.array([0.0, 0.0, 1.0]), root=0.38)


def _thumb(s: Surface, skeleton: Skeleton, palette: Palette, rows: list[Indices]) -> None:
    """The thumb leaves the palm's side through a hole of three rows by two columns... of ten points."""
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
        start + 0.25 * (second - start), start + 0.58 * (second - start), second - reach, second, second + reach,
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
        last = _next(s, last, points, palette.skin, part, along=place, seam=0.3 * fade)
    tip = s.add(middle(total)[None], palette.skin, part, total)
    s.fan(last, int(tip[0]), closed=True)


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

    drop = np.concatenate([np.linspace(0.018, 0.13, 7), np.linspace(0.19, 1.0, 9)])
    for i, share in enumerate(drop):
        z = top - share * (top - hem)
        points = ring(z, 1.0)
        fade = 1.0 - float(smooth_step(share, 0.0, 0.20))
        points = fade * (outline + (0.0, 0.0, z - top)) + (1.0 - fade) * points
        points[:, 1] = np.maximum(points[:, 1], 0.004)  # the legs never touch
        last = _next(s, last, points, palette.trousers, Part.LEG, flip=True, seam=max(0.0, 0.45 - 0.07 * i))
    last = _next(s, last, ring(hem - 0.003, 0.985), palette.trousers, Part.LEG, flip=True)
    last = _next(s, last, ring(hem + 0.004, 0.80), palette.shoe, Part.LEG, flip=True)
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
        last = _next(s, last, points, palette.shoe, Part.LEG, flip=True)
    tip = np.array([[heel + long, ankle[1] - 0.006 * k, 0.015 * k]])
    apex = s.add(tip, palette.shoe, Part.LEG)
    s.fan(last, int(apex[0]), closed=True, flip=True)
    _sole(s, heel, long, wide, ankle[1], k, palette)


def _sole(s: Surface, heel: float, long: float, wide: float, middle: float, k: float, palette: Palette) -> None:
    """A flat plate under the shoe, a little wider than it."""
    shares = np.array([0.0, 0.02, 0.07, 0.16, 0.30, 0.45, 0.60, 0.72, 0.82, 0.90, 0.96, 0.99, 1.0])
    half = np.array([0.0, 0.35, 0.58, 0.70, 0.72, 0.80, 0.95, 1.03, 1.01, 0.89, 0.64, 0.36, 0.0])
    x = heel - 0.004 * k + (long + 0.007 * k) * np.concatenate([shares, shares[-2:0:-1]])
    out = np.concatenate([half, -half[-2:0:-1]]) * wide
    out += middle - 0.006 * k * smooth_step(x, heel + 0.5 * long, heel + long)

    def level(z: float, grow: float) -> Indices:
        centre = np.array([heel + 0.5 * long, middle])
        flat = centre + grow * (np.stack([x, out], axis=1) - centre)
        return s.add(np.column_stack([flat, np.full(len(x), z * k)]), palette.sole, Part.LEG)

    # From the heel over the left side: clockwise seen from above.
    loops = [level(0.0, 0.985), level(0.004, 1.0), level(0.017, 1.0), level(0.020, 0.97)]
    for near, far in zip(loops, loops[1:], strict=False):
        s.join(near, far, closed=True, flip=True)
    for ring, z, flip in ((loops[-1], 0.020, True), (loops[0], 0.0, False)):
        centre = s.add(np.array([[heel + 0.5 * long, middle, z * k]]), palette.sole, Part.LEG)
        s.fan(ring, int(centre[0]), closed=True, flip=flip)
