"""Experiment `mounts`: where arms should sit on shoulders, and hands on flanges.

AVATRINA's design study (Correia Marques et al., 2024, section 4.1, tables 2 and 3) on our body: five
arm mounts with the hand mounted low, then three hand mounts on either arm with the chosen arm mount.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.bodies.mounts import ARM_MOUNTS, HAND_MOUNTS
from elsewhere.errors import RigError
from elsewhere.lab.arm_width import Tightest
from elsewhere.lab.bars import Bars
from elsewhere.lab.experiment import Experiment, Progress, Result, option
from elsewhere.lab.following import follow, hand_path, lost, pitched
from elsewhere.lab.gripper_view import FOV_DEG, HEIGHT, WIDTH, GripperView, visibility
from elsewhere.lab.hand_path import RATE_HZ, HandPath
from elsewhere.lab.mounts_paper import HUMAN, SOURCE, TABLE_2, TABLE_3, WIDTH_M
from elsewhere.lab.mounts_verdict import narrowest, orderings, tables
from elsewhere.lab.postures import postures
from elsewhere.lab.registry import experiment
from elsewhere.lab.statistics import Row
from elsewhere.rig import Rig, load_rig
from elsewhere.status import RIGHT, SIDES

CHOSEN = "45-down"
PATHS = ("A", "B")
LEVEL, UP_DEG = "A level", 75.0
"""Path A once more with every hand turned up: hands that pointed down to the table point ahead."""


@dataclass(frozen=True)
class Effort:
    """How much is done for each mounting."""

    samples: int | None
    postures: int
    """Postures that are tried as home, out of those found from `starts`."""
    starts: int
    every: int
    """Each how many-th sample is drawn for M_vis."""
    poses: int
    rounds: int


FULL = Effort(samples=None, postures=5, starts=24, every=10, poses=1500, rounds=120)
QUICK = Effort(samples=400, postures=1, starts=3, every=40, poses=60, rounds=10)


@experiment("mounts")
@dataclass(frozen=True)
class Mounts(Experiment):
    """Tracking, sight and width of every mounting."""

    title = "Mounts of arms and hands"
    question = "Where should arms sit on the shoulders, and hands on the arms?"
    paper = "AVATRINA (Correia Marques et al., 2024), tables 2 and 3."

    rig: str = option("commodity", "name or file of the rig whose arms and hands are mounted")
    quick: bool = option(False, "a shorter path and a coarser search: a look, not a result")

    def run(self, progress: Progress) -> Result:
        """Mount, follow, look."""
        rig, effort = load_rig(self.rig), QUICK if self.quick else FULL
        if set(rig.arms) != set(SIDES) or set(rig.hands) != set(SIDES):
            raise RigError(
                f"The rig '{rig.name}' lacks an arm or a hand. Mounts are compared on two of each."
            )
        rows: list[dict[str, Any]] = []
        for number, name in enumerate(ARM_MOUNTS):
            progress(f"Arm mount {name} ({number + 1} of {len(ARM_MOUNTS)})…")
            body = mounted(rig, name, "low")
            labels = {"table": 2, "mount": name, "m_width_m": width(body, effort)}
            rows += measure(body, RIGHT, labels, effort)
        for name in HAND_MOUNTS:
            body = mounted(rig, CHOSEN, name)
            labels = {"table": 3, "mount": name, "m_width_m": width(body, effort)}
            for side, side_name in enumerate(SIDES):
                progress(f"Hand mount {name}, {side_name} arm…")
                rows += measure(body, side, labels, effort)
                rows += measure(body, side, labels, effort, level=True)
        return conclude(rows, effort)


def mounted(rig: Rig, arm_mount: str, hand_mount: str) -> Body:
    """The rig's body with both arms and both hands mounted that way."""
    arms = {side: dataclasses.replace(part, mount=arm_mount) for side, part in rig.arms.items()}
    hands = {side: dataclasses.replace(part, mount=hand_mount) for side, part in rig.hands.items()}
    return compose(dataclasses.replace(rig, arms=arms, hands=hands))


def width(body: Body, effort: Effort) -> float:
    """M_width [m]."""
    return Tightest(body).search(effort.poses, effort.rounds)[0]


def measure(
    body: Body, side: int, labels: dict[str, Any], effort: Effort, level: bool = False
) -> list[dict[str, Any]]:
    """One row for each path: `labels`, M_track and M_vis of one arm, and the paper's values.

    Every mounting gets the same care: of a few postures that hold the hand where the paths begin, the
    one that follows all of them best is its home. So a mount is not judged by a home made for another.
    """
    if level:
        paths = [pitched(hand_path("A", side, effort.samples), UP_DEG, LEVEL)]
    else:
        paths = [hand_path(name, side, effort.samples) for name in PATHS]
    best: list[tuple[np.ndarray, float]] = []
    held = postures(body, side, paths[0].p[0], paths[0].q[0], effort.postures, effort.starts)
    for posture in held:
        tried = [_follow(body, side, path, posture) for path in paths]
        if not best or sum(each[1] for each in tried) < sum(each[1] for each in best):
            best = tried
    rows, view = [], GripperView(body, side)
    for path, (joints, m_track) in zip(paths, best, strict=True):
        m_vis, skipped = visibility(view, joints[:: effort.every])
        row = {**labels, "side": SIDES[side], "path": path.name, "m_track": m_track}
        rows.append({**row, "m_vis": m_vis, "skipped": skipped, **_papers(row)})
    return rows


