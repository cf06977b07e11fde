"""Heads: as parts and as mounted on an avatar."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from elsewhere.bodies.limits import Vector


@dataclass(frozen=True)
class HeadPart:
    """A head alone. Its root is fixed to the torso; `centre` is a site where its axes meet.

    It has joints and position servos `yaw`, `pitch`, `roll`, and slides `eye_left` and `eye_right`
    whose value is half the distance of the eyes. `face` is the body that turns about all three
    axes; `cameras` are the left and the right eye.
    """

    name: str
    spec: mujoco.MjSpec
    root: str
    centre: str
    face: str
    cameras: tuple[str, str]
    lower: Vector
    upper: Vector
    velocity: Vector
    baseline: tuple[float, float]


@dataclass(frozen=True)
class Head:
    """A head as mounted. `position` [m] is where its axes meet, in the base frame.

    `lower`, `upper` [rad] and `velocity` [rad/s] are for yaw, pitch and roll; `baseline` is the
    least and the greatest distance of the eyes [m].
    """

    position: Vector
    lower: Vector
    upper: Vector
    velocity: Vector
    baseline: tuple[float, float]
    fov_deg: float
