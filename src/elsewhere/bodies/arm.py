"""Arms: as parts (a model with a root and a flange) and as mounted on an avatar."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco

from elsewhere.bodies.chain import Chain
from elsewhere.bodies.limits import JointLimits, Vector
from elsewhere.errors import ModelError

POINTS = ("shoulder", "elbow", "wrist")
"""What the reference joints of an arm stand for."""


@dataclass(frozen=True)
class ArmPart:
    """An arm alone. `flange` is a site whose +z leaves the last link: it carries the hand.

    Joints and actuators have the same names (motors, gear 1, in N m). `near_shoulder` and
    `near_hand` are the links that touch the torso and the hand by design. `home` gives, for a mount
    by name, good poses of the right arm for work on a table, from which the palm's home is searched;
    `mirror` the signs that turn them into the left arm's. Without an entry the search starts in the
    middle of the joint ranges.

    `reference` are the joints (counted from 0) whose centres stand for shoulder, elbow and wrist when a
    person is drawn over the robot; empty where the arm is not built like a human one.
    `flange_radius` [m] is that of the plate drawn at the flange.
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
    reference: tuple[int, ...] = ()
    flange_radius: float = 0.036


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
    reference: tuple[int, ...] = ()

    def reference_points(self, q: Vector) -> tuple[Vector, Vector, Vector]:
        """Shoulder, elbow and wrist [m] for joints `q`, in the base frame. Raises ModelError."""
        if len(self.reference) != len(POINTS) or max(self.reference) >= self.chain.n:
            raise ModelError(
                f"The arm '{self.part}' of {self.chain.n} joints names {len(self.reference)} as reference "
                f"points. A person can be drawn over an arm that names three: {', '.join(POINTS)}."
            )
        origins = self.chain.origins(q)
        shoulder, elbow, wrist = (origins[index] for index in self.reference)
        return shoulder, elbow, wrist

    def palm(self, q: Vector) -> tuple[Vector, Vector]:
        """Rotation (3, 3) and position (3,) of the palm for joints `q`, in the base frame."""
        R, p, _ = self.chain.forward(q)
        return R, p
