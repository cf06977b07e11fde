"""A scene: a place for the avatar, with things in it, a seeded arrangement and a referee."""

from __future__ import annotations

from abc import ABC, abstractmethod

import mujoco
import numpy as np

from elsewhere.messages import SceneDescription


class Scene(ABC):
    """A place. One file and one registration each (`elsewhere.world.scenes`).

    A scene holds no state of its own: all of it is in MuJoCo's data, so the simulation, the cameras
    and the referee may each have their own copy. The avatar starts at the origin and faces +x.
    """

    name: str

    @abstractmethod
    def build(self, spec: mujoco.MjSpec | None = None) -> mujoco.MjSpec:
        """Add the place, and the options of the simulation, to `spec` (an avatar's, or a new one).

        Adding keeps every name of the avatar as it is, which attaching one to the other would not.
        """

    @abstractmethod
    def place(self, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Arrange the loose things. Writes only the positions of the scene's own joints."""

    @abstractmethod
    def describe(self, model: mujoco.MjModel, data: mujoco.MjData, seed: int) -> SceneDescription:
        """What a newcomer sees on entering, and no more. `data` holds the kinematics of now."""

    @abstractmethod
    def goals(self, model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, bool]:
        """Which goals are met. `data` holds velocities and contacts of now."""

    @abstractmethod
    def paint(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Set colours that follow the state (a lamp that is lit). Cameras call this before a picture."""
