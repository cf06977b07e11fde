"""What stands on the table: blocks and a tray, two canisters, a lever switch, a peg and its board.

Solid shapes are chosen for cheap and steady contacts: boxes and capsules, few of them. Friction is
that of painted wood. Torsional friction is left to the finger pads, whose contacts have priority:
with it everywhere (condim 4) a thing wedged between others makes MuJoCo's solver fail, and fly.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import mujoco

from elsewhere.world import shapes
from elsewhere.world.shapes import CAPSULE, box, geom, rod

TABLE_TOP = 0.75
TABLE_X = (0.35, 0.95)
TABLE_Y = (-0.60, 0.60)

BLOCK = 0.0225  # half the edge of a block
BLOCK_MASS = 0.08
BLOCKS = ("block_red", "block_yellow", "block_blue")
TRAY_INNER = (0.09, 0.07)  # half sizes along x, y
TRAY_RIM = 0.008  # width of the rim
TRAY_WALL = 0.012  # height of the rim above the tray's floor
TRAY_FLOOR = 0.006
CANISTER_RADIUS = 0.033
CANISTER_HALF = 0.06
CANISTERS = {"canister_light": 0.3, "canister_heavy": 1.2}
PEG_RADIUS = 0.00805  # AVATRINA's peg: 16.1 mm in a hole of 20.7 mm
PEG_HALF = 0.06
HOLE_RADIUS = 0.01035
BOARD = (0.79, 0.02)  # where the peg board stands
BOARD_HEIGHT = 0.044
HOLES = 0.045  # each hole's distance from the board's middle, along y
LEVER = (0.80, -0.40)
LEVER_AXLE = 0.085  # height of the axle above the table
LEVER_RANGE = 0.6  # rad, either way
LEVER_UP = 0.35

_SOLID: dict[str, Any] = {
    "touch": True,
    "condim": 3,
    "friction": (1.0, 0.005, 0.0001),
    "solref": (0.006, 1.0),
    "solimp": (0.95, 0.99, 0.001, 0.5, 2.0),
}


def set_table(spec: mujoco.MjSpec) -> None:
    """Add the table and everything on it."""
    for name, colour in {
        "red": (0.78, 0.24, 0.19),
        "yellow": (0.90, 0.70, 0.27),
        "blue": (0.22, 0.41, 0.60),
        "tin": (0.70, 0.73, 0.72),
        "label": (0.36, 0.50, 0.50),
        "tray": (0.93, 0.90, 0.84),
        "peg": (0.80, 0.50, 0.26),
        "lit": (0.35, 0.80, 0.42),
    }.items():
        shapes.material(spec, name, colour, specular=0.2, emission=0.0)
    _table(spec)
    for name in BLOCKS:
        body = spec.worldbody.add_body(name=name, pos=(0.5, 0.0, TABLE_TOP + BLOCK))
        body.add_freejoint(name=name)
        box(
            body,
            (0, 0, 0),
            (BLOCK, BLOCK, BLOCK),
            name.removeprefix("block_"),
            name=name,
            mass=BLOCK_MASS,
            **_SOLID,
        )
    _tray(spec)
    for name, mass in CANISTERS.items():
        _canister(spec, name, mass)
    _lever(spec)
    _board(spec)
    _peg(spec)


def _table(spec: mujoco.MjSpec) -> None:
    # Top and legs are two bodies: the top's bounding box is then thin, and most of the arms are clear.
    table, legs = spec.worldbody.add_body(name="table"), spec.worldbody.add_body(name="table_legs")
    cx, cy = 0.5 * sum(TABLE_X), 0.5 * sum(TABLE_Y)
    hx, hy = 0.5 * (TABLE_X[1] - TABLE_X[0]), 0.5 * (TABLE_Y[1] - TABLE_Y[0])
    box(table, (cx, cy, TABLE_TOP - 0.018), (hx, hy, 0.018), "table", name="table", **_SOLID)
    box(legs, (cx, cy, TABLE_TOP - 0.065), (hx - 0.06, hy - 0.06, 0.03), "oak_dark")
    for x in (TABLE_X[0] + 0.07, TABLE_X[1] - 0.06):
        for y in (TABLE_Y[0] + 0.06, TABLE_Y[1] - 0.06):
            box(legs, (x, y, 0.355), (0.024, 0.024, 0.355), "oak_dark", touch=True)


def _tray(spec: mujoco.MjSpec) -> None:
    """A tray fixed to the table by two slides with friction: heavy enough to stay when touched."""
    tray = spec.worldbody.add_body(name="tray", pos=(0.52, -0.3, TABLE_TOP))
    for axis, name in (((1, 0, 0), "tray_x"), ((0, 1, 0), "tray_y")):
        tray.add_joint(
            name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis, frictionloss=40.0, damping=200.0
        )
    hx, hy = TRAY_INNER
    wall = 0.5 * (TRAY_FLOOR + TRAY_WALL)
    box(tray, (0, 0, 0.5 * TRAY_FLOOR), (hx, hy, 0.5 * TRAY_FLOOR), "tray", name="tray", mass=1.5, **_SOLID)
    for side in (-1, 1):
        x, y = side * (hx + 0.5 * TRAY_RIM), side * (hy + 0.5 * TRAY_RIM)
        box(tray, (x, 0, wall), (0.5 * TRAY_RIM, hy + TRAY_RIM, wall), "oak", mass=0.1, **_SOLID)
        box(tray, (0, y, wall), (hx, 0.5 * TRAY_RIM, wall), "oak", mass=0.1, **_SOLID)


def _canister(spec: mujoco.MjSpec, name: str, mass: float) -> None:
    body = spec.worldbody.add_body(name=name, pos=(0.55, 0.3, TABLE_TOP + CANISTER_HALF))
    body.add_freejoint(name=name)
    size = (CANISTER_RADIUS, CANISTER_HALF)
    geom(body, shapes.CYLINDER, (0, 0, 0), size, "tin", name=name, mass=mass, **_SOLID)
    rod(body, (0, 0, -0.004), CANISTER_RADIUS + 0.0006, 0.036, "label", mass=0.0)


def _lever(spec: mujoco.MjSpec) -> None:
    """A switch with two rests: the joint's spring pushes away from the middle, towards either stop."""
    x, y = LEVER
    house = spec.worldbody.add_body(name="switch", pos=(x, y, TABLE_TOP))
    box(house, (0.03, 0, 0.065), (0.03, 0.045, 0.065), "charcoal", name="switch", **_SOLID)
    rod(house, (0.03, 0, 0.132), 0.02, 0.004, "lit", name="indicator")
    lever = house.add_body(name="lever", pos=(0.0, 0.0, LEVER_AXLE))
    spec.add_exclude(bodyname1="switch", bodyname2="lever")
    lever.add_joint(
        name="lever",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=(0, 1, 0),
        range=(-LEVER_RANGE, LEVER_RANGE),
        limited=True,
        stiffness=(-1.2, 0.0, 1.0),
        frictionloss=0.05,
        damping=0.02,
        armature=0.0005,
    )
    across = (0.5**0.5, 0.0, 0.5**0.5, 0.0)
    geom(lever, CAPSULE, (-0.045, 0, 0), (0.008, 0.040), "tin", quat=across, mass=0.05, **_SOLID)
    geom(lever, shapes.SPHERE, (-0.095, 0, 0), (0.016,), "red", mass=0.03, name="lever", **_SOLID)


