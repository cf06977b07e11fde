"""The server's own copy of the simulated place: what is there, which goals are met, where the head looks.

The world runs in another process and writes its configuration into the slot `scene`. Copies of the
model follow it. A copy belongs to one thread.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.messages import Quaternion, SceneDescription, ThingDescription
from elsewhere.records import Record
from elsewhere.world.referee import Referee
from elsewhere.world.scene import Scene

MOVED = (0.003, 0.05)  # m, rad: what is less is not worth a word
RESTS = (0.001, 0.02)  # from one look to the next
STIRRED = 1e-5  # m, and of a quaternion: what rests does not


class Place:
    """A scene and its newest configuration."""

    def __init__(self, model: mujoco.MjModel, scene: Scene | None) -> None:
        self._model, self._scene = model, scene
        self._data = mujoco.MjData(model)
        self._referee = None if scene is None else Referee(scene, model)
        self._which = (0, -1)  # seed and resets: no scene yet
        self._told: dict[str, ThingDescription] = {}
        self._seen: dict[str, ThingDescription] = {}
        self._scenery = np.flatnonzero(model.body_rootid != _body(model, "base"))
        self._poses = np.zeros((len(self._scenery), 7))
        self.goals: dict[str, bool] = {}

    def follow(self, record: Record) -> bool:
        """Take over the configuration of a scene record, and ask the referee.

        True when the scene is another one than before: the first, or one that was reset.
        """
        self._data.qpos[:] = record["qpos"]
        before, self._which = self._which, (int(record["seed"]), int(record["resets"]))
        if self._referee is not None:
            self.goals = self._referee.judge(record["qpos"], int(record["sampled_ns"]))
        if self._which != before:
            self._told, self._seen = {}, {}
        return self._which != before

    def moved(self) -> list[ThingDescription]:
        """Things that rest elsewhere than when this was last said of them, or when the scene began.

        A thing rests when it is where it was at the last call.
        """
        seen = self._seen
        if not seen or self._stirred():
            self._seen = {thing.name: thing for thing in self.describe().things}
        now = self._seen
        if not self._told:
            self._told = now
            return []
        found = [
            thing
            for name, thing in now.items()
            if name in seen
            and not _differ(thing, seen[name], *RESTS)
            and _differ(thing, self._told.get(name, thing), *MOVED)
        ]
        self._told = self._told | {thing.name: thing for thing in found}
        return found

    def _stirred(self) -> bool:
        """Whether a body that is not the avatar's has moved since this was last so: a cheap first look."""
        mujoco.mj_kinematics(self._model, self._data)
        at = self._scenery
        poses = np.concatenate([self._data.xpos[at], self._data.xquat[at]], axis=1)
        if np.abs(poses - self._poses).max(initial=0.0) <= STIRRED:
            return False
        self._poses = poses
        return True

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


def _body(model: mujoco.MjModel, name: str) -> int:
    """A body's id, or -1."""
    return int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name))


def _differ(one: ThingDescription, other: ThingDescription, far: float, turned: float) -> bool:
    """Whether two poses of a thing are more than `far` [m] or `turned` [rad] apart."""
    cosine = abs(sum(a * b for a, b in zip(one.orientation, other.orientation, strict=True)))
    angle = 2.0 * math.acos(min(1.0, cosine))
    return math.dist(one.position, other.position) > far or angle > turned


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
