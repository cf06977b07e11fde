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
from elsewhere.records import COMMAND, FINGERTIPS, MAX_JOINTS, MAX_MOTORS, RANGES, ROBOT_STATE
from elsewhere.status import SIDES
from elsewhere.world import _kernels

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

    def sensing(self) -> Indices:
        """All of a ROBOT_STATE as the wires of `_kernels.sense`."""
        position, velocity, sensor = _kernels.POSITION, _kernels.VELOCITY, _kernels.SENSOR
        three, one = np.arange(3), np.zeros(1, np.intp)
        parts = [
            (position, self.arm_qpos, "q", self.arm_place),
            (velocity, self.arm_dof, "dq", self.arm_place),
            (sensor, self.torque_sensor, "tau", self.torque_place),
            (_kernels.REACTION, self.wrench_sensor, "wrench", self.wrench_place),
            (_kernels.MOTOR, self.motor_actuator, "motors", self.motor_place),
            (sensor, self.tip_sensor, "fingertips", self.tip_place),
            (position, self.head_qpos, "head", three),
            (position, self.eye_qpos[:1], "baseline", one),
            (_kernels.ADDED_POSITION, self.eye_qpos[1:], "baseline", one),
            (position, self.base_qpos, "base", three),
            (velocity, self.base_dof, "base_twist", three),
            (_kernels.RANGE, self.range_sensor, "ranges", self.range_place),
        ]
        wires = []
        for kind, at, name, place in parts:
            word = first_word(ROBOT_STATE, name) + place
            wires.append(np.stack([np.full_like(at, kind), at, word], axis=1))
        return np.concatenate(wires)

    def obeying(self) -> tuple[Indices, NDArray[np.float64]]:
        """All of a COMMAND but the base's twist, as the wires and laws of `_kernels.obey`."""
        free = np.full(MAX_JOINTS * 2, np.inf)  # MuJoCo clamps these to the actuators' own ranges
        parts = [
            ("tau", self.arm_place, self.arm_actuator, 1.0, self.arm_torque),
            ("motors", self.motor_place, self.motor_actuator, 1.0, free),
            ("head", np.arange(3), self.head_actuator, 1.0, free),
            ("baseline", np.zeros(2, np.intp), self.eye_actuator, 0.5, free),
        ]
        wires, laws = [], []
        for name, place, actuator, factor, most in parts:
            wires.append(np.stack([first_word(COMMAND, name) + place, actuator], axis=1))
            laws.append(np.stack([np.full(len(place), factor), most[: len(place)]], axis=1))
        return np.concatenate(wires), np.concatenate(laws)

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


def first_word(dtype: np.dtype[np.void], name: str) -> int:
    """Number of a field's first word (8 bytes) in a record."""
    assert dtype.fields is not None
    return int(dtype.fields[name][1]) // 8


def _array(values: Iterable[int]) -> Indices:
    return np.fromiter(values, np.intp)
