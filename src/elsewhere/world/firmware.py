"""What a robot's own controller does with the commands it gets, whoever sends them.

It applies a command once, if it is newer than the last one and finite. When none comes it applies
the last one again for at most 20 ticks, then brakes: the arms are held where they are by a stiff
joint controller with gravity compensation, the base stands, head and fingers stay. The first fresh
command ends that. While running, nothing is compensated: commands carry the full joint torque.
"""

from __future__ import annotations

import mujoco
import numpy as np

from elsewhere.records import COMMAND, Record, Views, byte_view, zeros
from elsewhere.status import Firmware
from elsewhere.world import _kernels
from elsewhere.world.wiring import Wiring, first_word

REUSE_TICKS = 20
_HOLD_RATE = 40.0  # rad/s, natural frequency of the braked joints
_HOLD_INERTIA = 0.05  # kg m2, added so that light wrist joints are stiff enough to hold a load
_BASE_RATE = 4.0  # 1/s, how fast the base returns to where it stopped
_STANDSTILL = 0.02  # m/s and rad/s, below which a base without command counts as stopped


class RobotFirmware:
    """Turns commands into MuJoCo's controls. Invariant: `seq` never decreases but by `reset`."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, wiring: Wiring) -> None:
        self._wiring, self._data = wiring, data
        inertia = model.dof_M0[wiring.arm_dof] + _HOLD_INERTIA
        self._stiffness, self._damping = inertia * _HOLD_RATE**2, inertia * 2.0 * _HOLD_RATE
        self._low, self._high = -wiring.arm_torque, wiring.arm_torque
        self._held = np.zeros(len(wiring.arm_qpos))
        self._twist = np.zeros(3)
        self._stand = np.zeros(3)
        self._standing = False
        self._age = 0
        self._command = Views(zeros(COMMAND))
        self._bytes = byte_view(self._command.whole)
        words = self._command.whole.view(np.float64)
        first, last = first_word(COMMAND, "tau"), first_word(COMMAND, "base_twist")
        self._obey = (*wiring.obeying(), first, last, words, self._twist, data.ctrl)
        base = np.stack([wiring.base_qpos, wiring.base_dof, wiring.base_actuator])
        self._roll = (_BASE_RATE, _STANDSTILL, base, data.qpos, data.qvel, self._stand, data.ctrl)
        self.seq = 0
        self.mode = Firmware.BRAKED
        _kernels.obey(*self._obey)  # of nothing: loads the kernel, so that no loop has to

    def reset(self, seq: int = 0) -> None:
        """Brake where the robot is now; commands up to `seq` count as old."""
        self.seq, self._age = seq, 0
        wiring, data = self._wiring, self._data
        data.ctrl[wiring.motor_actuator] = 0.0
        data.ctrl[wiring.eye_actuator] = data.qpos[wiring.eye_qpos]
        self._brake()

    def step(self, command: Record) -> None:
        """Set the controls for the next millisecond."""
        self._bytes[:] = command.tobytes()
        seq = int(self._command.seq[0])
        if seq > self.seq and _kernels.obey(*self._obey):
            self.seq, self._age = seq, 0
            self.mode = Firmware.RUNNING
        elif self.mode != Firmware.BRAKED:
            self._age += 1
            self.mode = Firmware.REUSING
            if self._age > REUSE_TICKS:
                self._brake()
        if self.mode == Firmware.BRAKED:
            self._hold()
        self._standing = _kernels.roll(self._twist, self._standing, *self._roll)

    def _brake(self) -> None:
        wiring, data = self._wiring, self._data
        self.mode = Firmware.BRAKED
        self._held[:] = data.qpos[wiring.arm_qpos]
        self._twist[:] = 0.0
        self._standing = False
        # The head stops where it looks. The fingers keep their last target, and so their grasp.
        data.ctrl[wiring.head_actuator] = data.qpos[wiring.head_qpos]

    def _hold(self) -> None:
        wiring, data = self._wiring, self._data
        pull = self._stiffness * (self._held - data.qpos[wiring.arm_qpos])
        pull += data.qfrc_bias[wiring.arm_dof] - self._damping * data.qvel[wiring.arm_dof]
        data.ctrl[wiring.arm_actuator] = np.minimum(np.maximum(pull, self._low), self._high)
