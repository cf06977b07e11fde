"""A human model worn by a robot: body alignment and both arms, by any solver, frame after frame."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.bodies.human.arm import HumanArm
from elsewhere.bodies.human.human import Human
from elsewhere.motion.align.body import BodyPose, align_body
from elsewhere.motion.align.bounded import Bounded
from elsewhere.motion.align.fabrik import Fabrik
from elsewhere.motion.align.pose import ArmPose
from elsewhere.motion.align.reference import ArmReference
from elsewhere.motion.align.registry import make_align_solver
from elsewhere.motion.align.solver import Stateless
from elsewhere.motion.align.together import Together
from elsewhere.status import LEFT

Array = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])
STRAIGHT = 0.15  # difference of two unit vectors, 9 degrees: less is a straight arm


@dataclass(frozen=True, eq=False)
class RobotArms:
    """Shoulders, elbows, wrists (2, 3) [m] and palms (2, 3, 3) of the robot, in its base frame."""

    shoulders: Array
    elbows: Array
    wrists: Array
    palms: Array

    @classmethod
    def at(cls, arms: tuple[Arm, Arm], q: Array) -> RobotArms:
        """For joints `q` (2, joints). Raises ModelError for arms that are not built like a person's."""
        points = [arm.reference_points(q[side]) for side, arm in enumerate(arms)]
        shoulders, elbows, wrists = (np.array([each[k] for each in points]) for k in range(3))
        palms = np.array([arm.palm(q[side])[0] for side, arm in enumerate(arms)])
        return cls(shoulders, elbows, wrists, palms)


@dataclass(frozen=True, eq=False)
class Worn:
    """The human as a solver placed it: body pose, its arms in the default pose there, and their poses.

    `T_body` (4, 4) takes rest-pose points to the base frame; `shrug` (2, 3) [m] moves each shoulder
    besides. `micros` is the time that the solver took for one arm.
    """

    T_body: Array
    shrug: Array
    arms: tuple[HumanArm, HumanArm]
    references: tuple[ArmReference, ArmReference]
    poses: tuple[ArmPose, ArmPose]
    micros: float


@dataclass(frozen=True, eq=False)
class Fitting:
    """A frame before its arms are solved: the body by its shoulders (ONIA, section II), the same for all.

    `body` is R, p of the model; `arms` its arms there, in the default pose.
    """

    robot: RobotArms
    body: BodyPose
    arms: tuple[HumanArm, HumanArm]
    references: tuple[ArmReference, ArmReference]

    @classmethod
    def of(cls, human: Human, robot: RobotArms, last: BodyPose | None = None) -> Fitting:
        """Lay the shoulders over the robot's; where that is undefined the body stays where it was."""
        shoulders = np.array([arm.shoulder for arm in human.arms])
        (R, p), _ = align_body(shoulders, robot.shoulders, UP, last)
        arms = human.arms[0].moved(R, p), human.arms[1].moved(R, p)
        return cls(robot, (R, p), arms, references_of(human, robot, R))


class Wearer(ABC):
    """Lays a human over a robot. What it remembers from frame to frame is its own.

    `remembers` tells whether a frame depends on those before it: if not, frames may be left out.
    """

    name: str
    remembers: bool

    @abstractmethod
    def step(self, fitting: Fitting) -> Worn:
        """The human of the next frame."""


class Separately(Wearer):
    """Each arm alone, by a solver of `motion.align`."""

    def __init__(self, name: str, *, trapped: tuple[int, ...] = ()) -> None:
        """`trapped` are the sides that start where the paper's FABRIK stuck, if it is FABRIK."""
        self.name = name
        self._solver = make_align_solver(name)
        self.remembers = not isinstance(self._solver, Stateless)
        self._states: list[Array] | None = None
        self._trapped = trapped

    def step(self, fitting: Fitting) -> Worn:
        """Solve left and right."""
        arms, references = fitting.arms, fitting.references
        if self._states is None:
            self._states = [self._start(side, arm) for side, arm in enumerate(arms)]
        solver, states = self._solver, self._states
        # Packed once for all solvers, by whoever comes first: that is not the solver's time.
        _ = arms[0].packed, arms[1].packed
        began = time.perf_counter_ns()
        left = solver.solve(arms[0], references[0], states[0])
        right = solver.solve(arms[1], references[1], states[1])
        micros = 5e-4 * (time.perf_counter_ns() - began)
        return Worn(placed(*fitting.body), np.zeros((2, 3)), arms, references, (left, right), micros)

    def _start(self, side: int, arm: HumanArm) -> Array:
        """The state before the first frame. FABRIK's is elbow, wrist and twist of the upper arm.

        Trapped, the arm is straight with the back of the elbow up, as far as the shoulder twists.
        """
        state = self._solver.init(arm)
        if side in self._trapped and isinstance(self._solver, Fabrik):
            twist = self._solver.limits.twist
            state[:] = (*arm.elbow, *arm.wrist, twist if side == LEFT else -twist)
        return state


class GivingWay(Wearer):
    """Both arms with a trunk that gives way (`motion.align.together`), and bounded stretch."""

    name = "together"
    remembers = False

    def __init__(self, human: Human) -> None:
        self._human, self._solver = human, Together(Bounded())

    def step(self, fitting: Fitting) -> Worn:
        """Trunk and arms at once."""
        human = self._human
        began = time.perf_counter_ns()
        found = self._solver.solve(human.arms, fitting.references, UP)
        micros = 5e-4 * (time.perf_counter_ns() - began)
        # The hand's turn was told for the upright body; the trunk has leant since.
        R, p = found.body
        references = references_of(human, fitting.robot, R)
        found = self._solver.solve(human.arms, references, UP)
        return Worn(placed(R, p), found.shrug, found.arms, references, found.poses, micros)


class Outward(Wearer):
    """ONIA laid over elbows that are moved out of the bend, towards the middle of the robot's limbs.

    A robot's elbow axis need not run through the middle of its limbs; a YuMi's lies 4 cm to the inside of
    both. This asks what that costs. `shift` is in metres; a straight arm has no outside and stays.
    """

    remembers = False

    def __init__(self, human: Human, shift: float) -> None:
        self.name = f"onia, elbow {100 * shift:.0f} cm outward"
        self._human, self._shift, self._onia = human, shift, Separately("onia")

    def step(self, fitting: Fitting) -> Worn:
        """ONIA with the moved elbows."""
        robot = fitting.robot
        upper, fore = robot.elbows - robot.shoulders, robot.wrists - robot.elbows
        out = _units(upper) - _units(fore)
        bent = np.linalg.norm(out, axis=1, keepdims=True) > STRAIGHT
        elbows = robot.elbows + np.where(bent, self._shift * _units(out), 0.0)
        return self._onia.step(Fitting.of(self._human, replace(robot, elbows=elbows), fitting.body))


def _units(vectors: Array) -> Array:
    lengths: Array = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-9)


def placed(R: Array, p: Array) -> Array:
    """A rotation and a shift as one matrix (4, 4)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def references_of(human: Human, robot: RobotArms, R_body: Array) -> tuple[ArmReference, ArmReference]:
    """What each arm is laid over; the hand's rotation from the default pose's palm to the robot's."""
    left, right = (
        ArmReference(
            robot.elbows[side],
            robot.wrists[side],
            robot.palms[side] @ (R_body @ human.hand_frames[side]).T,
            robot.shoulders[side],
        )
        for side in range(2)
    )
    return left, right
