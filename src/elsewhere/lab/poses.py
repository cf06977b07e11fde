"""Experiment `poses`: twelve still poses of the robot, seen by a person who faces it (ONIA, Fig. 5, 6).

The robot goes through the poses in order, so that solvers that start from the last frame do as in the
paper; in each it waits, and the last frame of the wait is judged. The same is done with people of other
statures, because how long a person's arms are beside the robot's decides much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.lab.experiment import Experiment, Progress, Result, option
from elsewhere.lab.overlay_paper import HARD, SOURCE
from elsewhere.lab.overlay_replay import Track
from elsewhere.lab.overlay_scene import LIKE_THE_PAPERS, STATURE, Scene, chosen, counted, person
from elsewhere.lab.overlay_session import RATE_HZ, OverlaySession, session, standing
from elsewhere.lab.poses_verdict import notes, pictures, plots, verdict
from elsewhere.lab.registry import experiment
from elsewhere.lab.script_motion import motion_of
from elsewhere.lab.statistics import percentile
from elsewhere.lab.wearing import Separately, Wearer
from elsewhere.motion.align.status import AlignStatus
from elsewhere.motion.script import load_script
from elsewhere.status import LEFT, RIGHT

STUCK = ("3", "12")
Array = NDArray[np.float64]
Table = list[dict[str, Any]]
Medians = dict[str, dict[str, float]]

STATURES = (1.5, 1.6, 1.7, STATURE, 1.8, 1.9)
"""From a small woman to a tall man [m]: about the 3rd and the 97th of a hundred (ANSUR II)."""


@experiment("poses")
@dataclass(frozen=True)
class Poses(Experiment):
    """Every solver on every pose."""

    title = "Overlay on still poses"
    question = "How much of the robot's arms does the human hide, and what does each solver pay for it?"
    paper = f"{SOURCE}, section IV-B: twelve poses, Fig. 5 and 6, footnote 2."

    rig: str = option("overlay", "name or file of the rig")
    recording: str = option("", "a recording or session of your own: poses are where the arms stand still")
    solver: str = option("", "only this solver")
    stature: float = option(
        LIKE_THE_PAPERS, "of the human, in metres; 0: as large as the paper's seems to have been"
    )
    others: bool = option(True, "also measure people of other statures")
    occlusion: bool = option(False, "let the human hide the robot only where it is nearer to the eye")

    def run(self, progress: Progress) -> Result:
        """Go through all poses with all solvers."""
        names = chosen(self.solver)
        progress("Building robot and human…")
        scene, logged, frames, poses = self._motion()
        tracks = self._replay(scene.wearers(names), scene, logged, frames, progress, pictured=True)
        table = [row for track in tracks for row in rows_of(track, poses)]
        by_stature = {}
        for stature in STATURES if self.others else ():
            other = replace(scene, human=person(stature), stature=stature)

            def tell(text: str, stature: float = stature) -> None:
                progress(f"Stature {stature:.2f} m. {text}")

            found = self._replay(other.wearers(names), other, logged, frames, tell)
            by_stature[stature] = medians([row for track in found for row in rows_of(track, poses)])
        by_stature[scene.stature] = medians(table)
        by_stature = dict(sorted(by_stature.items()))
        trap = trapped(scene, logged, frames) if "fabrik" in names and not self.recording else {}
        moved: Medians = {}
        if "onia" in names:
            found = self._replay(scene.outward(), scene, logged, frames, progress)
            moved = medians([row for track in found for row in rows_of(track, poses)])
        own = bool(self.recording)
        return conclude(table, tracks, poses, by_stature, scene.stature, moved, trap, own=own)

    def _motion(self) -> tuple[Scene, OverlaySession, list[int], dict[str, str]]:
        """The scene, its session, the frames that count, and the poses: number or time, and name."""
        if self.recording:
            scene, logged = Scene.recorded(self.recording, self.stature)
            frames = standing(logged)
            return scene, logged, frames, {f"{logged.time[frame]:.1f} s": "" for frame in frames}
        scene, script = Scene.of(self.rig, self.stature), load_script("poses")
        motion = motion_of(script, scene.body, scene.home)
        logged = scene.watched(session(scene.rig, motion.q, motion.opening))
        poses = {str(k + 1): waypoint.name for k, waypoint in enumerate(script.waypoints)}
        return scene, logged, motion.stays, poses

    def _replay(
        self,
        wearers: list[Wearer],
        scene: Scene,
        logged: OverlaySession,
        frames: list[int],
        progress: Progress,
        pictured: bool = False,
    ) -> list[Track]:
        return scene.replay(occlusion=self.occlusion).run(
            logged,
            wearers,
            measured=frames,
            pictured=frames if pictured else (),
            progress=counted(progress, len(frames)),
        )


def conclude(
    table: Table,
    tracks: list[Track],
    poses: dict[str, str],
    by_stature: dict[float, Medians],
    stature: float,
    moved: Medians,
    trap: dict[str, float],
    *,
    own: bool = False,
) -> Result:
    """Rows, plots, pictures and notes. With `own` poses the paper's figures are left out."""
    summary = {
        "stature": stature,
        "rows": table,
        "medians": by_stature[stature],
        "by_stature": {f"{each:.2f}": found for each, found in by_stature.items()},
        "elbow_moved": moved,
        "fabrik_trapped": trap,
    }
    return Result(
        rows=verdict(by_stature, stature, moved, table, own),
        plots=plots(table, by_stature, own),
        notes=notes(table, by_stature, stature, moved, trap, own),
        summary=summary,
        pictures=pictures(tracks, poses),
    )


