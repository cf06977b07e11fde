"""Arms: as parts (a model with a root and a flange) and as mounted on an avatar."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco

from elsewhere.bodies.chain import Chain
from elsewhere.bodies.limits import JointLimits, Vector


@dataclass(frozen=True)
class ArmPart:
    """An arm alone. `flange` is a site whose +z leaves the last link: it carries the hand.

    Joints and actuators have the same names (motors, gear 1, in N m). `near_shoulder` and
    `near_hand` are the links that touch the torso and the hand by design. `home` gives, for a mount
    by name, good poses of the right arm for work on a table, from which the palm's home is searched;
    `mirror` the signs that turn them into the left arm's. Without an entry the search starts in the
    middle of the joint ranges.
    """

    name: str
    spec: mujoco.MjSpec
    root: str
    joints: tuple[str, ...]
    flange: str
    limits: JointLimits
    near_shoulder: tuple[str, ...] = ()
    near_hand: tuple[str, ...] = ()
    home: dict[str, tuple[Vector, ...]] = field(default_factory=dict)
    mirror: Vector | None = None


@dataclass(frozen=True)
class Arm:
    """An arm as mounted. `home` is where it waits; `neutral` is the middle of its joint ranges.

    `chain` goes from the base frame to the palm, with the hand's mass lumped into the last link.
    """

    side: int
    part: str
    joints: tuple[str, ...]
    limits: JointLimits
    home: Vector
    neutral: Vector
    chain: Chain
