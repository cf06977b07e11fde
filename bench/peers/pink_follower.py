"""pin-pink: a quadratic program each step, on pinocchio's kinematics."""

from __future__ import annotations

from math import sqrt

import numpy as np

from bench.peers.arm_models import PALM, urdf
from bench.peers.follower import Array, Follower, Settings, matrix, peer
from elsewhere.bodies.arm import Arm


class Pink(Follower):
    """Frame task and posture task within configuration and velocity limits. It squares costs."""

    name = "pin-pink"
    best = Settings()

    def __init__(self, arm: Arm, dt: float, settings: Settings | None = None) -> None:
        super().__init__(arm, dt)
        self._pin, self._pink = peer("pinocchio"), peer("pink")
        self._solve, self._nothing = self._pink.solve_ik, peer("pink.exceptions").NoSolutionFound
        self._chosen = chosen = settings or self.best
        self._model = self._pin.buildModelFromXML(urdf(arm))
        self._configuration = self._pink.Configuration(self._model, self._model.createData(), arm.home)
        tasks = peer("pink.tasks")
        self._task = tasks.FrameTask(
            PALM, position_cost=1.0, orientation_cost=sqrt(chosen.orientation), gain=1.0
        )
        posture = tasks.PostureTask(cost=sqrt(chosen.posture))
        posture.set_target(chosen.posture_of(arm))
        self._tasks = [self._task, posture]
        self._target = np.eye(4)

    def start(self, q: Array) -> None:
        self._configuration.update(q)

    def step(self, p: Array, quat: Array) -> None:
        self._task.set_target(self._pin.SE3(matrix(p, quat, self._target)))
        try:
            velocity = self._solve(
                self._configuration,
                self._tasks,
                self.dt,
                self._chosen.qp,
                damping=self._chosen.damping,
                safety_break=False,
            )
        except self._nothing:
            self.failures += 1
            return
        self._configuration.integrate_inplace(velocity, self.dt)

    @property
    def joints(self) -> Array:
        return np.array(self._configuration.q)

    def palm(self, q: Array) -> tuple[Array, Array]:
        data = self._model.createData()
        self._pin.framesForwardKinematics(self._model, data, q)
        place = data.oMf[self._model.getFrameId(PALM)]
        return place.rotation.copy(), place.translation.copy()

    def settings(self) -> str:
        return self._chosen.text()
