"""The room itself and what furnishes it: floor, walls, window, rug, shelf, plant, lamp, chair, picture.

Only walls, shelf and chair can be touched, as one box each: the rest is for the eye. The palette is
warm and quiet (oak, linen, sage, terracotta, ochre), so that the things on the table stand out.
"""

from __future__ import annotations

from math import pi
from typing import Any

import mujoco
import numpy as np

from elsewhere.world import shapes, textures
from elsewhere.world.shapes import MESH, box, geom, rod
from elsewhere.world.textures import Image, glow, grid, patch

X = (-2.0, 3.2)  # the room's walls [m]
Y = (-2.4, 2.4)
HEIGHT = 2.5
LAMP = (2.75, -1.75)
SHELF = (3.02, -0.75)
PLANT = (2.68, 1.85)
CHAIR = (2.45, 0.72)
RUG = ((1.75, -0.1), (0.95, 1.35))
WINDOW = ((0.75, 1.5), (0.72, 0.62))  # on the front wall: y, z of the centre, half sizes

PLAIN: dict[str, tuple[float, float, float]] = {
    "oak": (0.66, 0.47, 0.30),
    "oak_dark": (0.47, 0.32, 0.20),
    "white": (0.93, 0.91, 0.87),
    "linen": (0.86, 0.79, 0.68),
    "sage": (0.49, 0.58, 0.46),
    "sage_dark": (0.40, 0.49, 0.38),
    "leaf": (0.30, 0.48, 0.29),
    "terracotta": (0.74, 0.42, 0.30),
    "soil": (0.24, 0.18, 0.14),
    "brass": (0.72, 0.58, 0.34),
    "cushion": (0.84, 0.64, 0.36),
    "charcoal": (0.20, 0.20, 0.22),
    "ceiling": (0.95, 0.93, 0.89),
}


def furnish(spec: mujoco.MjSpec) -> None:
    """Add the room and its furniture.

    What is only seen is one body, `room`. What can be touched is a body each, so that its bounding
    box is tight and MuJoCo need not look inside: one body for all would cost 30 us a step.
    """
    for name, colour in PLAIN.items():
        shapes.material(spec, name, colour)
    shapes.material(spec, "glow", (1.0, 0.86, 0.62), specular=0.0, emission=0.75)
    # Drawn in this order: what stands in front first, so that hidden pixels are never painted.
    room = spec.worldbody.add_body(name="room")
    _chair(spec)
    _plant(spec, room)
    _lamp(spec, room)
    _shelf(spec, room)
    _window(spec, room)
    _picture(spec, room)
    _walls(spec, room)
    _floor(spec, spec.worldbody.add_body(name="floor"))


def _floor(spec: mujoco.MjSpec, body: Any) -> None:
    wide, deep = X[1] - X[0], Y[1] - Y[0]
    middle = (0.5 * (X[0] + X[1]), 0.5 * (Y[0] + Y[1]))
    x, y = grid(640, 592, wide, deep)
    x, y = x + middle[0], y + middle[1]
    image = textures.planks(
        x,
        y,
        board=0.13,
        length=1.3,
        seed=3,
        tones=[(0.74, 0.58, 0.42), (0.70, 0.54, 0.38), (0.77, 0.61, 0.45)],
    )
    image = _rug(image, x, y)
    shade = (
        0.42 * patch(x, y, (0.66, 0.0), (0.27, 0.55), 0.5)  # under the table
        + 0.55 * patch(x, y, SHELF, (0.17, 0.62), 0.35)
        + 0.45 * patch(x, y, CHAIR, (0.36, 0.36), 0.3)
        + 0.40 * patch(x, y, PLANT, (0.13, 0.13), 0.25)
        + 0.35 * patch(x, y, LAMP, (0.10, 0.10), 0.25)
        + 0.25 * (1.0 - patch(x, y, middle, (0.5 * wide, 0.5 * deep), 0.6))
    )
    light = 0.16 * patch(x + 0.35 * y, y, (2.0, 0.75), (0.75, 0.62), 0.10) + 0.14 * glow(x, y, LAMP, 0.9)
    image *= ((1.0 - np.clip(shade, 0.0, 0.7)) * (1.0 + light))[..., None]
    textures.add(spec, "floor", image, specular=0.05)
    box(body, (*middle, -0.05), (0.5 * wide, 0.5 * deep, 0.05), "floor", touch=True, name="floor")


