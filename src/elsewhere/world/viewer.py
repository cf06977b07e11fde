"""The person beside the robot, simulated: a camera at the eyes, and a head that is never quite still.

A headset knows its own pose, so the simulated one gives it with every picture. Poses are 4 x 4 matrices
`T_world_camera` in the axes of computer vision: x right, y down, z forward.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from math import radians, tan

import cv2
import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import GraphicsError
from elsewhere.spatial.minimum_jerk import progress
from elsewhere.world.camera_id import camera_id
from elsewhere.world.cameras import SceneCamera
from elsewhere.world.graphics import has_graphics_card
from elsewhere.world.raster import RasterStereoCamera
from elsewhere.world.scene import Scene

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

CAMERA = "viewer"
FOV_DEG = 45.0  # vertical; a headset's outward camera and a phone's are near this
_FLIP = np.diag([1.0, -1.0, -1.0])  # MuJoCo's cameras look along -z with y up


def add_viewer(spec: mujoco.MjSpec, *, fov_deg: float = FOV_DEG) -> None:
    """Give a scene the camera that `Viewer` moves; `fov_deg` is vertical."""
    # On a body that may move: MuJoCo computes what is fixed to the world only once.
    head = spec.worldbody.add_body(name=CAMERA, mocap=True)
    head.add_camera(name=CAMERA, fovy=fov_deg)


def looking(eye: ArrayLike, target: ArrayLike, roll: float = 0.0) -> Array:
    """T_world_camera of an eye at `eye` that looks at `target`, its head upright but for `roll` [rad]."""
    p = np.asarray(eye, float)
    forward = np.asarray(target, float) - p
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    T = np.eye(4)
    c, s = np.cos(roll), np.sin(roll)
    T[:3, 0], T[:3, 1], T[:3, 2] = c * right + s * down, c * down - s * right, forward
    T[:3, 3] = p
    return T


@dataclass(frozen=True)
class Sensor:
    """What a small camera adds to a perfect picture, grey or RGB: blur, noise, and JPEG at the end."""

    blur_px: float = 0.7  # standard deviation of the lens' and pixels' point spread
    noise: float = 2.0  # standard deviation [grey levels of 255]
    jpeg: int = 85  # quality, 0 for none

    def expose(self, picture: Picture, rng: np.random.Generator) -> Picture:
        """The picture as it comes out of the camera, the same for the same `rng`."""
        seen = cv2.GaussianBlur(picture, (0, 0), self.blur_px) if self.blur_px > 0.0 else picture
        if self.noise > 0.0:
            grain = rng.standard_normal(seen.shape, np.float32)
            seen = np.clip(np.rint(seen + self.noise * grain), 0, 255).astype(np.uint8)
        if not self.jpeg:
            return np.asarray(seen, np.uint8)
        back = cv2.imdecode(np.frombuffer(self.encode(seen), np.uint8), cv2.IMREAD_UNCHANGED)
        return np.asarray(_swapped(np.asarray(back, np.uint8)))

    def encode(self, picture: Picture) -> bytes:
        """The picture as JPEG."""
        return bytes(
            cv2.imencode(".jpg", _swapped(picture), [cv2.IMWRITE_JPEG_QUALITY, self.jpeg or 95])[1]
        )


def _swapped(picture: Picture) -> Picture:
    """RGB for OpenCV, which thinks in BGR, and back; grey as it is."""
    return picture if picture.ndim == 2 else np.ascontiguousarray(picture[..., ::-1])


class Viewer:
    """The eye of a person in a scene that has the camera `viewer` (see `add_viewer`).

    A picture is drawn `finer` times larger and averaged, as pixels average the light that falls on them.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        *,
        width: int = 640,
        height: int = 480,
        finer: int = 2,
        scene: Scene | None = None,
        renderer: str = "auto",
    ) -> None:
        # A copy, since the camera is moved by writing into the model.
        self.model = copy.copy(model)
        self.width, self.height = width, height
        self._finer = finer
        self._camera = camera_id(self.model, CAMERA)
        self._source = self._renderer(finer * width, finer * height, scene, renderer)

    def _renderer(
        self, width: int, height: int, scene: Scene | None, renderer: str
    ) -> SceneCamera | RasterStereoCamera:
        if renderer == "opengl" or (renderer == "auto" and has_graphics_card()):
            try:
                return SceneCamera(self.model, width, height, camera=CAMERA, scene=scene)
            except GraphicsError:
                if renderer == "opengl":
                    raise
        return RasterStereoCamera(self.model, width, height, scene=scene, eyes=(CAMERA,))

    @property
    def fov_deg(self) -> float:
        """The vertical field of view."""
        return float(self.model.cam_fovy[self._camera])

    @property
    def focal_px(self) -> float:
        """The focal length in pixels of the picture."""
        return 0.5 * self.height / tan(0.5 * radians(self.fov_deg))

    def see(self, qpos: ArrayLike, T_world_camera: Array) -> Picture:
        """What an eye at this pose sees of the configuration `qpos`: (height, width, 3), RGB."""
        self.model.cam_pos[self._camera] = T_world_camera[:3, 3]
        turn = np.zeros(4)
        mujoco.mju_mat2Quat(turn, (T_world_camera[:3, :3] @ _FLIP).ravel())
        self.model.cam_quat[self._camera] = turn
        picture = self._source.render(qpos)
        if self._finer == 1:
            return picture
        size = (self.width, self.height)
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)

    def close(self) -> None:
        """Free the graphics."""
        self._source.close()


