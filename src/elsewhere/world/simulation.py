"""A simulated avatar in a scene, stepped a millisecond at a time in virtual time."""

from __future__ import annotations

from math import cos, sin

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.messages import SceneDescription
from elsewhere.records import COMMAND, ROBOT_STATE, Record, zeros
from elsewhere.world.firmware import RobotFirmware
from elsewhere.world.scene import Scene
from elsewhere.world.scenes import make_scene
from elsewhere.world.wiring import Wiring

STEP_NS = 1_000_000
RANGE_LIMITS = (0.02, 5.0)  # m, what the range finders can tell
RANGE_PERIOD_S = 0.05
_SETTLE_STEPS = 60  # so that things rest on the table, and not a rounding error above it


def assemble(body: Body, scene: Scene) -> mujoco.MjModel:
    """The scene with the avatar in it, as one model. All names stay as they are."""
    spec = body.spec.copy()
    scene.build(spec)
    for sensor in spec.sensors:
        if sensor.type == mujoco.mjtSensor.mjSENS_RANGEFINDER:
            # A ray is tried on every geom: 20 us a step for four, and real ones are no faster.
            sensor.interval, sensor.nsample = (RANGE_PERIOD_S, 0.0), 1
    return spec.compile()


class Simulation:
    """Physics, sensors and firmware of a simulated avatar. Equal seeds and commands, equal states.

    `time_ns` is virtual: each step adds exactly 1 ms. A real-time loop may overwrite it.
    """

    def __init__(self, body: Body, scene: str | Scene = "room", seed: int = 0) -> None:
        self.body = body
        self.scene = make_scene(scene) if isinstance(scene, str) else scene
        self.model = assemble(body, self.scene)
        self.data = mujoco.MjData(self.model)
        self.wiring = Wiring(self.model, body)
        self.firmware = RobotFirmware(self.model, self.wiring)
        self.time_ns = 0
        self.seed = seed
        self.resets = 0
        self._record = zeros(ROBOT_STATE)
        self._flat = {name: self._record[name].reshape(-1) for name in ROBOT_STATE.names or ()}
        motors = self.wiring.motor_actuator
        self._motor_gain = self.model.actuator_gainprm[motors, 0]
        self._motor_bias = self.model.actuator_biasprm[motors, :2].T
        self._start(seed, 0)

    def reset(self, seed: int, *, command_seq: int = 0) -> None:
        """Scene as the seed says, avatar at home and braked. Commands up to `command_seq` are old."""
        self.resets += 1
        self._start(seed, command_seq)

    def step(self, command: Record) -> None:
        """Advance exactly 1 ms under a COMMAND record."""
        self.firmware.step(command, self.data)
        # Split so that positions, contacts and gravity are those of the new state when we return.
        mujoco.mj_step2(self.model, self.data)
        mujoco.mj_step1(self.model, self.data)
        self.time_ns += STEP_NS
        self._record["seq"] += 1

    def state(self) -> Record:
        """What the robot reports, as a new ROBOT_STATE record."""
        record, flat, wiring, data = self._record, self._flat, self.wiring, self.data
        qpos, qvel, sensors = data.qpos, data.qvel, data.sensordata
        record["sampled_ns"] = self.time_ns
        record["command_seq"] = self.firmware.seq
        record["firmware"] = self.firmware.mode
        record["resets"] = self.resets
        flat["q"][wiring.arm_place] = qpos[wiring.arm_qpos]
        flat["dq"][wiring.arm_place] = qvel[wiring.arm_dof]
        flat["tau"][wiring.torque_place] = sensors[wiring.torque_sensor]
        # MuJoCo tells what the arm does to the hand; the hand feels its surroundings and its weight.
        flat["wrench"][wiring.wrench_place] = -sensors[wiring.wrench_sensor]
        flat["motors"][wiring.motor_place] = self._motors()
        flat["fingertips"][wiring.tip_place] = sensors[wiring.tip_sensor]
        flat["head"][:] = qpos[wiring.head_qpos]
        record["baseline"] = qpos[wiring.eye_qpos].sum()
        x, y, yaw = qpos[wiring.base_qpos].tolist()
        vx, vy, wz = qvel[wiring.base_dof].tolist()
        c, s = cos(yaw), sin(yaw)
        flat["base"][:] = (x, y, yaw)
        flat["base_twist"][:] = (c * vx + s * vy, c * vy - s * vx, wz)
        flat["ranges"][wiring.range_place] = self._ranges()
        return record.copy()

    @property
    def qpos(self) -> NDArray[np.float64]:
        """A copy of all generalised positions, for cameras."""
        return np.array(self.data.qpos)

    def scene_description(self) -> SceneDescription:
        """What stands in the scene, and where it is now."""
        return self.scene.describe(self.model, self.data, self.seed)

    def goals(self) -> dict[str, bool]:
        """What the scene's referee says."""
        return self.scene.goals(self.model, self.data)

    def _start(self, seed: int, command_seq: int) -> None:
        self.seed = seed
        model, data, wiring = self.model, self.data, self.wiring
        mujoco.mj_resetData(model, data)
        self.body.go_home(model, data)
        data.qpos[wiring.head_qpos] = np.radians(self.body.rig.control.head_home_deg)
        self.scene.place(model, data, np.random.default_rng(seed))
        mujoco.mj_forward(model, data)
        self.firmware.reset(data, command_seq)
        nothing = zeros(COMMAND)
        for _ in range(_SETTLE_STEPS):
            self.firmware.step(nothing, data)
            mujoco.mj_step2(model, data)
            mujoco.mj_step1(model, data)

    def _motors(self) -> NDArray[np.float64]:
        """Finger motors as the control that would hold them there: 0 open .. 1 closed."""
        length = self.data.actuator_length[self.wiring.motor_actuator]
        share = -(self._motor_bias[0] + self._motor_bias[1] * length) / self._motor_gain
        return np.asarray(np.minimum(np.maximum(share, 0.0), 1.0))

    def _ranges(self) -> NDArray[np.float64]:
        seen = self.data.sensordata[self.wiring.range_sensor]
        low, high = RANGE_LIMITS
        # MuJoCo says -1 where a ray meets nothing.
        return np.asarray(np.minimum(np.maximum(np.where(seen < 0.0, high, seen), low), high))
