"""An empty floor: for experiments and tests in which nothing but the avatar itself can be hit."""

from __future__ import annotations

import mujoco
import numpy as np

from elsewhere.messages import SceneDescription
from elsewhere.world.room import options
from elsewhere.world.scene import Scene
from elsewhere.world.scenes import scene


@scene("empty")
class Empty(Scene):
    """A floor without end."""

    def build(self, spec: mujoco.MjSpec | None = None) -> mujoco.MjSpec:
        """Add the floor to `spec`, or to a new one."""
        spec = spec or mujoco.MjSpec()
        spec.compiler.degree = False
        options(spec)
        floor = spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE)
        floor.size, floor.rgba = (8.0, 8.0, 0.1), (0.86, 0.84, 0.80, 1.0)
        light = spec.worldbody.add_light(name="sun", pos=(0.0, 0.0, 4.0), dir=(0.2, -0.2, -1.0))
        light.castshadow = False
        return spec

    def place(self, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Nothing is loose."""

    def describe(self, model: mujoco.MjModel, data: mujoco.MjData, seed: int) -> SceneDescription:
        """Nothing is there."""
        return SceneDescription(name=self.name, seed=seed, things=[])

    def goals(self, model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, bool]:
        """Nothing is to be done."""
        return {}

    def paint(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Nothing changes its colour."""
