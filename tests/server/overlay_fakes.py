"""A human and a solver of a few lines, that lay every arm exactly: for tests of the relay alone."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.server.overlay_solving import OverlaySolving


@dataclass
class Reference:
    elbow: np.ndarray
    wrist: np.ndarray
    hand: np.ndarray
    shoulder: np.ndarray


def swing(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The least rotation of the direction of a into that of b."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    v, c = np.cross(a, b), a @ b
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + K + K @ K / (1.0 + c)


class Exact:
    """Each segment swung and stretched onto the robot's."""

    def init(self, arm: HumanArm) -> None:
        return None

    def solve(self, arm: HumanArm, reference: Reference, state: object) -> SimpleNamespace:
        upper, fore = reference.elbow - arm.shoulder, reference.wrist - reference.elbow
        return SimpleNamespace(
            R_shoulder=swing(arm.upper, upper),
            R_elbow=swing(arm.fore, fore),
            R_wrist=reference.hand,
            stretch_upper=np.linalg.norm(upper) / np.linalg.norm(arm.upper),
            stretch_fore=np.linalg.norm(fore) / np.linalg.norm(arm.fore),
            status=SimpleNamespace(text="ok"),
        )


def align(human: np.ndarray, robot: np.ndarray, up: np.ndarray) -> tuple:
    text = "ok" if np.linalg.norm(robot[0] - robot[1]) > 0.01 else "degenerate"
    return (np.eye(3), robot.mean(axis=0) - human.mean(axis=0)), SimpleNamespace(text=text)


def fake_solving() -> OverlaySolving:
    """A T-pose 1.4 m high, and one exact solver."""
    arms = []
    for sign in (1.0, -1.0):
        points = [np.array([0.0, sign * y, 1.4]) for y in (0.18, 0.46, 0.72)]
        arms.append(HumanArm(*points, np.array([0.0, 0.0, sign]), np.array([0.0, 0.0, -1.0])))
    frames = [np.array([[0.0, -s, 0.0], [s, 0.0, 0.0], [0.0, 0.0, 1.0]]) for s in (1.0, -1.0)]
    fingers = tuple(SimpleNamespace(group=k, open_rad=0.0, closed_rad=k + 1.0) for k in range(3))
    human = SimpleNamespace(arms=tuple(arms), hand_frames=tuple(frames), fingers=(fingers, fingers))
    made = OverlaySolving(human, {"exact": Exact()}, align, Reference)
    made.human_glb = lambda: b"human"
    return made
