"""Whether the paper's orders of mounts hold in what was measured, and if not, why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
AS_NARROW = 1.05
"""Mountings within this factor of the narrowest one pass the same doors."""


@dataclass(frozen=True)
class Ordering:
    """One order of the paper's tables. `reason` says what was found instead."""

    key: str
    what: str
    holds: bool
    reason: str = ""


def orderings(rows: list[Row]) -> tuple[Ordering, ...]:
    """The orders that the paper's choice rests on."""
    return (
        _end_worst(rows),
        _end_worst_level(rows),
        _chosen_loses_least(rows),
        _chosen_best(rows),
        _sideways_worst(rows),
    )


def narrowest(rows: list[Row]) -> list[str]:
    """Arm mounts that are as narrow as the narrowest."""
    widths = {row["mount"]: row["m_width_m"] for row in rows if row["table"] == 2}
    return [name for name, width in widths.items() if width <= AS_NARROW * min(widths.values())]


def _hands(rows: list[Row], paths: tuple[str, ...]) -> tuple[bool, str]:
    """Whether the end mount loses most on these paths with either arm; and what each loses."""
    found, holds = [], True
    for side in ("right", "left"):
        for path in paths:
            shares = {
                row["mount"]: row["m_track"]
                for row in rows
                if row["table"] == 3 and row["side"] == side and row["path"] == path
            }
            holds &= shares["end"] > max(share for mount, share in shares.items() if mount != "end")
            found.append(f"{side} {path}: {_percent(shares)}")
    return holds, "; ".join(found)


def _end_worst(rows: list[Row]) -> Ordering:
    holds, found = _hands(rows, ("A", "B"))
    level = _hands(rows, ("A level",))[1]
    reason = (
        f"lost {found}. A hand at the end points where the flange points. Our paths hold it down to the "
        "table most of the time, the posture that such an arm is built for. Held level at the same places "
        "the flange has to be where the forearm is, with the Panda's fifth and seventh axes in line, and "
        f"the order is: lost {level}."
    )
    what = "The end hand mount loses most, both arms, paths A and B"
    return Ordering("end_hand_mount_worst", what, holds, reason)


def _end_worst_level(rows: list[Row]) -> Ordering:
    holds, found = _hands(rows, ("A level",))
    what = "The end hand mount loses most, both arms, hands held level on path A"
    return Ordering("end_hand_mount_worst_level", what, holds, f"lost {found}.")


def _chosen_loses_least(rows: list[Row]) -> Ordering:
    """Of the mounts that pass the same doors, the one that loses least, whether it is seen or not."""
    lost = {
        name: _mean(row["m_track"] for row in rows if row["table"] == 2 and row["mount"] == name)
        for name in narrowest(rows)
    }
    holds = "45-down" in lost and lost["45-down"] == min(lost.values())
    reason = f"the narrowest lose, A and B together: {_percent(lost)}. What sets them apart is sight."
    what = "45 degrees down loses least of the narrowest mounts"
    return Ordering("45_down_loses_least", what, holds, reason)


def _chosen_best(rows: list[Row]) -> Ordering:
    """Of the mounts that pass the same doors, the one whose hand is most often on target and in sight."""
    narrow = narrowest(rows)
    use = {
        name: _mean(
            (1.0 - row["m_track"]) * row["m_vis"]
            for row in rows
            if row["table"] == 2 and row["mount"] == name
        )
        for name in narrow
    }
    holds = "45-down" in use and use["45-down"] == max(use.values())
    reason = f"the narrowest are on target and seen: {_percent(use)}."
    what = "45 degrees down is the best trade-off: of the narrowest mounts, most often on target and seen"
    return Ordering("45_down_best_trade_off", what, holds, reason)


def _sideways_worst(rows: list[Row]) -> Ordering:
    lost = {row["mount"]: row["m_track"] for row in rows if row["table"] == 2 and row["path"] == "A"}
    holds = lost["sideways"] > max(share for mount, share in lost.items() if mount != "sideways")
    reason = (
        f"lost on A: {_percent(lost)}. Each mount has a home of its own here; in the paper all were pulled "
        "to the middle of their joint ranges."
    )
    return Ordering("sideways_worst_on_a", "Sideways is the worst arm mount on path A", holds, reason)


def tables(rows: list[Row]) -> list[tuple[str, str, float, list[tuple[str, Row]]]]:
    """What to draw: title, key, scale and named rows of each plot."""
    made = []
    for path in ("A", "B"):
        second = [(row["mount"], row) for row in rows if row["table"] == 2 and row["path"] == path]
        third = [
            (f"{row['mount']}, {row['side']}", row)
            for row in rows
            if row["table"] == 3 and row["path"] == path
        ]
        for title, groups in ((f"Arm mounts, path {path}", second), (f"Hand mounts, path {path}", third)):
            made.append((f"{title}: lost", "m_track", 100.0, groups))
            made.append((f"{title}: gripper seen", "m_vis", 100.0, groups))
        if path == "A":
            made.append(("Arm mounts: width", "m_width_m", 100.0, second))
    level = [(f"{row['mount']}, {row['side']}", row) for row in rows if row["path"] == "A level"]
    made.append(("Hand mounts, hands held level: lost", "m_track", 100.0, level))
    return made


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def _percent(shares: dict[str, float]) -> str:
    return ", ".join(f"{name} {100 * share:.2f} %" for name, share in shares.items())
