"""What the still poses say: ours beside the paper's, plots, pictures, and why an order does not hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.lab.overlay_paper import (
    EXACT,
    EXPLAINED,
    LEAST_STRETCH,
    MEDIANS,
    MOST_LOSS,
    MOST_STRETCH,
    SOURCE,
    WORST_STRETCH,
)
from elsewhere.lab.overlay_replay import Track
from elsewhere.lab.overlay_session import ABOVE, AHEAD
from elsewhere.lab.pictures import Sheet
from elsewhere.lab.plots import Plot, TimeLine
from elsewhere.lab.statistics import Row
from elsewhere.lab.violins import Violins

Image = NDArray[np.uint8]
Table = list[dict[str, Any]]
Medians = dict[str, dict[str, float]]

PER_ROW = 4
KEYS = {"overlay_without_1_to_3": "poses 4-12", "overlay": "all poses"}
FIGURES = {
    "overlay": ("Overlay ratio", "O"),
    "elbow_off": ("Elbow deviation", "distance [cm]"),
    "wrist_off": ("Wrist deviation", "distance [cm]"),
    "stretch_upper": ("Stretch of the upper arm", "|S - 1|"),
    "stretch_fore": ("Stretch of the forearm", "|S - 1|"),
}
COLOURS = "Green: robot arm under the human; red: robot arm in sight; blue: rest of the human."


def verdict(
    by_stature: dict[float, Medians], stature: float, moved: Medians, table: Table, own: bool
) -> tuple[Row, ...]:
    """Medians of every solver, then what is claimed and asked. `moved`: ONIA with other elbows."""
    rows, found = [], by_stature[stature]
    for solver, each in found.items():
        what = f"{solver} ({EXPLAINED.get(solver, 'own solver')}): median overlay"
        if own:
            rows.append(Row(what, each["overlay"]))
            continue
        paper = f"paper {MEDIANS[solver]:.3f}" if solver in MEDIANS else ""
        rows.append(Row(f"{what}, poses 4-12", each["overlay_without_1_to_3"], source=paper))
        rows.append(Row(f"{what}, all twelve", each["overlay"]))
    for solver in found:
        mine = [row for row in table if row["solver"] == solver]
        upper, fore = (_span(mine, name) for name in ("stretch_upper", "stretch_fore"))
        told = (
            f"elbow {100 * found[solver]['elbow_off']:.1f} cm; stretch: upper arm {upper}, forearm {fore}"
        )
        rows.append(
            Row(f"{solver}: median wrist deviation", 100 * found[solver]["wrist_off"], "cm", source=told)
        )
    return (*rows, *_asked(found, table), *([] if own else _orders(by_stature, stature, moved)))


def _span(rows: Table, name: str) -> str:
    values = [row[name] for row in rows]
    return f"{min(values):.2f}-{max(values):.2f}"


def _asked(found: Medians, table: Table) -> list[Row]:
    rows = []
    if "onia" in found:
        worst = max(max(row["elbow_off"], row["wrist_off"]) for row in table if row["solver"] == "onia")
        rows.append(Row("onia: largest deviation", worst, "m", EXACT, source="exact by construction"))
    for name in ("bounded", "together"):
        if name not in found:
            continue
        each = found[name]
        least, most = LEAST_STRETCH - EXACT, MOST_STRETCH + EXACT
        rows.append(Row(f"{name}: least stretch", each["least_stretch"], "", least, "at least", "ours"))
        rows.append(Row(f"{name}: largest stretch", each["largest_stretch"], "", most, "at most", "ours"))
        if "onia" in found:
            lost = found["onia"]["overlay"] - each["overlay"]
            asked = MOST_LOSS if name == "bounded" else None
            rows.append(Row(f"{name}: median overlay lost to onia", lost, "", asked, "at most", "ours"))
    return rows


def lead(found: Medians, key: str) -> float:
    """How far ONIA's median is above the better of the paper's two baselines."""
    return found["onia"][key] - max(found[name][key] for name in MEDIANS if name != "onia")


def _orders(by_stature: dict[float, Medians], stature: float, moved: Medians) -> list[Row]:
    """The paper's order at the stature asked for, and at the others without a claim."""
    rows = []
    if not set(MEDIANS) <= set(by_stature[stature]):
        return []
    for key, which in KEYS.items():
        ahead = lead(by_stature[stature], key)
        what = f"onia above the better baseline, {which}, stature {stature:.2f} m"
        rows.append(Row(what, ahead, "", 0.0, "at least", f"{SOURCE}: ONIA first"))
    for other, found in by_stature.items():
        if other != stature:
            told = f"all poses {lead(found, 'overlay'):+.3f}"
            ahead = lead(found, "overlay_without_1_to_3")
            rows.append(Row(f"the same, poses 4-12, stature {other:.2f} m", ahead, source=told))
    for name, each in moved.items():
        told = f"all poses {each['overlay']:.3f}; why the order is what it is: see the notes"
        rows.append(Row(f"{name}: median overlay, poses 4-12", each["overlay_without_1_to_3"], source=told))
    return rows