@dataclass(frozen=True)
class HeadMotion:
    """How a seated or standing person's head moves, as a function of time: the same for the same seed.

    The chest breathes (15 times a minute, some millimetres), the posture sways (about 5 mm below 1 Hz), the
    eyes look around the target (a glance every 2.5 s), and now and then there is a step to the side.
    `lively` scales all of it: 0 is a camera on a tripod.
    """

    seed: int = 0
    eye: tuple[float, float, float] = (1.2, 0.0, 1.2)
    target: tuple[float, float, float] = (0.0, 0.0, 0.9)
    lively: float = 1.0
    step_m: float = 0.3  # to either side of `eye`
    glance_m: float = 0.12  # how far beside the target the eyes look
    tilt: float = 0.05  # rad: nobody holds the head quite level

    BREATH_HZ = 0.25
    SWAY_HZ = (0.31, 0.47, 0.83)
    SWAY_M = 0.004
    GLANCE_S, GLANCE_TIME_S = 2.5, 0.6
    STEP_S, STEP_TIME_S = 5.0, 1.2

    def _random(self, kind: int, place: int) -> Array:
        """Three numbers in -1..1 that belong to the `place`-th period of a kind of motion."""
        if place < 0:
            return np.zeros(3)
        return np.random.default_rng((self.seed, kind, place)).uniform(-1.0, 1.0, 3)

    def _moved(self, kind: int, t: float, period: float, time: float) -> Array:
        """From one random place to the next, by minimum jerk at the start of each period."""
        place = int(np.floor(t / period))
        before, after = self._random(kind, place - 1), self._random(kind, place)
        return before + progress((t - place * period) / time) * (after - before)

    def at(self, t: float) -> Array:
        """T_world_camera at time t [s]."""
        phases = np.random.default_rng((self.seed, 0)).uniform(0.0, 2 * np.pi, (3, 3))
        waves = np.sin(2 * np.pi * np.array(self.SWAY_HZ)[:, None] * t + phases)
        sway = self.SWAY_M * waves.mean(axis=0)
        sway[2] = 0.004 * np.sin(2 * np.pi * self.BREATH_HZ * t + phases[0, 0])
        side = self.step_m * self._moved(1, t, self.STEP_S, self.STEP_TIME_S)
        glance = self.glance_m * self._moved(2, t, self.GLANCE_S, self.GLANCE_TIME_S)
        forward = np.array(self.target) - np.array(self.eye)
        across = np.array([-forward[1], forward[0], 0.0]) / max(np.hypot(*forward[:2]), 1e-9)
        eye = np.array(self.eye) + self.lively * (sway + side[0] * across)
        roll = self.tilt + 0.05 * self.lively * float(waves[0, 1])
        return looking(eye, np.array(self.target) + self.lively * glance, roll)
