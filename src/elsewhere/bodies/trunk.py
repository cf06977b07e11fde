"""What carries arms and head: bases and torsos, as parts."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from elsewhere.bodies.marker import Marker


@dataclass(frozen=True)
class BasePart:
    """A base alone. Its root is the body `base`, on the floor, x forward; `top` carries the torso.

    It has joints and velocity servos `base_x`, `base_y`, `base_yaw` and the sites of its range
    finders, whose z axes point outwards: `range_front`, `range_left`, `range_back`, `range_right`.
    A base that viewers' cameras can find carries a `marker`.
    """

    name: str
    spec: mujoco.MjSpec
    top: str
    ranges: tuple[str, ...]
    marker: Marker | None = None


@dataclass(frozen=True)
class TorsoPart:
    """A torso alone: a body `torso` with no joint; its sites carry the head and the two arms.

    The shoulder sites have the axes of the base; mounts are given relative to them.
    """

    name: str
    spec: mujoco.MjSpec
    neck: str
    shoulders: tuple[str, str]
