"""Both arms and the torso aligned together, in closed form (ours; the paper solves each arm alone).

A robot's shoulders are not where the model's are, and its upper arms have other lengths. ONIA makes up
for it by stretching. Here the torso gives way first: it moves a little, turns a little and shrugs, so
that each shoulder comes nearer to where its upper arm fits unstretched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.errors import ModelError
from elsewhere.motion.align.body import UP, BodyPose, align_body, unit
from elsewhere.motion.align.onia import Onia
from elsewhere.motion.align.pose import ArmPose
from elsewhere.motion.align.reference import ArmReference
from elsewhere.motion.align.solver import Solver
from elsewhere.motion.align.status import AlignStatus

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TorsoBounds:
    """How far the torso may give way. Ours: small enough that it still covers the robot's column."""

    shift: float = 0.05
    """Of the whole body [m]."""
    lean: float = np.radians(8.0)
    """Turn of the shoulder line: yaw and sideways lean together [rad]."""
    shrug: float = 0.03
    """Of each shoulder against the chest [m]. 0 for a model that cannot shrug."""

    def __post_init__(self) -> None:
        if not all(0.0 <= value < np.inf for value in (self.shift, self.lean, self.shrug)):
            raise ModelError("The bounds of the torso must be finite and not negative.")


@dataclass(frozen=True)
class BothArms:
    """The outcome: where the body is, how each shoulder is shrugged (2, 3) [m, world], both arms' poses."""

    body: BodyPose
    shrug: Array
    arms: tuple[HumanArm, HumanArm]
    """The model's arms where the body and the shrug bring them: what the poses apply to."""
    poses: tuple[ArmPose, ArmPose]
    status: AlignStatus
    """Of the body; each pose has its own."""


class Together:
    """Body alignment, then a torso that gives way, then a solver for each arm.

    With E_i the robot's elbow, s_i the model's shoulder after body alignment and L_i its upper arm, the
    shoulder should go by d_i = (1 - L_i / |E_i - s_i|) (E_i - s_i): the least way after which the bone
    fits. Three exact steps take as much of it as the bounds allow: the mean of both as a shift of the
    body; what is left of the shoulder line's direction as a turn; the rest, each for itself, as a shrug.

    Guarantees. Each step goes straight towards d_i, or turns towards it, so sum |left_i|^2 never grows; and
    | |E_i - s_i'| - L_i | <= |left_i| with equality before the first. Hence the criterion
    sum_i (|E_i - s_i| - L_i)^2, the squared misfit of the upper arms, is never worse than with the body
    alignment alone; where no bound is met it is zero; where the arms fit already nothing moves. Every
    step is continuous in its input. The forearms' stretch does not depend on the torso.
    """

    def __init__(self, solver: Solver | None = None, bounds: TorsoBounds | None = None) -> None:
        self.solver = solver or Onia()
        self.bounds = bounds or TorsoBounds()

    def solve(
        self,
        arms: tuple[HumanArm, HumanArm],
        references: tuple[ArmReference, ArmReference],
        up: ArrayLike = UP,
        last: BodyPose | None = None,
        states: tuple[Array, Array] | None = None,
    ) -> BothArms:
        """Lay the model over the robot: `arms` in the model's own frame, `references` with shoulders.

        `last` is the body's pose of the frame before, for when this frame has none; `states` are the
        solver's, one an arm.
        """
        shoulders = [reference.shoulder for reference in references]
        robot = np.array([np.full(3, np.nan) if s is None else s for s in shoulders])
        own = np.array([arm.shoulder for arm in arms])
        body, status = align_body(own, robot, up, last)
        placed = own @ body[0].T + body[1]
        elbows = np.array([reference.elbow for reference in references])
        lengths = np.array([np.linalg.norm(arm.upper) for arm in arms])
        lean, shift, shrug = self.torso(placed, elbows, lengths)
        middle = placed.mean(0)
        R = lean @ body[0]
        p = lean @ (body[1] - middle) + middle + shift
        moved = tuple(arm.moved(R, p + shrug[i]) for i, arm in enumerate(arms))
        state = states or (None, None)
        poses = tuple(self.solver.solve(moved[i], references[i], state[i]) for i in (0, 1))
        return BothArms((R, p), shrug, (moved[0], moved[1]), (poses[0], poses[1]), status)

    def torso(self, shoulders: Array, elbows: Array, lengths: Array) -> tuple[Array, Array, Array]:
        """Turn (3, 3) about the middle of the shoulders, shift (3,) and shrugs (2, 3) of the torso.

        `shoulders`, `elbows` (2, 3) and `lengths` (2,) of the upper arms, all in metres and in the world.
        """
        wanted = fitting(shoulders, elbows, lengths)
        if not np.isfinite(wanted).all():
            return np.eye(3), np.zeros(3), np.zeros((2, 3))
        shift = shortened(wanted.mean(0), self.bounds.shift)
        half = 0.5 * (shoulders[0] - shoulders[1])
        target = half + 0.5 * (wanted[0] - wanted[1])
        lean = turn_towards(half, target, self.bounds.lean)
        turned = lean @ half - half
        left = wanted - shift - np.array([turned, -turned])
        shrug = np.array([shortened(one, self.bounds.shrug) for one in left])
        return lean, shift, shrug


def fitting(shoulders: Array, elbows: Array, lengths: Array) -> Array:
    """The least ways (2, 3) of the shoulders after which each upper arm fits unstretched."""
    d = elbows - shoulders
    r = np.linalg.norm(d, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = (1.0 - lengths / r)[:, None] * d
    return found


def shortened(v: Array, most: float) -> Array:
    """`v`, at most as long as `most`."""
    length = float(np.linalg.norm(v))
    return v if length <= most else v * (most / length)


def turn_towards(a: Array, b: Array, most: float) -> Array:
    """The shortest rotation of a towards the direction of b, by at most the angle `most`."""
    x, y = unit(a), unit(b)
    axis = np.cross(x, y)
    sine, cosine = float(np.linalg.norm(axis)), float(x @ y)
    if not sine > 1e-12:
        return np.eye(3)
    angle = min(float(np.arctan2(sine, cosine)), most)
    axis /= sine
    K = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    R: Array = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
    return R