def trapped(scene: Scene, logged: OverlaySession, frames: list[int]) -> dict[str, float]:
    """How much farther [m] FABRIK's wrist ends from the robot's when it starts straight, elbow's back up.

    The paper's caption of Fig. 5 has it stuck in pose 3, its section IV-B in pose 12: both are tried, the
    robot standing in the pose for a second.
    """
    found = {}
    for pose in STUCK:
        still = logged.taken(np.repeat(frames[int(pose) - 1], RATE_HZ))
        starts = [Separately("fabrik"), Separately("fabrik", trapped=(LEFT, RIGHT))]
        usual, stuck = scene.replay().run(still, starts, measured=[RATE_HZ - 1])
        found[pose] = float((stuck.arms["wrist_off"] - usual.arms["wrist_off"]).max())
    return found


def rows_of(track: Track, poses: dict[str, str]) -> Table:
    """One row for each pose. Deviations and stretches are those of the arm that is worse off."""
    rows = []
    for label, overlay, arms in zip(poses, track.overlay, track.arms, strict=True):
        row: dict[str, Any] = {"solver": track.solver, "pose": label, "name": poses[label]}
        row["overlay"] = float(overlay)
        for name in ("elbow_off", "wrist_off"):
            row[name] = float(arms[name].max())
        for name in ("stretch_upper", "stretch_fore"):
            row[name] = float(arms[name][np.argmax(np.abs(arms[name] - 1.0))])
        over = np.stack([arms[name] for name in ("swing_over", "twist_over", "hinge_over")])
        row["over_limit_deg"] = float(np.degrees(over.max()))
        row["status"] = [AlignStatus(int(status)).text for status in arms["status"]]
        row["overlay_arms"] = [float(value) for value in arms["overlay"]]
        rows.append(row)
    return rows


def medians(table: Table) -> Medians:
    """Medians of each solver, over all poses and without those with hanging arms."""
    found = {}
    for solver in dict.fromkeys(row["solver"] for row in table):
        mine = [row for row in table if row["solver"] == solver]
        easy = [row for row in mine if row["pose"] not in HARD]
        stretches = [row[name] for row in mine for name in ("stretch_upper", "stretch_fore")]
        found[solver] = {
            "overlay": percentile([row["overlay"] for row in mine], 50),
            "overlay_without_1_to_3": percentile([row["overlay"] for row in easy], 50),
            "elbow_off": percentile([row["elbow_off"] for row in mine], 50),
            "wrist_off": percentile([row["wrist_off"] for row in mine], 50),
            "stretch_upper": percentile([abs(row["stretch_upper"] - 1.0) for row in mine], 50),
            "stretch_fore": percentile([abs(row["stretch_fore"] - 1.0) for row in mine], 50),
            "least_stretch": min(stretches),
            "largest_stretch": max(stretches),
        }
    return found
