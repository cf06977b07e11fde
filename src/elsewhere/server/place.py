"""The server's own copy of the simulated place: what is there, which goals are met, where the head looks.

The world runs in another process and writes its configuration into the slot `scene`. Copies of the
model follow it. A copy belongs to one thread.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.messages import Quaternion, SceneDescription
from elsewhere.records import Record
from elsewhere.world.referee import Referee
from elsewhere.world.scene import Scene


class Place:
    """A scene and its newest configuration."""

    def __init__(self, model: mujoco.MjModel, scene: Scene | None) -> None:
        self._model, self._scene = model, scene
        self._data = mujoco.MjData(model)
        self._referee = None if scene is None else Referee(scene, model)
        self._which = (0, -1)  # seed and resets: no scene yet
        self.goals: dict[str, bool] = {}

    def follow(self, record: Record) -> bool:
        """Take over the configuration of a scene record, and ask the referee.

        True when the scene is another one than before: the first, or one that was reset.
        """
        self._data.qpos[:] = record["qpos"]
        before, self._which = self._which, (int(record["seed"]), int(record["resets"]))
        if self._referee is not None:
            self.goals = self._referee.judge(record["qpos"], int(record["sampled_ns"]))
        return self._which != before

    @property
    def seed(self) -> int:
        """What the scene was made from."""
        return self._which[0]

    def describe(self) -> SceneDescription:
        """What a newcomer is told."""
        if self._scene is None:
            return SceneDescription("", self.seed, [])
        mujoco.mj_kinematics(self._model, self._data)
        return self._scene.describe(self._model, self._data, self.seed)


class HeadView:
    """Where the avatar's head looks in a given configuration: the quaternion of `head` in `base`."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        names = {model.body(index).name for index in range(model.nbody)}
        self._known = {"head", "base"} <= names
        self._head = model.body("head").id if self._known else 0
        self._base = model.body("base").id if self._known else 0
        self._inverse, self._relative = np.zeros(4), np.zeros(4)

    def orientation(self, qpos: NDArray[np.float64]) -> Quaternion:
        """The head's orientation in the base frame (identity for a model without a head)."""
        if not self._known:
            return (1.0, 0.0, 0.0, 0.0)
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mju_negQuat(self._inverse, self._data.xquat[self._base])
        mujoco.mju_mulQuat(self._relative, self._inverse, self._data.xquat[self._head])
        w, x, y, z = self._relative.tolist()
        return (w, x, y, z)
