"""Where each visible link of the robot is, in the base frame, for joints that a tick measured."""

from __future__ import annotations

import mujoco
import numpy as np

from elsewhere.bodies.body import Body
from elsewhere.messages import Quaternion, Vector3
from elsewhere.records import Record
from elsewhere.server.overlay_poses import ArmSample
from elsewhere.status import SIDES
from elsewhere.world.robot_glb import link_names

_HEAD = ("head_yaw", "head_pitch", "head_roll")
_EYES = ("head_eye_left", "head_eye_right")


class Links:
    """The robot's own copy of its kinematics. The base stays at the origin: poses are in its frame."""

    def __init__(self, body: Body) -> None:
        self.names = link_names(body)
        self._model, self._data = body.model, mujoco.MjData(body.model)
        body.go_home(self._model, self._data)
        self._ids = np.array([self._model.body(name).id for name in self.names])
        self._arms = [self._addresses(arm.joints if arm else ()) for arm in body.arms]
        self._head, self._eyes = self._addresses(_HEAD), self._addresses(_EYES)
        self._fingers = [self._finger_joints(f"{side}_hand_") for side in SIDES]

    def _addresses(self, names: tuple[str, ...]) -> list[int]:
        return [int(self._model.joint(name).qposadr[0]) for name in names]

    def _finger_joints(self, prefix: str) -> tuple[list[int], np.ndarray]:
        """Addresses and ranges (n, 2) of the joints of a hand."""
        model = self._model
        found = [i for i in range(model.njnt) if model.joint(i).name.startswith(prefix)]
        return [int(model.jnt_qposadr[i]) for i in found], model.jnt_range[found]

    def head(self, state: Record) -> None:
        """Turn the head as a ROBOT_STATE says."""
        self._data.qpos[self._head] = state["head"]
        self._data.qpos[self._eyes] = 0.5 * float(state["baseline"])

    def place(self, arms: tuple[ArmSample, ArmSample]) -> tuple[list[Vector3], list[Quaternion]]:
        """Positions and quaternions of the links, in the order of `names`."""
        data = self._data
        for arm, addresses, (fingers, ranges) in zip(arms, self._arms, self._fingers, strict=True):
            data.qpos[addresses] = arm.q
            if fingers:
                # A hand with several motors is drawn as closed as they are in the mean.
                data.qpos[fingers] = ranges[:, 0] + (1.0 - arm.opening) * (ranges[:, 1] - ranges[:, 0])
        mujoco.mj_kinematics(self._model, data)
        p, q = data.xpos[self._ids].tolist(), data.xquat[self._ids].tolist()
        return [tuple(row) for row in p], [tuple(row) for row in q]