def _follow(body: Body, side: int, path: HandPath, posture: np.ndarray) -> tuple[np.ndarray, float]:
    """The joints along a path with `posture` as home and as the start, and M_track."""
    arm = body.arms[side]
    assert arm is not None, "only arms that exist are measured"
    control = body.rig.control
    joints = follow(dataclasses.replace(arm, home=posture), path, posture, control.solver, control.bias)
    return joints, float(np.mean(lost(arm, path, joints)))


def _papers(row: dict[str, Any]) -> dict[str, Any]:
    """The paper's values for the same mounting, side and path; None where it has none."""
    values = TABLE_2[row["mount"]] if row["table"] == 2 else TABLE_3[row["side"], row["mount"]]
    track, vis = values.get(row["path"], (None, None))
    paper_width = WIDTH_M[row["mount"]] if row["table"] == 2 else None
    return {"paper_m_track": track, "paper_m_vis": vis, "paper_m_width_m": paper_width}


def conclude(rows: list[dict[str, Any]], effort: Effort) -> Result:
    """Rows, plots and notes of what was measured."""
    checked = orderings(rows)
    lines = [*_ordering_rows(checked), *_metric_rows(rows)]
    reasons = tuple(f"{one.what}: {one.reason}" for one in checked if not one.holds)
    summary = {
        "rows": rows,
        "orderings": {one.key: one.holds for one in checked},
        "reasons": {one.key: one.reason for one in checked if not one.holds},
        "paper_human_likeness": HUMAN,
        "narrowest": narrowest(rows),
        "frames_drawn_every": effort.every,
    }
    return Result(tuple(lines), _plots(rows), (*reasons, *_notes(rows, effort)), summary)


def _ordering_rows(checked: tuple[Any, ...]) -> list[Row]:
    return [
        Row(one.what, float(one.holds), "", 1.0, "at least", "ordering in the paper") for one in checked
    ]


def _metric_rows(rows: list[dict[str, Any]]) -> list[Row]:
    lines = []
    for row in rows:
        where = f"{row['mount']}, {row['side']}, path {row['path']}"
        track, vis = _in_paper(row["paper_m_track"]), _in_paper(row["paper_m_vis"])
        lines.append(Row(f"{where}: lost", 100 * row["m_track"], "%", source=track))
        lines.append(Row(f"{where}: gripper seen", 100 * row["m_vis"], "%", source=vis))
    for row in rows:
        if row["table"] == 2 and row["path"] == "A":
            source = f"paper {row['paper_m_width_m']:.2f} m"
            lines.append(Row(f"{row['mount']}: width", row["m_width_m"], "m", source=source))
    return lines


def _in_paper(share: float | None) -> str:
    return "" if share is None else f"paper {100 * share:.2f} %"


def _plots(rows: list[dict[str, Any]]) -> tuple[Bars, ...]:
    made = []
    for title, key, scale, groups in tables(rows):
        names = [name for name, _ in groups]
        ours = np.array([scale * row[key] for _, row in groups])
        series = {"ours": ours}
        papers = [row[f"paper_{key}"] for _, row in groups]
        if None not in papers:
            series["paper"] = scale * np.array(papers)
        label = {"m_track": "lost [%]", "m_vis": "gripper seen [%]", "m_width_m": "width [cm]"}[key]
        made.append(Bars(title, label, tuple(names), series))
    return tuple(made)


def _notes(rows: list[dict[str, Any]], effort: Effort) -> tuple[str, ...]:
    skipped = max(row["skipped"] for row in rows)
    length = "the whole of both paths" if effort.samples is None else f"the first {effort.samples} samples"
    return (
        f"Lost (M_track, eq. 1): share of samples at {RATE_HZ} Hz with the palm more than 5 cm or 0.3 rad "
        f"off its target, over {length}. The arm moves without dynamics, one iteration a sample.",
        f"Gripper seen (M_vis, eq. 2): pixels with its arm over pixels without it, camera midway between "
        f"the eyes, head level, {FOV_DEG[0]:.0f} by {FOV_DEG[1]:.0f} degrees, {WIDTH} by {HEIGHT} pixels, "
        f"every {effort.every}th sample. Samples without the gripper in view are skipped: at most "
        f"{100 * skipped:.1f} % of a row.",
        "More of the gripper is seen here than in the paper (0.3 to 0.6) because our hands point down to "
        "the table most of the time, with the forearm beside and behind them: held level, on path "
        f"{LEVEL}, the low mount comes to about half, near the paper's.",
        "Width (M_width): extent across of both arms and hands in the tightest pose with the palms before "
        "the body, between table and shoulders, and 2 cm between all parts.",
        "Human-likeness (M_human) is a survey of people and is not measured here. The paper's means, of 5: "
        + ", ".join(f"{name} {value:.2f}" for name, value in HUMAN.items())
        + ".",
        f"Each mounting's home is the best of at most {effort.postures} postures on these paths, for "
        "all mountings alike. The paper's recordings are not public: paths A and B are ours, and so are "
        "shoulder width, offsets and shapes. Compare orders, not values.",
        f"Path {LEVEL} is path A with every hand turned up by {UP_DEG:.0f} degrees about its own y axis. "
        "Our paths work on a table mostly from above; the paper's floating gripper was led by hand, and "
        "how it was held is not printed.",
        "The high mount is our reading of the paper's figure 5: the hand lies on the flange, which has to "
        "point up where a palm looks down. It loses much more here than in the paper, whose high mount "
        "loses no more than its low one and so must differ from ours.",
        f"The left arm follows the mirrored paths. Paper: {SOURCE}.",
    )
