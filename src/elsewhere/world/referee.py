"""The referee: judges a scene's goals from positions alone, in a process that has no simulation."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from elsewhere.world.scene import Scene


class Referee:
    """Own data: contacts are found again, and velocities are differences of positions."""

    def __init__(self, scene: Scene, model: mujoco.MjModel) -> None:
        self.scene, self.model = scene, model
        self._data = mujoco.MjData(model)
        self._last = np.zeros(model.nq)
        self._last_ns = 0

    def judge(self, qpos: ArrayLike, sampled_ns: int) -> dict[str, bool]:
        """Which goals are met. The first call knows no velocities and takes all for moving."""
        data = self._data
        data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        mujoco.mj_collision(self.model, data)
        elapsed = (sampled_ns - self._last_ns) * 1e-9
        if self._last_ns == 0:
            data.qvel[:] = np.inf
        elif elapsed > 0.0:
            mujoco.mj_differentiatePos(self.model, data.qvel, elapsed, self._last, data.qpos)
        self._last[:], self._last_ns = data.qpos, sampled_ns
        return self.scene.goals(self.model, data)
