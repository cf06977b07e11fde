"""What the experiments of the overlay share: the robot, the human, the solvers and the session."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.bodies.human.human import Human
from elsewhere.bodies.human.make import make_human
from elsewhere.errors import RecordingError, UnknownNameError
from elsewhere.lab.experiment import Progress
from elsewhere.lab.overlay_replay import Replay
from elsewhere.lab.overlay_session import OverlaySession, read_session, watched
from elsewhere.lab.overlay_stage import both_arms
from elsewhere.lab.wearing import GivingWay, Outward, Separately, Wearer
from elsewhere.motion.align.registry import SOLVERS as ALIGN_SOLVERS
from elsewhere.rig import load_rig, parse_rig

Array = NDArray[np.float64]

SOLVERS = (*ALIGN_SOLVERS, GivingWay.name)


OUTWARD = (0.02, 0.04)
"""Metres. A YuMi's limbs run 40.5 mm beside its elbow axis."""
STATURE = 1.75
"""Of the person that is drawn [m]: the default body, whatever the robot."""


@cache
def person(stature: float = STATURE) -> Human:
    """The default body in this stature."""
    return make_human(stature)


@dataclass(frozen=True, eq=False)
class Scene:
    """A robot, from a rig or from the rig of a recording, and the human over it."""

    body: Body
    rig: str
    human: Human

    @classmethod
    def of(cls, rig: str, stature: float = STATURE) -> Scene:
        """The scene of a rig by name or file."""
        loaded = load_rig(rig)
        return cls(compose(loaded), loaded.path.read_text(), person(stature))

    @classmethod
    def recorded(cls, path: str, stature: float = STATURE) -> tuple[Scene, OverlaySession]:
        """The scene of a recording, and its session with a viewer."""
        session = read_session(path)
        rig = parse_rig(tomllib.loads(session.rig), where="the recorded rig", path=Path(path))
        scene = cls(compose(rig), session.rig, person(stature))
        joints = both_arms(scene.body)[0].chain.n
        if session.q.shape[2] < joints:
            raise RecordingError(f"{path} has {session.q.shape[2]} joints an arm, its rig {joints}.")
        return scene, scene.watched(session)

    @property
    def home(self) -> Array:
        """Joints (2, n) at which the robot waits."""
        return np.array([arm.home for arm in both_arms(self.body)])

    def watched(self, session: OverlaySession) -> OverlaySession:
        """The session with a viewer before the robot, unless it has one."""
        return watched(session, self.shoulders(session.q[0]))

    def shoulders(self, q: Array) -> Array:
        """The robot's shoulders (2, 3) for joints (2, n), in the base frame."""
        return np.array([arm.reference_points(q[k])[0] for k, arm in enumerate(both_arms(self.body))])

    def replay(self, *, occlusion: bool = False) -> Replay:
        """The scene as triangles."""
        return Replay(self.body, self.human, occlusion=occlusion)

    def wearers(self, names: tuple[str, ...], *, trapped: tuple[int, ...] = ()) -> list[Wearer]:
        """The solvers, each at its start."""
        return [
            GivingWay(self.human) if name == GivingWay.name else Separately(name, trapped=trapped)
            for name in names
        ]

    def outward(self) -> list[Wearer]:
        """ONIA over elbows that are moved towards the middle of the robot's limbs."""
        return [Outward(self.human, shift) for shift in OUTWARD]


def chosen(name: str) -> tuple[str, ...]:
    """All solvers, or the one named. Raises UnknownNameError."""
    if name and name not in SOLVERS:
        raise UnknownNameError("solver", name, SOLVERS)
    return (name,) if name else SOLVERS


def counted(progress: Progress, frames: int) -> Callable[[int], None]:
    """Tells now and then which frame is being replayed."""

    def tell(frame: int) -> None:
        if frame % 20 == 0:
            progress(f"Frame {frame + 1} of {frames}…")

    return tell
