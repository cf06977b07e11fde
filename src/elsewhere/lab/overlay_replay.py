"""A session replayed through solvers: the same motion and the same eye for each (ONIA, section IV).

Nothing is random and no clock decides: a replay gives the same numbers each time, but for `micros`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.bodies.human.human import Human
from elsewhere.bodies.human.skin import skinned
from elsewhere.lab.arm_anatomy import anatomy
from elsewhere.lab.overlay_ratio import NO_ARM, Mesh, OverlayView
from elsewhere.lab.overlay_session import OverlaySession
from elsewhere.lab.overlay_stage import RobotMesh
from elsewhere.lab.wearing import Fitting, RobotArms, Wearer, Worn
from elsewhere.motion.align.dress import dress
from elsewhere.motion.align.fingers import FingerRange
from elsewhere.motion.align.status import AlignStatus
from elsewhere.status import SIDES

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

_EACH = np.dtype(
    [
        ("overlay", "f8"),  # of this arm, nan where none of it is in view
        ("elbow_off", "f8"),  # m, eq. 21
        ("wrist_off", "f8"),  # m, eq. 22
        ("stretch_upper", "f8"),
        ("stretch_fore", "f8"),
        ("status", "i8"),
        ("swing_over", "f8"),  # rad beyond the joint limit of a person
        ("twist_over", "f8"),
        ("hinge_over", "f8"),
        ("micros", "f8"),
    ]
)
METRICS = tuple(name for name in _EACH.names or () if name != "status")


@dataclass(frozen=True, eq=False)
class Track:
    """What one solver did with the measured frames of a session.

    `arms` (n, 2) of records; `overlay` (n,) of both arms together, nan where no arm is in view; `seconds`
    is what it took: moving and drawing the robot, solving, skinning, drawing the human, counting.
    """

    solver: str
    frames: NDArray[np.intp]
    time: Array
    overlay: Array
    arms: NDArray[np.void]
    pictures: dict[int, Image] = field(default_factory=dict)
    seconds: float = 0.0

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row for each frame and arm."""
        for k, frame in enumerate(self.frames):
            for side, name in enumerate(SIDES):
                each = self.arms[k, side]
                row = {
                    "solver": self.solver,
                    "frame": int(frame),
                    "time": float(self.time[k]),
                    "side": name,
                }
                row |= {metric: float(each[metric]) for metric in METRICS}
                yield {**row, "status": AlignStatus(int(each["status"])).text}


