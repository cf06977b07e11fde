"""A plain therapy room: a floor, a wall, a low table before the robot and a stool beside it.

Nothing is within reach of the arms but air: the table's near edge is 0.78 m ahead of the robot's column.
"""

from __future__ import annotations

import mujoco
import numpy as np

from elsewhere.messages import SceneDescription, ThingDescription
from elsewhere.world import textures
from elsewhere.world.room import options
from elsewhere.world.scene import Scene
from elsewhere.world.scenes import scene
from elsewhere.world.shapes import box, material

TABLE_X, TABLE_Y, TABLE_TOP = (0.95, 1.45), (-0.5, 0.5), 0.62
_WALL_X = -1.6
_EYE = (2.1, 0.0, 1.45)  # of someone who stands before the robot


@scene("therapy")
class Therapy(Scene):
    """A bright empty room with a table 0.62 m high, for a person who sits before the robot."""

    def build(self, spec: mujoco.MjSpec | None = None) -> mujoco.MjSpec:
        """Add the room to `spec`, or to a new one."""
        spec = spec or mujoco.MjSpec()
        spec.compiler.degree = False
        options(spec)
        _light(spec)
        _furnish(spec)
        return spec

    def place(self, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Nothing is loose."""

    def describe(self, model: mujoco.MjModel, data: mujoco.MjData, seed: int) -> SceneDescription:
        """The table."""
        middle = (0.5 * sum(TABLE_X), 0.0, 0.5 * TABLE_TOP)
        half = (0.5 * (TABLE_X[1] - TABLE_X[0]), TABLE_Y[1], 0.5 * TABLE_TOP)
        table = ThingDescription("table", "table", middle, (1.0, 0.0, 0.0, 0.0), half, "A low table.")
        return SceneDescription(name=self.name, seed=seed, things=[table])

    def goals(self, model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, bool]:
        """Nothing is to be done."""
        return {}

    def paint(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Nothing changes its colour."""


def _light(spec: mujoco.MjSpec) -> None:
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = (0.50, 0.50, 0.51), (0.16, 0.16, 0.16), (0.0, 0.0, 0.0)
    # From above and ahead, so that what faces a viewer is lit.
    sun = spec.worldbody.add_light(name="sun", pos=(2.0, 1.5, 3.5), dir=(-0.55, -0.35, -0.76))
    sun.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    sun.diffuse, sun.ambient, sun.specular = (0.46, 0.45, 0.43), (0.0, 0.0, 0.0), (0.12, 0.12, 0.12)
    sun.castshadow = False
    spec.worldbody.add_camera(name="viewer", pos=_EYE, xyaxes=(0, 1, 0, -0.14, 0, 0.99), fovy=50)
    spec.worldbody.add_camera(
        name="room_view", pos=(2.0, -1.35, 1.75), xyaxes=(0.56, 0.83, 0, -0.22, 0.15, 0.96), fovy=50
    )


def _furnish(spec: mujoco.MjSpec) -> None:
    room = spec.worldbody
    u, v = textures.grid(512, 512, 12.0, 12.0)
    wood = textures.planks(
        u, v, board=0.2, length=1.5, seed=4, tones=[(0.74, 0.66, 0.56), (0.70, 0.62, 0.52)]
    )
    shadow = textures.patch(u, v, (-0.03, 0.0), (0.22, 0.22), 0.4)
    shadow = np.maximum(shadow, 0.6 * textures.patch(u, v, (1.2, 0.0), (0.3, 0.5), 0.4))
    textures.add(spec, "floor", wood * (1.0 - 0.35 * shadow)[..., None])
    floor = room.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(6.0, 6.0, 0.1))
    floor.material = "floor"
    for name, colour in (("plaster", (0.70, 0.75, 0.77)), ("trim", (0.92, 0.92, 0.90))):
        material(spec, name, colour, specular=0.0)
    for name, colour in (("table_top", (0.88, 0.84, 0.77)), ("table_leg", (0.35, 0.36, 0.38))):
        material(spec, name, colour)
    box(room, (_WALL_X - 0.05, 0.0, 2.0), (0.05, 6.0, 2.0), "plaster", touch=True, name="wall")
    box(room, (_WALL_X + 0.006, 0.0, 0.05), (0.006, 6.0, 0.05), "trim")
    x, half = 0.5 * sum(TABLE_X), 0.5 * (TABLE_X[1] - TABLE_X[0])
    top = (half, TABLE_Y[1], 0.015)
    box(room, (x, 0.0, TABLE_TOP - 0.015), top, "table_top", touch=True, name="table")
    height = 0.5 * TABLE_TOP - 0.015
    for leg_x in (TABLE_X[0] + 0.05, TABLE_X[1] - 0.05):
        for leg_y in (TABLE_Y[0] + 0.05, TABLE_Y[1] - 0.05):
            box(room, (leg_x, leg_y, height), (0.018, 0.018, height), "table_leg")