def _board(spec: mujoco.MjSpec) -> None:
    """A board with two holes 20.7 mm across: a square one, where the peg waits, and an eight-sided goal."""
    board = spec.worldbody.add_body(name="peg_board", pos=(*BOARD, TABLE_TOP))
    r, z, out = HOLE_RADIUS, 0.5 * BOARD_HEIGHT, 0.035
    strip = 0.5 * (out - r)
    ends = 0.085
    for side in (-1, 1):
        box(board, (side * (r + strip), 0, z), (strip, ends, z), "oak", **_SOLID)
        half = 0.5 * (ends - HOLES - r)
        box(board, (0, side * (HOLES + r + half), z), (r, half, z), "oak", **_SOLID)
    box(board, (0, 0, z), (r, HOLES - r, z), "oak", **_SOLID)
    cut = 0.006
    for corner in range(4):
        angle = pi / 4 + corner * pi / 2
        reach = r + 0.5 * cut
        turn = (cos(angle / 2), 0.0, 0.0, sin(angle / 2))
        at = (reach * cos(angle), HOLES + reach * sin(angle), z)
        box(board, at, (0.5 * cut, 0.0048, z), "oak", quat=turn, **_SOLID)
    # A dark bottom and a coloured frame show which hole is the goal.
    for y, colour in ((HOLES, "terracotta"), (-HOLES, "oak_dark")):
        box(board, (0, y, 0.001), (r, r, 0.001), "charcoal")
        for side in (-1, 1):
            box(board, (side * (r + 0.004), y, BOARD_HEIGHT), (0.003, r + 0.007, 0.001), colour)
            box(board, (0, y + side * (r + 0.004), BOARD_HEIGHT), (r + 0.001, 0.003, 0.001), colour)


def _peg(spec: mujoco.MjSpec) -> None:
    """The peg, a capsule to the touch: a round tip finds the hole."""
    peg = spec.worldbody.add_body(name="peg", pos=(BOARD[0], BOARD[1] - HOLES, TABLE_TOP + PEG_HALF))
    peg.add_freejoint(name="peg")
    size = (PEG_RADIUS, PEG_HALF - PEG_RADIUS)
    geom(peg, CAPSULE, (0, 0, 0), size, "peg", name="peg", mass=0.05, **_SOLID)
    rod(peg, (0, 0, 0.053), PEG_RADIUS + 0.002, 0.005, "terracotta", mass=0.0)
