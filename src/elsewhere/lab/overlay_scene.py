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
from elsewhere.motion.align.fit import upper_arm_scale
from elsewhere.motion.align.registry import SOLVERS as ALIGN_SOLVERS
from elsewhere.rig import load_rig, parse_rig

Array = NDArray[np.float64]

SOLVERS = (*ALIGN_SOLVERS, GivingWay.name)


OUTWARD = (0.02, 0.04)
"""Metres. A YuMi's limbs run 40.5 mm beside its elbow axis."""
STATURE = 1.75
"""Of the default body [m]."""
LIKE_THE_PAPERS = 0.0
"""Instead of a stature: the default body so large that its upper arms are as long as the robot's.

The paper does not say how large its person was drawn, but its ONIA stretched the upper arm less than any
other solver and the forearm by up to 1.5; that is so at this size, and not with an adult in true size.
"""


@cache
def person(stature: float = STATURE) -> Human:
    """The default body in this stature."""
    return make_human(stature)


def sized(body: Body, stature: float) -> tuple[Human, float]:
    """A person of this stature, or one `LIKE_THE_PAPERS`; and the stature."""
    if stature != LIKE_THE_PAPERS:
        return person(stature), stature
    human = person()
    scale = upper_arm_scale(human.arms, [arm.reference_points(arm.home) for arm in both_arms(body)])
    return human.scaled(scale), scale * STATURE


@dataclass(frozen=True, eq=False)
class Scene:
    """A robot, from a rig or from the rig of a recording, and the human over it."""

    body: Body
    rig: str
    human: Human
    stature: float

    @classmethod
    def of(cls, rig: str, stature: float = LIKE_THE_PAPERS) -> Scene:
        """The scene of a rig by name or file."""
        loaded = load_rig(rig)
        body = compose(loaded)
        return cls(body, loaded.path.read_text(), *sized(body, stature))

    @classmethod
    def recorded(cls, path: str, stature: float = LIKE_THE_PAPERS) -> tuple[Scene, OverlaySession]:
        """The scene of a recording, and its session with a viewer."""
        session = read_session(path)
        rig = parse_rig(tomllib.loads(session.rig), where="the recorded rig", path=Path(path))
        body = compose(rig)
        scene = cls(body, session.rig, *sized(body, stature))
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
