"""What a scripted operator knows of the place: what it was told on entering, and what it saw since."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import UnknownNameError
from elsewhere.messages import SceneDescription, ThingDescription
from elsewhere.spatial._kernels import quat_multiply

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sighting:
    """A thing in the base frame: middle of its box, orientation, half sizes along its own axes."""

    p: Array
    q: Array
    half: Array

    @property
    def yaw(self) -> float:
        """Heading of its x axis."""
        x = self.axis(0)
        return math.atan2(x[1], x[0])

    @property
    def top(self) -> float:
        """Height of its upper face, for a thing that stands upright."""
        return float(self.p[2] + self.half[2])

    @property
    def bottom(self) -> float:
        """Height of its lower face, for a thing that stands upright."""
        return float(self.p[2] - self.half[2])

    def axis(self, index: int) -> Array:
        """One of its axes (0 x, 1 y, 2 z), in the base frame."""
        w, x, y, z = self.q
        rows = (
            (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
            (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
            (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
        )
        return np.array(rows[index])


class Eyes:
    """Things by name as last seen, in the room, and the goals as the referee told them."""

    def __init__(self, scene: SceneDescription) -> None:
        self._things: dict[str, ThingDescription] = {}
        self.base_pose = (0.0, 0.0, 0.0)
        self.goals: dict[str, bool] = {}
        self.look(scene.things)

    def look(self, things: Iterable[ThingDescription]) -> None:
        """See things where they are now; the others stay where they were."""
        self._things.update({thing.name: thing for thing in things})

    def find(self, name: str) -> Sighting:
        """A thing in the base frame, from where the avatar stands now. Raises UnknownNameError."""
        if name not in self._things:
            raise UnknownNameError("thing in this scene", name, self._things)
        thing = self._things[name]
        x, y, yaw = self.base_pose
        c, s = math.cos(yaw), math.sin(yaw)
        dx, dy = thing.position[0] - x, thing.position[1] - y
        turn, q = np.array([math.cos(yaw / 2), 0.0, 0.0, -math.sin(yaw / 2)]), np.zeros(4)
        quat_multiply(turn, np.array(thing.orientation), q)
        p = np.array([c * dx + s * dy, -s * dx + c * dy, thing.position[2]])
        return Sighting(p, q, np.array(thing.half_size))
