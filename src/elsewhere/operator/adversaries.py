"""Operators that no one wishes an avatar: each does one thing that broke some system before.

All write raw records, past the checks of the link, as `HostileOperator` does. They see the avatar's
tap, so that they can lead a hand to where it must not go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from elsewhere.operator.hostile import MS, HostileOperator
from elsewhere.records import FRAME, Record, zeros

Array = NDArray[np.float64]
FRAME_MS = 11  # a headset's 90 Hz


class Adversary(ABC):
    """Sends frames at 90 Hz, hands tracked and clutched; what they do is the subclass's."""

    def __init__(self, seed: int, session: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.frame = zeros(FRAME)
        self.frame["session"] = session
        for name in ("tracked", "clutch", "head_tracked"):
            self.frame[name] = 1
        self._next_ns = 0

    def step(self, now_ns: int, tap: Record) -> Record:
        """What lies in the slot at `now_ns`; `tap` is the avatar's last tick."""
        if now_ns >= self._next_ns:
            self._next_ns = now_ns + FRAME_MS * MS
            self.frame["seq"] += np.uint64(1)
            self.frame["sampled_ns"] = now_ns - int(self.rng.integers(0, 15)) * MS
            self.act(self.frame, now_ns, tap)
        return self.frame

    @abstractmethod
    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Change the frame that is sent next."""


class Hostile(Adversary):
    """`HostileOperator`: spoils everything in turn."""

    def __init__(self, seed: int, session: int) -> None:
        super().__init__(seed, session)
        self.inner = HostileOperator(seed)
        self.inner.frame["session"] = session

    def step(self, now_ns: int, tap: Record) -> Record:
        """See `HostileOperator.step`."""
        return self.inner.step(now_ns)

    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Nothing beside."""


class Frozen(Adversary):
    """Freezes for up to half a second in mid motion, and comes back with the hands elsewhere."""

    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Move on, or fall silent."""
        frame["hand_p"] += self.rng.normal(size=(2, 3)) * 0.01
        if self.rng.random() < 0.03:
            self._next_ns = now_ns + int(self.rng.integers(50, 500)) * MS
            frame["hand_p"] = self.rng.normal(size=(2, 3))


class Jittering(Adversary):
    """Trembles by centimetres from frame to frame, and the clutch with it."""

    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Tremble."""
        frame["hand_p"] = self.rng.normal(size=(2, 3)) * 0.03
        frame["hand_q"] = _turned(frame["hand_q"], self.rng.normal(size=(2, 3)) * 0.1)
        frame["clutch"] = self.rng.random(2) < 0.9


class Flipping(Adversary):
    """Turns the hands by pi about some axis from one frame to the next."""

    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Flip now and then, turn slowly between, sometimes slowly through pi."""
        spin = self.rng.normal(size=(2, 3)) * 0.05
        if self.rng.random() < 0.2:
            spin = self.rng.normal(size=(2, 3))
            spin *= np.pi / np.linalg.norm(spin, axis=1, keepdims=True)
        frame["hand_q"] = _turned(frame["hand_q"], spin)


class Jumping(Adversary):
    """Jumps by two metres, and moves at 8 m/s between."""

    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Jump or dash."""
        step = self.rng.normal(size=(2, 3))
        step /= np.linalg.norm(step, axis=1, keepdims=True)
        frame["hand_p"] += step * (2.0 if self.rng.random() < 0.1 else 8.0 * FRAME_MS * 1e-3)


class Waving(Adversary):
    """Waves as fast as arms can and faster, at frequencies up to 5 Hz."""

    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Swing, and from time to time otherwise."""
        if frame["seq"] % 90 == 1:
            self._size = self.rng.uniform(0.05, 0.6, (2, 3))
            self._rate = 2.0 * np.pi * self.rng.uniform(0.3, 5.0, (2, 3))
        frame["hand_p"] = self._size * np.sin(self._rate * now_ns * 1e-9)


class Leading(Adversary):
    """Leads the targets to a place, wherever they are now, and from there to the next."""

    PLACES: tuple[tuple[float, float, float], ...] = ()
    SPEED = 1.0

    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Go on towards a place, or choose another."""
        if frame["seq"] % 70 == 1:
            self._goals = self.goals(tap)
            self._speed = self.SPEED * self.rng.choice([0.2, 1.0, 3.0])
        way = self._goals - tap["target_p"]
        distance = np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-6)
        frame["hand_p"] += way / distance * np.minimum(distance, self._speed * FRAME_MS * 1e-3)

    def goals(self, tap: Record) -> Array:
        """Where both hands are led."""
        places = np.array(self.PLACES)
        return places[self.rng.integers(0, len(places), 2)] + self.rng.normal(size=(2, 3)) * 0.05


