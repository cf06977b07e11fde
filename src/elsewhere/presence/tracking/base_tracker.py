"""From the viewer's pictures to where the robot's base stands in the viewer's world.

T_world_base = T_world_camera T_camera_marker T_marker_base. The headset knows T_world_camera; the filter
works on the marker's pose in the world, where the robot rests however the viewer moves: filtering what the
camera sees would let every turn of the head drag the human along. The marker is filtered, not the base,
because the base is a lever's length away, and every jitter of the marker's tilt is larger there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.presence.tracking.adaptive_filter import AdaptiveFilter
from elsewhere.presence.tracking.camera import Camera
from elsewhere.presence.tracking.fiducial import Fiducial, Sighting
from elsewhere.presence.tracking.pose import Pose, inverse
from elsewhere.presence.tracking.pose_filter import Outcome, PoseFilter, Remembered

Array = NDArray[np.float64]

HOLD_S = 0.5
FADE_S = 0.5


@dataclass(frozen=True, eq=False)
class TrackedBase:
    """Where the base is, and how much to believe it.

    `T_world_base` is None before the marker was first seen. `confidence` 1..0 is what a page takes as
    opacity: a lost marker is held for 0.5 s, then the human fades out within 0.5 s. `raw` is the same
    unfiltered, of this picture alone. `outcome` is None where the picture shows no marker.
    """

    T_world_base: Array | None
    confidence: float
    sighting: Sighting | None = None
    raw: Array | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True)
class BaseTracker:
    """Tracks a base that carries `fiducial` at `T_base_marker`. All state is in what `step` gives.

    `head_sigma`: how much the headset's own pose jitters [m, rad]; its turns are felt at the marker.
    """

    fiducial: Fiducial
    T_base_marker: Array
    filter: PoseFilter[Any] = field(default_factory=AdaptiveFilter)
    head_sigma: tuple[float, float] = (3e-4, 3e-4)
    hold_s: float = HOLD_S
    fade_s: float = FADE_S

    def init(self) -> Remembered:
        """Nothing has been seen."""
        state: Remembered = self.filter.init()
        return state

    def step(
        self,
        state: Remembered,
        time_s: float,
        image: NDArray[np.uint8],
        camera: Camera,
        T_world_camera: Array,
    ) -> tuple[Remembered, TrackedBase]:
        """Take a picture (grey or RGB) and the pose of its camera when it was taken."""
        near = None
        if state.pose is not None and self.confidence(state, time_s) > 0.0:
            near = Pose.of(inverse(T_world_camera) @ self.filter.expected(state, time_s).T)
        return self.take(state, time_s, self.fiducial.detect(image, camera, near), T_world_camera)

    def take(
        self, state: Remembered, time_s: float, sighting: Sighting | None, T_world_camera: Array
    ) -> tuple[Remembered, TrackedBase]:
        """As `step`, when the marker has been looked for already."""
        if sighting is None:
            return state, self.at(state, time_s)
        pose = Pose.of(T_world_camera @ sighting.pose.T)
        state, outcome = self.filter.step(state, time_s, pose, self._covariance(sighting, T_world_camera))
        raw = pose.T @ inverse(self.T_base_marker)
        return state, replace(self.at(state, time_s), sighting=sighting, raw=raw, outcome=outcome)

    def at(self, state: Remembered, time_s: float) -> TrackedBase:
        """What is known at a time at which there is no picture: the last pose, held, and then faded."""
        if state.pose is None:
            return TrackedBase(None, 0.0)
        return TrackedBase(state.pose.T @ inverse(self.T_base_marker), self.confidence(state, time_s))

    def confidence(self, state: Remembered, time_s: float) -> float:
        """1 until `hold_s` after the last believed sighting, 0 from `fade_s` later on."""
        age = time_s - state.time_s
        return float(np.clip(1.0 - (age - self.hold_s) / self.fade_s, 0.0, 1.0))

    def _covariance(self, sighting: Sighting, T_world_camera: Array) -> Array:
        """The sighting's covariance in the world's axes, with the headset's own."""
        turn = np.zeros((6, 6))
        turn[:3, :3] = turn[3:, 3:] = R = T_world_camera[:3, :3]
        x, y, z = R @ sighting.p
        lever = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # w x r, as a matrix on w
        metres, radians = self.head_sigma
        head = np.zeros((6, 6))
        head[:3, :3] = metres**2 * np.eye(3) + radians**2 * lever @ lever.T
        head[3:, 3:] = radians**2 * np.eye(3)
        head[:3, 3:] = radians**2 * lever
        head[3:, :3] = head[:3, 3:].T
        return np.asarray(turn @ sighting.covariance @ turn.T + head)
