"""How wide an avatar with a given mounting must be: AVATRINA's M_width (section 4.1.1).

The extent across (y) of both arms and hands in the tightest pose in which an operator could start:
palms before the body, not above the shoulders, nothing touching. Found by a search that is the same
for every mounting and gives the same result each time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import capsules
from elsewhere.bodies._capsule_kernels import FIXED, place
from elsewhere.bodies.arm import ArmPart
from elsewhere.bodies.body import Body
from elsewhere.bodies.capsules import Capsules
from elsewhere.bodies.registry import find_part
from elsewhere.records import MAX_JOINTS
from elsewhere.status import LEFT

Array = NDArray[np.float64]

GAP = 0.02  # m, left between any two parts
AHEAD = (0.2, 0.6)  # m, from the middle of the base to the palms: a home, not a reach
HEIGHT = (0.75, 1.35)  # m, how high the palms may be: from a table to about the shoulders
KEPT = 12  # poses that are made tighter
PENALTY = 5.0  # m of width for each metre (gap, palm) that a pose lacks


@dataclass
class Tightest:
    """The search on one body. Both arms take mirrored poses where they are alike."""

    body: Body
    seed: int = 0

    def __post_init__(self) -> None:
        self._capsules = Capsules.from_body(self.body)
        self._frames, self._ends = capsules.scratch(), self._capsules.ends.copy()
        self._moving = self._capsules.side != FIXED
        self._signs = [_signs(self.body, side) for side in range(2)]
        self._home = np.zeros((2, MAX_JOINTS))
        for side, arm in enumerate(self.body.arms):
            if arm:
                self._home[side, : arm.chain.n] = arm.home

    def search(self, samples: int = 3000, rounds: int = 150) -> tuple[float, Array]:
        """The least width [m], and the pose (2, 8) that has it."""
        random = np.random.default_rng(self.seed)
        tried = [self._home.copy(), *(self._any(random) for _ in range(samples))]
        costs = [self.cost(q) for q in tried]
        best, least = tried[0], costs[0]
        for index in np.argsort(costs)[:KEPT]:
            q, cost = self._tighten(tried[index], costs[index], rounds, random)
            if cost < least:
                best, least = q, cost
        return self.width(best), best

    def cost(self, q: Array) -> float:
        """Width, and a penalty for what a pose lacks to be a home."""
        gap, _ = self._capsules.least_gap(q)
        lack = max(0.0, GAP - gap)
        for side, arm in enumerate(self.body.arms):
            if arm:
                _, palm, _ = arm.chain.forward(q[side, : arm.chain.n])
                lack += _outside(palm[0], AHEAD) + _outside(palm[2], HEIGHT)
        return self.width(q) + PENALTY * lack

    def width(self, q: Array) -> float:
        """Extent across of both arms [m]."""
        shapes = self._capsules.shapes
        place(self._capsules.arms, shapes, q, self._frames, self._ends)
        y, r = self._ends[self._moving, :, 1], self._capsules.radius[self._moving, None]
        return float(np.max(y + r) - np.min(y - r))

    def _any(self, random: np.random.Generator) -> Array:
        return self._mirrored(random.uniform(0.0, 1.0, MAX_JOINTS))

    def _tighten(
        self, q: Array, cost: float, rounds: int, random: np.random.Generator
    ) -> tuple[Array, float]:
        """Random steps that get smaller; each that helps is kept."""
        for k in range(rounds):
            step = 0.4 * (1.0 - k / rounds) + 0.01
            change = random.normal(0.0, step, MAX_JOINTS) * (random.random(MAX_JOINTS) < 0.5)
            nearby = q.copy()
            for side, arm in enumerate(self.body.arms):
                if arm:
                    n, signs = arm.chain.n, self._signs[side]
                    moved = nearby[side, :n] + signs[:n] * change[:n]
                    nearby[side, :n] = np.clip(moved, arm.limits.lower, arm.limits.upper)
            found = self.cost(nearby)
            if found < cost:
                q, cost = nearby, found
        return q, cost

    def _mirrored(self, shares: Array) -> Array:
        """Joints at given shares of their ranges, the left arm's the mirror image of the right one's."""
        q = np.zeros((2, MAX_JOINTS))
        for side, arm in enumerate(self.body.arms):
            if arm:
                n, signs = arm.chain.n, self._signs[side]
                share = np.where(signs[:n] > 0, shares[:n], 1.0 - shares[:n])
                q[side, :n] = arm.limits.lower + share * (arm.limits.upper - arm.limits.lower)
        return q


def _outside(value: float, ends: tuple[float, float]) -> float:
    return max(0.0, ends[0] - value, value - ends[1])


def _signs(body: Body, side: int) -> Array:
    """+1 for joints that turn alike on both sides, -1 for those that the left arm mirrors."""
    signs = np.ones(MAX_JOINTS)
    left, right = body.arms
    if side == LEFT and left and right and left.part == right.part:
        part = find_part("arm", left.part)(side)
        if isinstance(part, ArmPart) and part.mirror is not None:
            signs[: len(part.mirror)] = part.mirror
    return signs