class IntoTheBody(Leading):
    """Leads the hands into torso, head and shoulders, and out again."""

    PLACES = ((-0.15, 0.0, 0.95), (0.0, 0.0, 1.3), (0.0, 0.0, 0.6), (0.0, 0.25, 1.1), (0.5, 0.0, 1.0))


class FarOutside(Leading):
    """Leads the hands a metre out of reach, and back."""

    PLACES = ((2.0, 0.0, 1.0), (0.5, 1.8, 1.0), (0.5, -1.8, 1.0), (0.5, 0.0, 2.6), (-1.5, 0.0, 1.0))
    SPEED = 2.0

    def goals(self, tap: Record) -> Array:
        """Out, or back to the table."""
        if self.rng.random() < 0.4:
            return np.array([[0.5, 0.2, 0.95], [0.5, -0.2, 0.95]])
        return super().goals(tap)


class IntoEachOther(Leading):
    """Leads each hand to where the other one is."""

    def goals(self, tap: Record) -> Array:
        """The other palm, and a little beyond."""
        return np.array(tap["palm_p"][::-1] + self.rng.normal(size=(2, 3)) * 0.1)


class NotANumber(Adversary):
    """Every few frames something is not a number."""

    def act(self, frame: Record, now_ns: int, tap: Record) -> None:
        """Spoil one number, and put it right in the next frame."""
        for name in ("hand_p", "hand_q", "fingers", "head_q", "base_twist"):
            frame[name] = np.where(np.isfinite(frame[name]), frame[name], 0.5)
        frame["hand_q"] = _turned(frame["hand_q"], np.zeros((2, 3)))
        frame["head_q"] /= np.linalg.norm(frame["head_q"])
        frame["hand_p"] += self.rng.normal(size=(2, 3)) * 0.02
        if self.rng.random() < 0.4:
            name = self.rng.choice(["hand_p", "hand_q", "fingers", "head_q", "base_twist"])
            bad = self.rng.choice([np.nan, np.inf, -np.inf])
            frame[name].reshape(-1)[self.rng.integers(frame[name].size)] = bad


def _turned(quaternions: Array, vectors: Array) -> Array:
    """Unit quaternions (2, 4) turned by rotation vectors (2, 3), in the room."""
    angles = np.linalg.norm(vectors, axis=1, keepdims=True)
    axes = vectors / np.maximum(angles, 1e-12)
    w, v = np.cos(0.5 * angles), axes * np.sin(0.5 * angles)
    a, b = quaternions[:, :1], quaternions[:, 1:]
    turned = np.concatenate(
        [w * a - np.sum(v * b, axis=1, keepdims=True), w * b + a * v + np.cross(v, b)], axis=1
    )
    norms = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.where(norms > 1e-6, turned / np.maximum(norms, 1e-6), np.array([1.0, 0.0, 0.0, 0.0]))


ADVERSARIES: dict[str, Callable[[int, int], Adversary]] = {
    "hostile": Hostile,
    "frozen": Frozen,
    "jittering": Jittering,
    "flipping by pi": Flipping,
    "jumping 2 m": Jumping,
    "waving": Waving,
    "into the body": IntoTheBody,
    "a metre outside": FarOutside,
    "into each other": IntoEachOther,
    "not a number": NotANumber,
}
"""Every adversary by name: made from a seed and a session number."""
