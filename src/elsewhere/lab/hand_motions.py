"""What two hands did in NimbRo's semifinal tasks, as smooth seeded paths: reach, turn, shake, place.

Every motion is made of minimum-jerk pieces at the speed of unhurried people (peaks of 0.2 to 0.8 m/s),
relative to where the hands rest. Nothing in it knows an avatar, and nothing is tuned to one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elsewhere.spatial.minimum_jerk import PEAK, progress

Array = NDArray[np.float64]

Piece = Callable[[float], Array]
"""Way (3) and rotation vector (3) from the resting pose, after a share 0..1 of the piece's time."""

REACH = np.array([0.14, 0.10, 0.12])  # m: how far from rest hands go, forward, aside, up
TURN = np.array([0.5, 0.3, 0.4])  # rad


@dataclass
class HandPath:
    """The path of one hand: pieces one after the other. `at` gives pose offsets at any time."""

    rng: np.random.Generator
    starts: list[float] = field(default_factory=list)
    pieces: list[tuple[float, Piece]] = field(default_factory=list)
    end: float = 0.0
    here: Array = field(default_factory=lambda: np.zeros(6))

    def at(self, t: float) -> Array:
        """Way and rotation vector from the resting pose, t seconds after the start."""
        if not self.pieces or t <= 0.0:
            return np.zeros(6)
        index = int(np.searchsorted(self.starts, t, side="right")) - 1
        duration, piece = self.pieces[index]
        return piece(min(1.0, (t - self.starts[index]) / duration))

    def add(self, duration: float, piece: Piece) -> None:
        """Go on with a piece."""
        self.starts.append(self.end)
        self.pieces.append((duration, piece))
        self.end += duration
        self.here = piece(1.0)

    def rest(self, duration: float) -> None:
        """Stay."""
        here = self.here.copy()
        self.add(duration, lambda _: here)

    def go(self, goal: Array, speed: float) -> None:
        """One minimum-jerk reach with this peak speed [m/s]; turns are as unhurried."""
        start, way = self.here.copy(), goal - self.here
        longest = max(float(np.linalg.norm(way[:3])) / speed, float(np.linalg.norm(way[3:])) / 1.5)
        self.add(max(0.35, PEAK * longest), lambda share: start + progress(share) * way)

    def somewhere(self, speed: float) -> None:
        """Reach to a place, and a turn of the hand, within what hands at a table do."""
        goal = np.concatenate([self.rng.uniform(-REACH, REACH), self.rng.uniform(-TURN, TURN)])
        self.go(goal, speed)
        self.rest(float(self.rng.uniform(0.1, 0.5)))

    def circle(self, radius: float, rounds: float, seconds: float) -> None:
        """Circles in an upright plane, from rest to rest."""
        start = self.here.copy()

        def piece(share: float) -> Array:
            angle = 2.0 * math.pi * rounds * progress(share)
            way = np.zeros(6)
            way[1], way[2] = radius * math.sin(angle), radius * (1.0 - math.cos(angle))
            return start + way

        self.add(seconds, piece)

    def shake(self, height: float, times: int, rate_hz: float) -> None:
        """Shake a hand: up and down, growing and fading."""
        start = self.here.copy()

        def piece(share: float) -> Array:
            way = np.zeros(6)
            way[2] = height * math.sin(math.pi * share) * math.sin(2.0 * math.pi * times * share)
            return start + way

        self.add(times / rate_hz, piece)

    def turn(self, axis: int, angle: float) -> None:
        """Turn the wrist there and back."""
        for goal in (angle, -0.6 * angle, 0.0):
            pose = self.here.copy()
            pose[3 + axis] = goal
            self.go(pose, 0.5)

    def place(self, speed: float) -> None:
        """Take a piece here, carry it there, set it down with care."""
        for _ in range(2):
            over = np.concatenate([self.rng.uniform(-REACH, REACH), self.rng.uniform(-TURN, TURN)])
            over[2] = self.rng.uniform(0.0, 0.06)
            self.go(over, speed)
            down = over - np.array([0.0, 0.0, 0.07, 0.0, 0.0, 0.0])
            self.go(down, 0.2)
            self.rest(0.4)
            self.go(over, 0.25)


def jigsaw(path: HandPath) -> None:
    """Place pieces of a puzzle."""
    for _ in range(3):
        path.place(float(path.rng.uniform(0.35, 0.6)))


def deal(path: HandPath) -> None:
    """Greet, shake hands, raise a glass, reach for papers."""
    path.go(np.array([0.14, 0.02, 0.08, 0.0, 0.0, 0.0]), 0.5)
    path.shake(0.04, 5, 1.8)
    path.rest(0.5)
    for _ in range(4):
        path.somewhere(float(path.rng.uniform(0.3, 0.8)))
    path.shake(0.05, 3, 1.2)


def artefact(path: HandPath) -> None:
    """Reach for a thing, turn it about, follow its shape."""
    for _ in range(2):
        path.somewhere(float(path.rng.uniform(0.3, 0.6)))
        path.turn(int(path.rng.integers(0, 3)), 0.6)
        path.circle(0.06, 2.0, 4.0)


SCENARIOS: dict[str, Callable[[HandPath], None]] = {"jigsaw": jigsaw, "deal": deal, "artefact": artefact}
"""The three scenarios of the semifinal."""


def both_hands(scenario: str, seed: int) -> tuple[HandPath, HandPath]:
    """Left and right hand in a scenario. The same seed gives the same paths."""
    number = sorted(SCENARIOS).index(scenario)
    hands = tuple(HandPath(np.random.default_rng([seed, number, side])) for side in range(2))
    for path in hands:
        path.rest(0.3)
        SCENARIOS[scenario](path)
        path.go(np.zeros(6), 0.5)
        path.rest(0.3)
    return hands[0], hands[1]
