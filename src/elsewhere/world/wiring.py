"""Where each part of an avatar's body is found in a compiled model: addresses, looked up once.

Paired fields are flat: a place in a record's (2, n) field is `side * n + index`.
"""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.errors import ModelError
from elsewhere.records import FINGERTIPS, MAX_JOINTS, MAX_MOTORS, RANGES
from elsewhere.status import SIDES

Indices = NDArray[np.intp]
_SENSOR, _ACTUATOR, _JOINT = (
    mujoco.mjtObj.mjOBJ_SENSOR,
    mujoco.mjtObj.mjOBJ_ACTUATOR,
    mujoco.mjtObj.mjOBJ_JOINT,
)


class Wiring:
    """Addresses of a body's joints, actuators and sensors in a model."""

    def __init__(self, model: mujoco.MjModel, body: Body) -> None:
        self._model = model
        joints = [
            (side, i, name)
            for side, arm in enumerate(body.arms)
            if arm
            for i, name in enumerate(arm.joints)
        ]
        self.arm_place = _array(side * MAX_JOINTS + i for side, i, _ in joints)
        self.arm_qpos, self.arm_dof = self._joints([name for *_, name in joints])
        self.arm_actuator = _array(self._id(_ACTUATOR, name) for *_, name in joints)
        limits = [arm.limits.torque for arm in body.arms if arm]
        self.arm_torque = np.concatenate(limits) if limits else np.zeros(0)
        torques = [(side, i, f"{SIDES[side]}_torque_joint{i + 1}") for side, i, _ in joints]
        self.torque_place, self.torque_sensor = self._sensors(torques, MAX_JOINTS)

        motors = [
            (side, i, name)
            for side, hand in enumerate(body.hands)
            if hand
            for i, name in enumerate(hand.motors)
        ]
        self.motor_place = _array(side * MAX_MOTORS + i for side, i, _ in motors)
        self.motor_actuator = _array(self._id(_ACTUATOR, name) for *_, name in motors)
        tips = [
            (side, i, f"{SIDES[side]}_fingertip{i + 1}")
            for side, hand in enumerate(body.hands)
            if hand
            for i in range(min(hand.fingertips, FINGERTIPS))
        ]
        self.tip_place, self.tip_sensor = self._sensors(tips, FINGERTIPS)
        wrenches = [
            (side, 3 * part + axis, f"{SIDES[side]}_wrist_{kind}", axis)
            for side in range(2)
            for part, kind in enumerate(("force", "torque"))
            for axis in range(3)
        ]
        found = [(place, self._sensor(name), axis, side) for side, place, name, axis in wrenches]
        self.wrench_place = _array(side * 6 + place for place, at, _, side in found if at is not None)
        self.wrench_sensor = _array(at + axis for _, at, axis, _ in found if at is not None)

        head = ["head_yaw", "head_pitch", "head_roll"]
        eyes = ["head_eye_left", "head_eye_right"]
        self.head_qpos, self.head_dof = self._joints(head)
        self.head_actuator = _array(self._id(_ACTUATOR, name) for name in head)
        self.eye_qpos, _ = self._joints(eyes)
        self.eye_actuator = _array(self._id(_ACTUATOR, name) for name in eyes)
        base = ["base_x", "base_y", "base_yaw"]
        self.base_qpos, self.base_dof = self._joints(base)
        self.base_actuator = _array(self._id(_ACTUATOR, name) for name in base)
        ranges = [(0, i, f"range_{name}") for i, name in enumerate(("front", "left", "back", "right"))]
        self.range_place, self.range_sensor = self._sensors(ranges, RANGES)

    def _id(self, kind: mujoco.mjtObj, name: str) -> int:
        found = mujoco.mj_name2id(self._model, kind, name)
        if found < 0:
            what = {_ACTUATOR: "actuator", _JOINT: "joint"}.get(kind, "sensor")
            raise ModelError(f"The model has no {what} '{name}'. Every avatar needs one of that name.")
        return int(found)

    def _joints(self, names: list[str]) -> tuple[Indices, Indices]:
        ids = _array(self._id(_JOINT, name) for name in names)
        return self._model.jnt_qposadr[ids].astype(np.intp), self._model.jnt_dofadr[ids].astype(np.intp)

    def _sensor(self, name: str) -> int | None:
        """A sensor's address in the data, or None: a rig may leave sensors out."""
        found = mujoco.mj_name2id(self._model, _SENSOR, name)
        return None if found < 0 else int(self._model.sensor_adr[found])

    def _sensors(self, wanted: list[tuple[int, int, str]], width: int) -> tuple[Indices, Indices]:
        found = [(side * width + i, self._sensor(name)) for side, i, name in wanted]
        return _array(p for p, at in found if at is not None), _array(
            at for _, at in found if at is not None
        )


def _array(values: Iterable[int]) -> Indices:
    return np.fromiter(values, np.intp)
