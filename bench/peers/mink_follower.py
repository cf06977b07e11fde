"""mink: a quadratic program each step, on MuJoCo's kinematics."""

from __future__ import annotations

from math import sqrt

import mujoco
import numpy as np

from bench.peers.arm_models import PALM, joint_names, mujoco_model
from bench.peers.follower import Array, Follower, Settings, peer
from elsewhere.bodies.arm import Arm


class Mink(Follower):
    """Frame task and posture task within configuration and velocity limits. It squares costs."""

    name = "mink"
    best = Settings()

    def __init__(self, arm: Arm, dt: float, settings: Settings | None = None) -> None:
        super().__init__(arm, dt)
        self._mink = mink = peer("mink")
        self._chosen = chosen = settings or self.best
        model = mujoco_model(arm)
        self._configuration = mink.Configuration(model)
        self._task = mink.FrameTask(
            PALM, "site", position_cost=1.0, orientation_cost=sqrt(chosen.orientation), gain=1.0
        )
        posture = mink.PostureTask(model, cost=sqrt(chosen.posture))
        posture.set_target(chosen.posture_of(arm))
        self._tasks = [self._task, posture]
        speeds = dict(zip(joint_names(arm), arm.limits.velocity.tolist(), strict=True))
        self._limits = [mink.ConfigurationLimit(model), mink.VelocityLimit(model, speeds)]
        self._pose = np.zeros(7)

    def start(self, q: Array) -> None:
        self._configuration.update(q)

    def step(self, p: Array, quat: Array) -> None:
        pose, mink = self._pose, self._mink
        pose[:4], pose[4:] = quat, p
        self._task.set_target(mink.SE3(pose.copy()))
        try:
            velocity = mink.solve_ik(
                self._configuration,
                self._tasks,
                self.dt,
                self._chosen.qp,
                damping=self._chosen.damping,
                limits=self._limits,
            )
        except mink.NoSolutionFound:
            self.failures += 1
            return
        self._configuration.integrate_inplace(velocity, self.dt)

    @property
    def joints(self) -> Array:
        return np.array(self._configuration.q)

    def palm(self, q: Array) -> tuple[Array, Array]:
        model = self._configuration.model
        data = mujoco.MjData(model)
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        return data.site(PALM).xmat.reshape(3, 3).copy(), data.site(PALM).xpos.copy()

    def settings(self) -> str:
        return self._chosen.text()
