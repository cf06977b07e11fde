"""What every solver of this comparison is: joints that follow a palm target, one iteration a sample."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm

Array = NDArray[np.float64]

FK_TOLERANCE = 1e-6
"""Farthest [m, and entries of the rotation] that a peer's palm may be from ours."""


class MissingPeerError(Exception):
    """A peer is not installed here."""


class ModelsDifferError(Exception):
    """A peer's arm is not our arm."""


def peer(name: str) -> ModuleType:
    """Import a peer's package; where it is missing, say how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPeerError(
            f"The peer '{name}' cannot be imported here: {error}. `make bench` installs it."
        ) from error


@dataclass(frozen=True)
class Settings:
    """How a peer is set up: weights of squared errors, where a metre of the palm weighs 1.

    The defaults are the best of `tuning` on both paths.
    """

    orientation: float = 0.03
    """Weight of a radian of the palm."""
    posture: float = 1e-3
    """Weight of a radian away from the posture."""
    damping: float = 1e-6
    """Weight of joint motion itself."""
    towards: str = "home"
    """Which posture: home, or neutral (the middle of the joint ranges)."""
    qp: str = "daqp"
    """Solver of the quadratic program, where the peer leaves the choice."""

    def posture_of(self, arm: Arm) -> Array:
        return arm.home if self.towards == "home" else arm.neutral

    def text(self) -> str:
        return (
            f"weights: orientation {self.orientation:g}, posture {self.posture:g} towards {self.towards}, "
            f"damping {self.damping:g}; {self.qp}"
        )


class Follower(ABC):
    """One solver on one arm. `step` is what is timed: everything from a target to the next joints."""

    name: str = ""

    def __init__(self, arm: Arm, dt: float) -> None:
        self.arm, self.dt = arm, dt
        self.failures = 0
        """Iterations in which the solver found nothing, and the joints stayed."""

    @abstractmethod
    def start(self, q: Array) -> None:
        """Begin at joints q, at rest."""

    @abstractmethod
    def step(self, p: Array, quat: Array) -> None:
        """One iteration towards a palm pose: position, and quaternion w, x, y, z."""

    @property
    @abstractmethod
    def joints(self) -> Array:
        """The joints after the last step."""

    @abstractmethod
    def palm(self, q: Array) -> tuple[Array, Array]:
        """Rotation and position of the palm for joints q, by the solver's own model."""

    def settings(self) -> str:
        """How it is set up, in words."""
        return ""


def check_kinematics(follower: Follower) -> float:
    """Largest difference between the solver's palm and ours, random joints. Raises ModelsDifferError."""
    arm, random = follower.arm, np.random.default_rng(0)
    worst = 0.0
    for _ in range(50):
        q = random.uniform(arm.limits.lower, arm.limits.upper)
        R, p, _ = arm.chain.forward(q)
        R_theirs, p_theirs = follower.palm(q)
        worst = max(worst, float(np.abs(R - R_theirs).max()), float(np.abs(p - p_theirs).max()))
    if not worst <= FK_TOLERANCE:
        raise ModelsDifferError(
            f"The palm of {follower.name} is {worst:.2e} away from ours. "
            f"It must be within {FK_TOLERANCE:g}: the exported arm is wrong."
        )
    return worst


def matrix(p: Array, quat: Array, out: Array) -> Array:
    """A pose as a homogeneous matrix (4, 4), written into `out`."""
    w, x, y, z = quat
    out[0, 0], out[0, 1], out[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    out[:3, 3] = p
    return out
