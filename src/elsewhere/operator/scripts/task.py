"""A task of the scripted operator: its name, the scene's goal that it serves, and how it is done."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.operator.eyes import Eyes
from elsewhere.operator.hand import Script, ScriptedHand
from elsewhere.spatial._kernels import quat_from_matrix
from elsewhere.spatial.minimum_jerk import difference

Array = NDArray[np.float64]

ABOVE = 0.14  # m: how far above a thing the hand comes and goes
SEEN_S = 1.5  # within which the referee has told what became of a thing


@dataclass(frozen=True)
class Task:
    """`script` tries once, and ends with the hand clear of everything; it may be tried again.

    `things` are what it is about: a scene without them has no such task.
    """

    name: str
    goal: str
    things: tuple[str, ...]
    script: Callable[[ScriptedHand, Eyes], Script]
    tries: int = 4

    def do(self, hand: ScriptedHand, eyes: Eyes) -> Script:
        """Try until the goal is met, a bounded number of times."""
        for _ in range(self.tries):
            yield from self.script(hand, eyes)
            began = hand.now
            while hand.now - began < SEEN_S and not eyes.goals.get(self.goal, False):
                yield
            if eyes.goals.get(self.goal, False):
                return
            hand.phase = "not done: once more"


def up(height: float) -> Array:
    """A way upwards."""
    return np.array([0.0, 0.0, height])


def downward(now: Array, yaw: float, quarters: int = 4) -> Array:
    """Palm pointing down, its jaws along `yaw` + 90 degrees: of so many like turns the nearest to `now`."""
    best, least = now, math.inf
    for quarter in range(quarters):
        angle = yaw + 2.0 * math.pi * quarter / quarters
        x, y = np.array([0.0, 0.0, -1.0]), np.array([-math.sin(angle), math.cos(angle), 0.0])
        q = np.zeros(4)
        quat_from_matrix(np.stack([x, y, np.cross(x, y)], axis=1), q)
        turn = float(np.linalg.norm(difference(q, now)))
        if turn < least:
            best, least = q, turn
    return best