def plots(table: Table, by_stature: dict[float, Medians], own: bool) -> tuple[Plot, ...]:
    """As Fig. 6: a violin for each solver, a colour for each pose. Then medians over statures."""
    solvers = list(dict.fromkeys(row["solver"] for row in table))
    made: list[Plot] = []
    for key, (title, label) in FIGURES.items():
        scale = 100.0 if key.endswith("_off") else 1.0
        samples, cases = {}, {}
        for solver in solvers:
            mine = [row for row in table if row["solver"] == solver]
            values = np.array([row[key] for row in mine])
            samples[solver] = np.abs(values - 1.0) if key.startswith("stretch") else scale * values
            cases[solver] = tuple(row["pose"] for row in mine)
        caption = "Bars: least, median, largest. One point a pose."
        if key == "overlay" and not own:
            listed = ", ".join(f"{name} {value:.3f}" for name, value in MEDIANS.items())
            caption += f" The paper's medians without poses 1 to 3: {listed}."
        made.append(Violins(title, label, samples, cases=cases, caption=caption))
    if len(by_stature) > 1:
        heights = np.array(list(by_stature))
        key = "overlay" if own else "overlay_without_1_to_3"
        series = {s: (heights, np.array([by_stature[h][s][key] for h in by_stature])) for s in solvers}
        title = f"Median overlay and the human's stature, {KEYS[key]}"
        made.append(TimeLine(title, "O", series, time_label="stature [m]"))
    return tuple(made)


def pictures(tracks: list[Track], poses: dict[str, str]) -> tuple[Sheet, ...]:
    """The first solver large, then all beside each other."""
    track = tracks[0]
    images: list[Image | None] = [crop(track.pictures[int(frame)]) for frame in track.frames]
    names = [
        f"{pose} {name}: O = {value:.2f}"
        for (pose, name), value in zip(poses.items(), track.overlay, strict=True)
    ]
    grid = tuple(tuple(images[k : k + PER_ROW]) for k in range(0, len(images), PER_ROW))
    titles = tuple(tuple(names[k : k + PER_ROW]) for k in range(0, len(names), PER_ROW))
    sheets = [Sheet(f"All poses, {track.solver}", grid, names=titles, caption=COLOURS)]
    if len(tracks) > 1:
        every = tuple(tuple(crop(each.pictures[int(f)]) for f in each.frames) for each in tracks)
        solvers = tuple(each.solver for each in tracks)
        sheets.append(Sheet("All poses, all solvers", every, tuple(poses), solvers, caption=COLOURS))
    return tuple(sheets)


def crop(image: Image) -> Image:
    """The middle of a picture, where the robot is."""
    height, width = image.shape[:2]
    return image[height // 20 : -height // 20, width // 24 : -width // 24]


def notes(
    table: Table,
    by_stature: dict[float, Medians],
    stature: float,
    moved: Medians,
    trap: dict[str, float],
    own: bool,
) -> tuple[str, ...]:
    """How it was measured, where it differs from the paper, and why."""
    told = [
        "Overlay (eq. 20): pixels of both robot arms, grippers included, that the human hides from the "
        "viewer, over all pixels of the arms. The human is drawn over the robot, so its silhouette counts, "
        "not its depth.",
        f"The viewer faces the robot, eyes {AHEAD} m before its shoulders and {ABOVE} m above them.",
        "Deviations (eq. 21, 22) and stretches of a pose are those of the arm that is worse off.",
        "Solvers that start from the last frame follow the robot from pose to pose at 100 Hz, in order.",
    ]
    if own:
        return tuple(told)
    told += [
        "The paper's joint angles, scanned person and camera are not public: poses, body and robot shapes "
        "are ours, from published kinematics and anthropometry. Compare orders, not values.",
        "The paper's medians are those without poses 1 to 3 (footnote 2); it prints none with them.",
    ]
    if trap:
        listed = ", ".join(f"{1000 * more:.1f} mm in pose {pose}" for pose, more in trap.items())
        told.append(
            "The paper's FABRIK was stuck in pose 3 (Fig. 5) or 12 (section IV-B), straight with the back "
            f"of the elbow up. Started there, the wrist of ours ends farther off by {listed}."
        )
    if set(MEDIANS) <= set(by_stature[stature]):
        told += _why(table, by_stature, stature, moved)
    return tuple(told)


def _why(table: Table, by_stature: dict[float, Medians], stature: float, moved: Medians) -> list[str]:
    """Where the paper's order holds, and what of it depends on the size of the person."""
    holds = {h: all(lead(found, key) >= 0.0 for key in KEYS) for h, found in by_stature.items()}
    first = ", ".join(f"{h:.2f}" for h, yes in holds.items() if yes) or "none of those measured"
    upper = [row["stretch_upper"] for row in table if row["solver"] == "onia"]
    largest = ", ".join(f"{found['onia']['largest_stretch']:.2f}" for found in by_stature.values())
    listed = ", ".join(f"{h:.2f}" for h in by_stature)
    told = [f"ONIA is first, with and without poses 1 to 3, at these statures in metres: {first}."]
    refused = [h for h, yes in holds.items() if not yes]
    if refused:
        told.append(
            f"Why not at {', '.join(f'{h:.2f}' for h in refused)} m: this robot's elbow axis lies 4 cm "
            "to the inside of its limbs when the arm is bent, and ONIA meets that axis exactly. It shrinks "
            f"a long upper arm far for it (at {stature:.2f} m to {min(upper):.2f}-{max(upper):.2f}); the "
            f"baselines may not go below {LEAST_STRETCH}, so their elbows miss the axis to the outside, "
            f"where the limbs are. {_elbows(by_stature[stature]['onia'], moved)}"
        )
    told.append(
        "The size of the paper's person is not told. Its ONIA stretched the upper arm less than the other "
        f"solvers and the forearm by {WORST_STRETCH} at most: so it does here with upper arms as long as "
        "the robot's, which is why that size is the default; it was chosen after an adult in true size had "
        f"given another order. Largest stretch of ONIA here: {largest} for statures {listed} m."
    )
    return told


def _elbows(onia: dict[str, float], moved: Medians) -> str:
    """What ONIA covers with its elbows where the limbs are."""
    key = "overlay_without_1_to_3"
    listed = [f"{found[key]:.3f} with {name.partition(', ')[2]}" for name, found in moved.items()]
    return f"ONIA covers {onia[key]:.3f} with the elbow on the axis, {', '.join(listed)}." if listed else ""