def _rug(image: Image, x: Image, y: Image) -> Image:
    """Lay a rug on the floor's picture: a border, two stripes and a quiet field of diamonds."""
    (cx, cy), (hx, hy) = RUG
    u, v = (x - cx) / hx, (y - cy) / hy
    edge = np.maximum(np.abs(u) * hx - hx, np.abs(v) * hy - hy)  # distance to the rim, inside negative
    field = np.where(
        (np.abs(u * hx * 5 % 1 - 0.5) + np.abs(v * hy * 5 % 1 - 0.5) < 0.28)[..., None], 1.0, 0.0
    )
    cloth = (1 - field) * np.array((0.80, 0.70, 0.57)) + field * np.array((0.74, 0.58, 0.46))
    cloth = np.where((edge > -0.20)[..., None], np.array((0.62, 0.37, 0.29)), cloth)
    cloth = np.where(((edge > -0.15) & (edge < -0.12))[..., None], np.array((0.86, 0.77, 0.64)), cloth)
    cloth = np.where((edge > -0.035)[..., None], np.array((0.84, 0.75, 0.62)), cloth)
    cloth = cloth * np.random.default_rng(5).normal(1.0, 0.025, x.shape)[..., None]
    shadow = 1.0 - 0.25 * patch(x, y, (cx, cy), (hx + 0.01, hy + 0.01), 0.06)[..., None]
    return np.where((edge < 0)[..., None], cloth, image * shadow)


def _walls(spec: mujoco.MjSpec, body: Any) -> None:
    """Four walls whose pictures carry the soft shading of the corners and the lamp's glow."""
    middle = (0.5 * (X[0] + X[1]), 0.5 * (Y[0] + Y[1]))
    wide, deep = X[1] - X[0], Y[1] - Y[0]
    thick, half = 0.05, 0.5 * HEIGHT
    # name, centre, the wall's length, its yaw (its picture's x runs along it), lamp's place on it
    walls = [
        ("front", (X[1] + thick, middle[1]), deep, -pi / 2, -LAMP[1]),
        ("back", (X[0] - thick, middle[1]), deep, pi / 2, None),
        ("left", (middle[0], Y[1] + thick), wide, 0.0, None),
        ("right", (middle[0], Y[0] - thick), wide, pi, middle[0] - LAMP[0]),
    ]
    for name, (cx, cy), length, yaw, lamp in walls:
        u, v = grid(96, 64, length, HEIGHT)
        tone = (0.84, 0.79, 0.71) if name in ("front", "back") else (0.98, 0.93, 0.84)
        image = textures.flat(u, tone)
        corner = np.minimum(0.5 * length - np.abs(u), np.minimum(v + half, half - v))
        image *= (1.0 - 0.20 * np.exp(-corner / 0.16))[..., None] * (1.0 - 0.05 * v / half)[..., None]
        if lamp is not None:
            warm = glow(u, v, (lamp, 1.45 - half), 0.75)[..., None]
            image *= 1.0 + warm * np.array((0.24, 0.16, 0.02))
        textures.add(spec, f"wall_{name}", image)
        # The box's own z looks into the room and its y up, so that the picture stands upright.
        quaternion = _upright(yaw)
        wall = spec.worldbody.add_body(name=f"wall_{name}", pos=(cx, cy, half), quat=quaternion)
        box(wall, (0, 0, 0), (0.5 * length, half, thick), f"wall_{name}", touch=True)
    box(body, (*middle, HEIGHT + 0.03), (0.5 * wide, 0.5 * deep, 0.03), "ceiling")
    for cx, cy, hx, hy in (
        (X[1] - 0.008, middle[1], 0.008, 0.5 * deep),
        (middle[0], Y[1] - 0.008, 0.5 * wide, 0.008),
        (middle[0], Y[0] + 0.008, 0.5 * wide, 0.008),
    ):
        box(body, (cx, cy, 0.05), (hx, hy, 0.05), "white")


