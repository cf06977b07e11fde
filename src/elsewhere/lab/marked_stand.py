"""A stand that carries a marker, and a simulated viewer who looks at it: pictures with their truth.

The stand's base frame is on the floor under it; the marker is half a metre up, facing +x. The viewer's
pictures are rendered, blurred, noised and compressed as a small camera does; the head's pose comes with
each, with the jitter of a headset's own tracking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import cv2
import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.marker import add_marker
from elsewhere.presence.tracking.camera import Camera
from elsewhere.presence.tracking.pose import Pose
from elsewhere.spatial.minimum_jerk import PEAK, progress
from elsewhere.world.empty import Empty
from elsewhere.world.viewer import HeadMotion, Sensor, Viewer, add_viewer

Array = NDArray[np.float64]

MARKER_Z = 0.5
T_BASE_MARKER = np.array(
    [[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, MARKER_Z], [0.0, 0.0, 0.0, 1.0]]
)
HEAD_NOISE = (2e-4, 2e-4)
"""Jitter of the headset's own pose [m, rad], each axis."""
WIDTH, HEIGHT = 640, 480

BaseMotion = Callable[[float], Pose]


@dataclass(frozen=True, eq=False)
class Look:
    """A grey picture, when and from where it was taken (as the headset says), and where the base was."""

    time_s: float
    image: NDArray[np.uint8]
    T_world_camera: Array
    base: Pose


@cache
def stand() -> mujoco.MjModel:
    """The stand on an empty floor, with one free joint."""
    spec = Empty().build()
    base = spec.worldbody.add_body(name="stand")
    base.add_freejoint()
    half = (0.1, 0.18, 0.32)
    base.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=half,
        pos=(-0.102, 0.0, 0.32),
        rgba=(0.5, 0.55, 0.6, 1),
        mass=1.0,
    )
    add_marker(base, spec, T_BASE_MARKER[:3, :3], T_BASE_MARKER[:3, 3])
    add_viewer(spec)
    return spec.compile()


@cache
def viewer(renderer: str = "auto") -> Viewer:
    """The viewer of the stand, made once."""
    return Viewer(stand(), width=WIDTH, height=HEIGHT, renderer=renderer)


def camera() -> Camera:
    """The intrinsics of the viewer's camera."""
    return Camera.from_focal(WIDTH, HEIGHT, viewer().focal_px)


def at_rest(t: float) -> Pose:
    """A base that stands still."""
    return Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


def there_and_back(speed: float, way: float = 0.25, turn: float = 0.3) -> BaseMotion:
    """Minimum-jerk moves aside and towards the viewer and back, with rests, with this peak speed [m/s]."""
    time = PEAK * way / speed
    rest = 0.5
    direction = np.array([0.6, 0.8, 0.0])

    def at(t: float) -> Pose:
        phase = t % (2.0 * (time + rest))
        share = progress((phase - rest) / time) - progress((phase - time - 2 * rest) / time)
        return at_rest(t).plus(np.array([*(share * way * direction), 0.0, 0.0, share * turn]))

    return at


def head(distance: float, angle_deg: float, *, seed: int = 0, lively: float = 1.0) -> HeadMotion:
    """A viewer at this distance from the marker, beside its normal by the angle and somewhat above."""
    angle, rise = np.radians(angle_deg), np.radians(15.0)
    eye = distance * np.array([np.cos(rise) * np.cos(angle), np.cos(rise) * np.sin(angle), np.sin(rise)])
    # A step or a glance of the same angle at any distance, so that the marker stays in the picture.
    return HeadMotion(
        seed=seed,
        eye=(float(eye[0]), float(eye[1]), float(eye[2]) + MARKER_Z),
        target=(0.0, 0.0, MARKER_Z),
        lively=lively,
        step_m=0.2 * distance,
        glance_m=0.1 * distance,
    )


def looks(
    motion: HeadMotion,
    base: BaseMotion,
    seconds: float,
    rate_hz: float,
    *,
    seed: int = 0,
    sensor: Sensor | None = None,
    start_s: float = 0.0,
) -> Iterator[Look]:
    """What the viewer's camera sees, picture by picture: the same for the same seed."""
    rng = np.random.default_rng(seed)
    sensor = sensor or Sensor()
    eye = viewer()
    for k in range(round(seconds * rate_hz)):
        t = start_s + k / rate_hz
        where, T_world_camera = base(t), motion.at(t)
        seen = eye.see(np.concatenate([where.p, where.q]), T_world_camera)
        noise = np.concatenate([rng.normal(0.0, sigma, 3) for sigma in HEAD_NOISE])
        told = Pose.of(T_world_camera).plus(noise).T
        grey = np.asarray(
            cv2.cvtColor(seen, cv2.COLOR_RGB2GRAY), np.uint8
        )  # all that the marker's finder uses
        yield Look(t, sensor.expose(grey, rng), told, where)
