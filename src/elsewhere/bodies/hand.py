"""Hands and grippers: as parts and as mounted on an avatar."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from elsewhere.status import LEFT


@dataclass(frozen=True)
class HandPart:
    """A hand alone. Its root frame has +x along the fingers and +z out of the back of the hand.

    `palm` is a site at the grasp centre with the same axes. `motors` are actuators whose length is
    0 open .. 1 closed, as their control is. `drive` gives for each the index into
    `messages.Fingers`. `fingertips` are sites for touch sensors, thumb first. `depth` is the half
    thickness along z, so that a bracket can carry the hand on its back.
    """

    name: str
    spec: mujoco.MjSpec
    root: str
    palm: str
    motors: tuple[str, ...]
    drive: tuple[int, ...]
    fingertips: tuple[str, ...]
    depth: float


@dataclass(frozen=True)
class Hand:
    """A hand as mounted: names of its motors, number of fingertip sensors, and who drives what."""

    side: int
    part: str
    motors: tuple[str, ...]
    fingertips: int
    drive: tuple[int, ...]


def ignore_itself(spec: mujoco.MjSpec, side: int) -> None:
    """Let a hand touch everything but itself: it has its own bit, which the other hand listens to."""
    for geom in spec.geoms:
        if geom.contype:
            geom.contype, geom.conaffinity = (2, 1 | 4) if side == LEFT else (4, 1 | 2)