def _upright(yaw: float) -> tuple[float, float, float, float]:
    """Quaternion that stands a box up: its x along the wall, its y up, turned by `yaw` about z."""
    q = np.zeros(4)
    mujoco.mju_mulQuat(
        q, np.array([np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]), np.array([0.5**0.5, 0.5**0.5, 0, 0])
    )
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def _window(spec: mujoco.MjSpec, body: Any) -> None:
    (cy, cz), (hy, hz) = WINDOW
    u, v = grid(160, 128, 2.0, 2.0)
    sky = np.clip((v + 0.35) / 1.35, 0.0, 1.0)[..., None]
    image = (1 - sky) * np.array((0.98, 0.90, 0.78)) + sky * np.array((0.62, 0.78, 0.91))
    far = -0.18 + 0.10 * np.sin(2.1 * u + 0.6) + 0.05 * np.sin(5.3 * u)
    near = -0.52 + 0.12 * np.sin(1.7 * u + 2.4) + 0.03 * np.sin(9.0 * u)
    image = np.where((v < far)[..., None], np.array((0.60, 0.69, 0.66)), image)
    image = np.where(
        (v < near)[..., None], np.array((0.50, 0.60, 0.42)) * (1.05 + 0.25 * v[..., None]), image
    )
    textures.add(spec, "view", image, emission=0.45)
    x = X[1] - 0.004
    box(body, (x, cy, cz), (hy, hz, 0.003), "view", quat=_upright(-pi / 2))
    bar = 0.03
    for side in (-1, 1):
        box(body, (x - 0.012, cy + side * hy, cz), (0.02, bar, hz + bar), "white")
        box(body, (x - 0.012, cy, cz + side * hz), (0.02, hy + bar, bar), "white")
        at = (x - 0.05, cy + side * (hy + 0.16), cz - 0.05)
        box(body, at, (0.16, hz + 0.18, 0.025), "curtain", quat=_upright(-pi / 2))
    box(body, (x - 0.01, cy, cz), (0.012, 0.013, hz), "white")
    box(body, (x - 0.01, cy, cz + 0.15), (0.012, hy, 0.013), "white")
    box(body, (x - 0.06, cy, cz - hz - 0.03), (0.07, hy + 0.06, 0.015), "white")
    rod(body, (x - 0.05, cy, cz + hz + 0.14), 0.012, hy + 0.42, "brass", quat=(0.5**0.5, 0.5**0.5, 0, 0))
    fold, _ = grid(64, 4, 1.0, 1.0)
    cloth = np.array((0.88, 0.78, 0.66)) * (0.93 + 0.09 * np.cos(fold * 2 * pi * 5))[..., None]
    textures.add(spec, "curtain", cloth)


def _shelf(spec: mujoco.MjSpec, body: Any) -> None:
    """A low bookcase: boards for the eye, one box for touch, a row of books as one picture each."""
    cx, cy = SHELF
    hx, hy, top = 0.16, 0.60, 1.02
    shapes.hull(spec.worldbody.add_body(name="shelf"), (cx, cy, 0.5 * top), (hx, hy, 0.5 * top))
    box(body, (cx + hx - 0.01, cy, 0.5 * top), (0.01, hy, 0.5 * top), "oak_dark")
    for side in (-1, 0, 1):
        box(body, (cx, cy + side * (hy - 0.013), 0.5 * top), (hx, 0.013, 0.5 * top), "oak")
    for z in (0.05, 0.37, 0.69, top):
        box(body, (cx, cy, z), (hx, hy, 0.013), "oak")
    colours = [
        (0.74, 0.42, 0.30),
        (0.49, 0.58, 0.46),
        (0.83, 0.68, 0.40),
        (0.35, 0.43, 0.52),
        (0.88, 0.82, 0.72),
    ]
    rng = np.random.default_rng(11)
    for row, (z, y, width) in enumerate(((0.50, -0.30, 0.22), (0.83, 0.26, 0.25), (0.18, 0.28, 0.24))):
        picture = np.zeros((8, 128, 3))
        start = 0
        while start < 128:
            thick = int(rng.integers(6, 13))
            colour = np.array(colours[rng.integers(len(colours))]) * rng.uniform(0.85, 1.05)
            picture[:, start : start + thick] = colour
            picture[5:6, start + 1 : start + thick - 1] *= 1.18
            picture[:, start : start + 1] *= 0.55
            start += thick
        textures.add(spec, f"books{row}", picture)
        box(body, (cx - 0.02, cy + y, z), (width, 0.115, 0.11), f"books{row}", quat=_upright(-pi / 2))
    rod(body, (cx, cy - 0.33, 0.76), 0.065, 0.055, "terracotta")
    rod(body, (cx, cy + 0.30, 0.45), 0.08, 0.07, "linen")
    shapes.turned(
        spec, "vase", [(0.0, 0.0), (0.06, 0.0), (0.085, 0.09), (0.05, 0.17), (0.03, 0.2), (0.045, 0.23)]
    )
    geom(body, MESH, (cx, cy + 0.36, top + 0.013), (), "sage", meshname="vase")


