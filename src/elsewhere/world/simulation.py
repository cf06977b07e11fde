"""A simulated avatar in a scene, stepped a millisecond at a time in virtual time."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.messages import SceneDescription
from elsewhere.records import COMMAND, ROBOT_STATE, Record, Views, zeros
from elsewhere.world import _kernels
from elsewhere.world.firmware import RobotFirmware
from elsewhere.world.scene import Scene
from elsewhere.world.scenes import make_scene
from elsewhere.world.wiring import Wiring, first_word

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
        self.firmware = RobotFirmware(self.model, self.data, self.wiring)
        self.time_ns = 0
        self.seed = seed
        self.resets = 0
        self._record = zeros(ROBOT_STATE)
        self._views = Views(self._record)
        bias, gain = self.model.actuator_biasprm[:, :2], self.model.actuator_gainprm[:, :1]
        data = self.data  # whose arrays stay where they are: fetching one costs as much as using it
        self._senses = (
            self.wiring.sensing(),
            np.ascontiguousarray(np.concatenate([bias, gain], axis=1)),
            *RANGE_LIMITS,
            first_word(ROBOT_STATE, "base") + 2,
            first_word(ROBOT_STATE, "base_twist"),
            data.qpos,
            data.qvel,
            data.sensordata,
            data.actuator_length,
            self._views.whole.view(np.float64),
        )
        self._start(seed, 0)
        self.read_state()  # loads its kernel, so that no loop has to

    def reset(self, seed: int, *, command_seq: int = 0) -> None:
        """Scene as the seed says, avatar at home and braked. Commands up to `command_seq` are old."""
        self.resets += 1
        self._start(seed, command_seq)

    def step(self, command: Record) -> None:
        """Advance exactly 1 ms under a COMMAND record."""
        self.firmware.step(command)
        # Split so that positions, contacts and gravity are those of the new state when we return.
        mujoco.mj_step2(self.model, self.data)
        mujoco.mj_step1(self.model, self.data)
        self.time_ns += STEP_NS
        self._views.seq[0] += np.uint64(1)

    def read_state(self) -> Record:
        """What the robot reports (ROBOT_STATE), in a record that the next call overwrites."""
        views = self._views
        views.sampled_ns[0] = self.time_ns
        views.command_seq[0] = self.firmware.seq
        views.firmware[0] = self.firmware.mode
        views.resets[0] = self.resets
        _kernels.sense(*self._senses)
        return self._record

    def state(self) -> Record:
        """What the robot reports, as a new ROBOT_STATE record."""
        return self.read_state().copy()

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
        self.firmware.reset(command_seq)
        nothing = zeros(COMMAND)
        for _ in range(_SETTLE_STEPS):
            self.firmware.step(nothing)
            mujoco.mj_step2(model, data)
            mujoco.mj_step1(model, data)
