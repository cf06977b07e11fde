"""placo: a quadratic program each step, all of it in C++, on pinocchio's kinematics."""

from __future__ import annotations

import numpy as np

from bench.peers.arm_models import PALM, joint_names, urdf
from bench.peers.follower import Array, Follower, Settings, matrix, peer
from elsewhere.bodies.arm import Arm


class Placo(Follower):
    """Soft frame task, joints task and regularisation within joint and velocity limits."""

    name = "placo"
    best = Settings(qp="eiquadprog")

    def __init__(self, arm: Arm, dt: float, settings: Settings | None = None) -> None:
        super().__init__(arm, dt)
        placo = peer("placo")
        self._chosen = chosen = settings or self.best
        self._names = joint_names(arm)
        self._robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, urdf(arm))
        self._solver = solver = placo.KinematicsSolver(self._robot)
        solver.dt = dt
        solver.mask_fbase(True)
        solver.enable_joint_limits(True)
        solver.enable_velocity_limits(True)
        self._target = np.eye(4)
        self._task = solver.add_frame_task(PALM, self._target)
        self._task.configure(PALM, "soft", 1.0, chosen.orientation)
        posture = solver.add_joints_task()
        posture.set_joints(dict(zip(self._names, chosen.posture_of(arm).tolist(), strict=True)))
        posture.configure("posture", "soft", chosen.posture)
        solver.add_regularization_task(chosen.damping)

    def start(self, q: Array) -> None:
        for name, value in zip(self._names, q, strict=True):
            self._robot.set_joint(name, float(value))
        self._robot.update_kinematics()

    def step(self, p: Array, quat: Array) -> None:
        self._task.T_world_frame = matrix(p, quat, self._target)
        try:
            self._solver.solve(True)
        except RuntimeError:
            self.failures += 1
        self._robot.update_kinematics()

    @property
    def joints(self) -> Array:
        return np.array([self._robot.get_joint(name) for name in self._names])

    def palm(self, q: Array) -> tuple[Array, Array]:
        self.start(q)
        place = np.asarray(self._robot.get_T_world_frame(PALM))
        return place[:3, :3].copy(), place[:3, 3].copy()

    def settings(self) -> str:
        return self._chosen.text()