def _plant(spec: mujoco.MjSpec, body: Any) -> None:
    x, y = PLANT
    shapes.turned(
        spec,
        "pot",
        [(0.0, 0.0), (0.13, 0.0), (0.175, 0.30), (0.185, 0.34), (0.16, 0.34), (0.15, 0.28), (0, 0.28)],
    )
    shapes.foliage(spec, "leaves", 17, 0.78, 2)
    geom(body, MESH, (x, y, 0.0), (), "terracotta", meshname="pot")
    rod(body, (x, y, 0.285), 0.152, 0.003, "soil")
    geom(body, MESH, (x, y, 0.28), (), "leaf", meshname="leaves")


def _lamp(spec: mujoco.MjSpec, body: Any) -> None:
    x, y = LAMP
    shapes.turned(spec, "shade", [(0.20, 0.0), (0.13, 0.28)])
    rod(body, (x, y, 0.012), 0.14, 0.012, "charcoal")
    rod(body, (x, y, 0.70), 0.011, 0.70, "brass")
    geom(body, MESH, (x, y, 1.33), (), "glow", meshname="shade")


def _chair(spec: mujoco.MjSpec) -> None:
    """An armchair, turned half towards the table."""
    x, y = CHAIR
    chair = spec.worldbody.add_body(
        name="chair", pos=(x, y, 0.0), quat=(np.cos(-1.15), 0.0, 0.0, np.sin(-1.15))
    )
    shapes.hull(chair, (0.0, 0.0, 0.35), (0.36, 0.36, 0.33))
    box(chair, (0.02, 0.0, 0.22), (0.34, 0.36, 0.10), "sage_dark")
    box(chair, (0.06, 0.0, 0.375), (0.30, 0.27, 0.06), "sage")
    for side in (-1, 1):
        box(chair, (0.02, side * 0.32, 0.40), (0.34, 0.055, 0.13), "sage_dark")
        geom(
            chair,
            shapes.CAPSULE,
            (0.02, side * 0.32, 0.53),
            (0.055, 0.29),
            "sage_dark",
            quat=(0.5**0.5, 0, 0.5**0.5, 0),
        )
    box(chair, (-0.31, 0.0, 0.55), (0.07, 0.36, 0.30), "sage_dark", quat=(0.995, 0, -0.1, 0))
    geom(
        chair,
        shapes.ELLIPSOID,
        (-0.16, 0.03, 0.58),
        (0.075, 0.19, 0.16),
        "cushion",
        quat=(0.985, 0, -0.17, 0),
    )
    for sx in (-0.28, 0.30):
        for sy in (-0.30, 0.30):
            rod(chair, (sx, sy, 0.06), 0.02, 0.06, "oak_dark")


def _picture(spec: mujoco.MjSpec, body: Any) -> None:
    """A painting above the shelf: hills under a low sun."""
    u, v = grid(96, 72, 2.0, 1.5)
    image = textures.flat(u, (0.93, 0.85, 0.73))
    image = np.where(
        ((u - 0.35) ** 2 + (v - 0.18) ** 2 < 0.075)[..., None], np.array((0.85, 0.52, 0.33)), image
    )
    for height, wave, phase, colour in (
        (-0.05, 2.2, 0.4, (0.72, 0.70, 0.60)),
        (-0.28, 1.6, 2.2, (0.50, 0.57, 0.50)),
        (-0.50, 2.4, 4.0, (0.32, 0.40, 0.40)),
    ):
        image = np.where((v < height + 0.13 * np.sin(wave * u + phase))[..., None], np.array(colour), image)
    textures.add(spec, "painting", image)
    x, y, z = X[1] - 0.02, SHELF[1], 1.62
    box(body, (x, y, z), (0.40, 0.30, 0.012), "painting", quat=_upright(-pi / 2))
    for side in (-1, 1):
        box(body, (x, y + side * 0.41, z), (0.016, 0.014, 0.324), "oak_dark")
        box(body, (x, y, z + side * 0.31), (0.016, 0.424, 0.014), "oak_dark")
