"""What a robot's own controller does with the commands it gets, whoever sends them.

It applies a command once, if it is newer than the last one and finite. When none comes it applies
the last one again for at most 20 ticks, then brakes: the arms are held where they are by a stiff
joint controller with gravity compensation, the base stands, head and fingers stay. The first fresh
command ends that. While running, nothing is compensated: commands carry the full joint torque.
"""

from __future__ import annotations

from math import cos, isfinite, sin

import mujoco
import numpy as np

from elsewhere.records import COMMAND, Record
from elsewhere.status import Firmware
from elsewhere.world.wiring import Wiring

REUSE_TICKS = 20
_FLOATS = COMMAND.fields["tau"][1] // 8 if COMMAND.fields else 0
_HOLD_RATE = 40.0  # rad/s, natural frequency of the braked joints
_HOLD_INERTIA = 0.05  # kg m2, added so that light wrist joints are stiff enough to hold a load
_BASE_RATE = 4.0  # 1/s, how fast the base returns to where it stopped
_STANDSTILL = 0.02  # m/s and rad/s, below which a base without command counts as stopped


class RobotFirmware:
    """Turns commands into MuJoCo's controls. Invariant: `seq` never decreases but by `reset`."""

    def __init__(self, model: mujoco.MjModel, wiring: Wiring) -> None:
        self._wiring = wiring
        inertia = model.dof_M0[wiring.arm_dof] + _HOLD_INERTIA
        self._stiffness, self._damping = inertia * _HOLD_RATE**2, inertia * 2.0 * _HOLD_RATE
        self._low, self._high = -wiring.arm_torque, wiring.arm_torque
        self._held = np.zeros(len(wiring.arm_qpos))
        self._twist = np.zeros(3)
        self._stand = np.zeros(3)
        self._standing = False
        self._age = 0
        self.seq = 0
        self.mode = Firmware.BRAKED

    def reset(self, data: mujoco.MjData, seq: int = 0) -> None:
        """Brake where the robot is now; commands up to `seq` count as old."""
        self.seq, self._age = seq, 0
        wiring = self._wiring
        data.ctrl[wiring.motor_actuator] = 0.0
        data.ctrl[wiring.eye_actuator] = data.qpos[wiring.eye_qpos]
        self._brake(data)

    def step(self, command: Record, data: mujoco.MjData) -> None:
        """Set the controls for the next millisecond."""
        if int(command["seq"]) > self.seq and isfinite(
            float(command.reshape(1).view("f8")[_FLOATS:].sum())
        ):
            self.seq, self._age = int(command["seq"]), 0
            self.mode = Firmware.RUNNING
            self._apply(command, data)
        elif self.mode != Firmware.BRAKED:
            self._age += 1
            self.mode = Firmware.REUSING
            if self._age > REUSE_TICKS:
                self._brake(data)
        if self.mode == Firmware.BRAKED:
            self._hold(data)
        self._drive(data)

    def _apply(self, command: Record, data: mujoco.MjData) -> None:
        wiring, ctrl = self._wiring, data.ctrl
        tau = command["tau"].reshape(-1)[wiring.arm_place]
        ctrl[wiring.arm_actuator] = np.minimum(np.maximum(tau, self._low), self._high)
        # MuJoCo clamps these to the actuators' own ranges.
        ctrl[wiring.motor_actuator] = command["motors"].reshape(-1)[wiring.motor_place]
        ctrl[wiring.head_actuator] = command["head"]
        ctrl[wiring.eye_actuator] = 0.5 * float(command["baseline"])
        self._twist[:] = command["base_twist"]

    def _brake(self, data: mujoco.MjData) -> None:
        wiring = self._wiring
        self.mode = Firmware.BRAKED
        self._held[:] = data.qpos[wiring.arm_qpos]
        self._twist[:] = 0.0
        self._standing = False
        # The head stops where it looks. The fingers keep their last target, and so their grasp.
        data.ctrl[wiring.head_actuator] = data.qpos[wiring.head_qpos]

    def _hold(self, data: mujoco.MjData) -> None:
        wiring = self._wiring
        pull = self._stiffness * (self._held - data.qpos[wiring.arm_qpos])
        pull += data.qfrc_bias[wiring.arm_dof] - self._damping * data.qvel[wiring.arm_dof]
        data.ctrl[wiring.arm_actuator] = np.minimum(np.maximum(pull, self._low), self._high)

    def _drive(self, data: mujoco.MjData) -> None:
        """Rotate the base's twist into the room for the servos; without one, stand still."""
        wiring, (vx, vy, wz) = self._wiring, self._twist.tolist()
        if vx or vy or wz:
            yaw = float(data.qpos[wiring.base_qpos[2]])
            c, s = cos(yaw), sin(yaw)
            data.ctrl[wiring.base_actuator] = (c * vx - s * vy, s * vx + c * vy, wz)
            self._standing = False
            return
        here = data.qpos[wiring.base_qpos]
        if not self._standing:
            self._stand[:] = here
            self._standing = bool(np.abs(data.qvel[wiring.base_dof]).max() < _STANDSTILL)
        data.ctrl[wiring.base_actuator] = _BASE_RATE * (self._stand - here)
