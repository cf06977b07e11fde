"""All alignment solvers on one dual-arm pose: the one place where the overlay meets `motion.align`.

The body is laid between the shoulders first; then each solver lays each arm of that body over the robot's.
Rotations are those of the default pose after the body was laid, as the solvers have them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.gltf import to_glb
from elsewhere.bodies.human.make import make_human
from elsewhere.messages import Quaternion, Vector3, quaternion, vector3
from elsewhere.motion.align.body import align_body
from elsewhere.motion.align.reference import ArmReference
from elsewhere.motion.align.registry import make_align_solver
from elsewhere.overlay_messages import (
    ArmPoints,
    HumanAnnotation,
    HumanArmRest,
    OverlayArm,
    OverlaySolved,
)
from elsewhere.server.overlay_poses import ArmSample

Array = NDArray[np.float64]
Pair = tuple[ArmSample, ArmSample]

SOLVERS = ("onia", "bounded", "dls", "fabrik")
UP = np.array([0.0, 0.0, 1.0])
_BODY_FAULTS = dict.fromkeys(
    ("degenerate", "held"), "the robot's shoulders do not say where a body should be"
)


class OverlaySolving:
    """A human and the solvers that lay it over a robot.

    `solvers` by name: `init(arm) -> state`, `solve(arm, reference, state) -> ArmPose`. `align` is
    `motion.align.body.align_body`, `reference` the class `ArmReference`.
    """

    def __init__(self, human: Any, solvers: Mapping[str, Any], align: Any, reference: Any) -> None:
        self.human, self.names = human, list(solvers)
        self._solvers = list(solvers.values())
        self._states = [[solver.init(arm) for arm in human.arms] for solver in self._solvers]
        self._align, self._reference = align, reference
        self._shoulders = np.array([arm.shoulder for arm in human.arms])
        self._fingers = [_finger_ends(human, side) for side in range(2)]
        self._body = (np.eye(3), np.zeros(3))
        self.fault = ""
        """Why the last pose has no place for the body, which stays where it was; else empty."""

    @classmethod
    def ready(cls) -> OverlaySolving:
        """The default human and every solver."""
        solvers = {name: make_align_solver(name) for name in SOLVERS}
        return cls(make_human(), solvers, align_body, ArmReference)

    @property
    def default(self) -> str:
        """The solver that a viewer sees first."""
        return self.names[0]

    def solve(self, arms: Pair) -> tuple[list[OverlaySolved], tuple[ArmPoints, ArmPoints]]:
        """What every solver makes of this pose, and the reference that it was given."""
        robot = np.array([arm.shoulder for arm in arms])
        body, status = self._align(self._shoulders, robot, UP)
        self.fault = _BODY_FAULTS.get(status.text, "")
        if not self.fault:
            self._body = body
        R, p = self._body
        laid = [arm.moved(R, p) for arm in self.human.arms]
        # Takes the hand of the laid body to the robot's palm: both palm frames have the same axes.
        hands = [arm.hand @ (R @ frame).T for arm, frame in zip(arms, self.human.hand_frames, strict=True)]
        references = [
            self._reference(arm.elbow, arm.wrist, hand, arm.shoulder)
            for arm, hand in zip(arms, hands, strict=True)
        ]
        # Once beforehand, so that not the first one timed pays for what all of them share.
        self._solvers[0].solve(laid[0], references[0], self._solvers[0].init(laid[0]))
        solved = []
        for solver, states in zip(self._solvers, self._states, strict=True):
            began = time.perf_counter_ns()
            poses = [
                solver.solve(arm, reference, state)
                for arm, reference, state in zip(laid, references, states, strict=True)
            ]
            micros = 1e-3 * (time.perf_counter_ns() - began)
            told = [_told(*each) for each in zip(poses, laid, references, strict=True)]
            solved.append(OverlaySolved(vector3(p), rotation_message(R), (told[0], told[1]), micros))
        points = [_points(arm, hand) for arm, hand in zip(arms, hands, strict=True)]
        return solved, (points[0], points[1])

    def fingers(self, openings: tuple[float, float]) -> tuple[Vector3, Vector3]:
        """Angles of thumb, index and others [rad] for the grippers' openings, linear between the ends."""
        left, right = (
            vector3(closed + min(max(opening, 0.0), 1.0) * (opened - closed))
            for (opened, closed), opening in zip(self._fingers, openings, strict=True)
        )
        return left, right

    def annotation(self) -> HumanAnnotation:
        """What a viewer is told of the human."""
        names = ("shoulder", "elbow", "wrist", "elbow_axis", "wrist_vector")
        arms = [HumanArmRest(*(vector3(getattr(arm, name)) for name in names)) for arm in self.human.arms]
        left, right = (rotation_message(frame) for frame in self.human.hand_frames)
        return HumanAnnotation((arms[0], arms[1]), (left, right))

    def human_glb(self) -> bytes:
        """The human as a .glb file."""
        return to_glb(self.human)


def _finger_ends(human: Any, side: int) -> tuple[Array, Array]:
    """Angles of thumb, index and others of an open and of a closed hand [rad]."""
    opened, closed = np.zeros(3), np.zeros(3)
    for finger in getattr(human, "fingers", ((), ()))[side]:
        opened[finger.group], closed[finger.group] = finger.open_rad, finger.closed_rad
    return opened, closed


def _told(pose: Any, arm: Any, reference: Any) -> OverlayArm:
    """A solver's pose as it is sent, with what it misses (ONIA, eq. 21 and 22)."""
    elbow = arm.shoulder + pose.stretch_upper * (pose.R_shoulder @ arm.upper)
    wrist = elbow + pose.stretch_fore * (pose.R_elbow @ arm.fore)
    return OverlayArm(
        shoulder_q=rotation_message(pose.R_shoulder),
        elbow_q=rotation_message(pose.R_elbow),
        wrist_q=rotation_message(pose.R_wrist),
        stretch_upper=float(pose.stretch_upper),
        stretch_fore=float(pose.stretch_fore),
        elbow_off=math.dist(elbow, reference.elbow),
        wrist_off=math.dist(wrist, reference.wrist),
        status=pose.status.text,
    )


def _points(arm: ArmSample, hand: Array) -> ArmPoints:
    return ArmPoints(vector3(arm.shoulder), vector3(arm.elbow), vector3(arm.wrist), rotation_message(hand))


def rotation_message(R: Array) -> Quaternion:
    """A rotation matrix as w, x, y, z."""
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.asarray(R, np.float64).reshape(9))
    return quaternion(quat)