class Replay:
    """A robot and a human before a viewer."""

    def __init__(self, body: Body, human: Human, *, occlusion: bool = False) -> None:
        self._body, self._human = body, human
        self._robot = RobotMesh(body)
        self._faces = np.ascontiguousarray(human.mesh.triangles, np.int32)
        self._labels = np.full(len(self._faces), NO_ARM, np.uint8)
        self._skin = np.empty_like(human.mesh.vertices), np.empty_like(human.mesh.normals)
        self._range = FingerRange()
        self._joints_of = [_arm_joints(human, side) for side in range(2)]
        self._occlusion = occlusion

    @property
    def triangles(self) -> tuple[int, int]:
        """How many triangles the robot and the human have."""
        return self._robot.triangles, len(self._faces)

    def run(
        self,
        session: OverlaySession,
        wearers: Sequence[Wearer],
        *,
        measured: Sequence[int] | None = None,
        pictured: Sequence[int] = (),
        progress: Callable[[int], None] | None = None,
    ) -> list[Track]:
        """Replay through every wearer, each from its start.

        Solvers that remember are given all frames, the others those that count. Only frames in `measured`
        (all, if None) are drawn and noted; pictures are kept of those in `pictured`.
        """
        frames = np.arange(len(session)) if measured is None else np.unique(measured)
        began = time.perf_counter()
        fittings = self._fittings(session, set(frames.tolist()), any(w.remembers for w in wearers))
        shared = time.perf_counter() - began
        tracks, solved = [], []
        for wearer in wearers:
            # One solver after the other, so that each is timed with its own code at hand.
            began = time.perf_counter()
            solved.append(_solved(wearer, fittings, set(frames.tolist())))
            spent = shared + time.perf_counter() - began
            n = len(frames)
            arms, overlay = np.zeros((n, 2), _EACH), np.full(n, np.nan)
            tracks.append(Track(wearer.name, frames, session.time[frames], overlay, arms, seconds=spent))
        return self._drawn(session, tracks, solved, frozenset(pictured), progress)

    def _fittings(self, session: OverlaySession, wanted: set[int], every: bool) -> dict[int, Fitting]:
        """The body over the robot in each frame, or in those that are wanted."""
        found: dict[int, Fitting] = {}
        body = None
        for frame in range(len(session)):
            if every or frame in wanted:
                robot = RobotArms.at(self._robot.arms, session.q[frame])
                found[frame] = Fitting.of(self._human, robot, body)
                body = found[frame].body
        return found

    def _drawn(
        self,
        session: OverlaySession,
        tracks: list[Track],
        solved: list[dict[int, Worn]],
        pictured: frozenset[int],
        progress: Callable[[int], None] | None,
    ) -> list[Track]:
        """Draw every frame that counts: the robot once, then each human over it."""
        view = OverlayView(session.width, session.height, occlusion=self._occlusion)
        spent = np.zeros(len(tracks))
        for at, frame in enumerate(tracks[0].frames.tolist() if tracks else []):
            if progress is not None:
                progress(at)
            began, opening = time.perf_counter(), session.opening[frame]
            view.see_robot(session.viewer(frame), self._robot.posed(session.q[frame], opening))
            spent += time.perf_counter() - began
            for k, track in enumerate(tracks):
                began, worn = time.perf_counter(), solved[k][frame]
                overlap = view.over(self._dressed(worn, opening))
                track.overlay[at] = _number(overlap.ratio)
                for side in range(2):
                    _note(track.arms[at, side], worn, side, overlap.arms[side])
                spent[k] += time.perf_counter() - began
                if frame in pictured:
                    track.pictures[frame] = view.picture()
        return [replace(track, seconds=track.seconds + s) for track, s in zip(tracks, spent, strict=True)]

    def _dressed(self, worn: Worn, opening: Array) -> Mesh:
        fingers = [self._range.angles(float(each)).tolist() for each in opening]
        matrices = dress(self._human, worn.T_body, worn.poses, fingers)
        for side in range(2):
            matrices[self._joints_of[side], :3, 3] += worn.shrug[side]
        points, _ = skinned(self._human, matrices, self._skin)
        return Mesh(points, self._faces, self._labels)


def _solved(wearer: Wearer, fittings: dict[int, Fitting], wanted: set[int]) -> dict[int, Worn]:
    """The human of each wanted frame; one that remembers is led through all."""
    found = {}
    for frame, fitting in fittings.items():
        if wearer.remembers or frame in wanted:
            worn = wearer.step(fitting)
            if frame in wanted:
                found[frame] = worn
    return found


def _arm_joints(human: Human, side: int) -> list[int]:
    """The joints that go where a shoulder goes: the clavicle, all below it, and helpers of the arm."""
    root = human.joint(f"{SIDES[side]}_shoulder")
    moved = {root} | {helper.joint for helper in human.helpers if helper.side == side}
    for index, joint in enumerate(human.joints):
        if joint.parent in moved:
            moved.add(index)
    return sorted(moved)


def _note(row: np.void, worn: Worn, side: int, overlay: float | None) -> None:
    arm, pose, reference = worn.arms[side], worn.poses[side], worn.references[side]
    row["overlay"], row["micros"] = _number(overlay), worn.micros
    row["elbow_off"], row["wrist_off"] = pose.deviation(arm, reference)
    row["stretch_upper"], row["stretch_fore"] = pose.stretch_upper, pose.stretch_fore
    row["status"] = int(pose.status)
    over = anatomy(arm, pose.R_shoulder, pose.R_elbow).over
    row["swing_over"], row["twist_over"], row["hinge_over"] = over


def _number(value: float | None) -> float:
    return np.nan if value is None else value
