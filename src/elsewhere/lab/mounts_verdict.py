"""Whether the paper's orders of mounts hold in what was measured, and if not, why."""

from __future__ import annotations

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
    """The three orders that the paper's choice rests on."""
    return (_end_worst(rows), _chosen_best(rows), _sideways_worst(rows))


def narrowest(rows: list[Row]) -> list[str]:
    """Arm mounts that are as narrow as the narrowest."""
    widths = {row["mount"]: row["m_width_m"] for row in rows if row["table"] == 2}
    return [name for name, width in widths.items() if width <= AS_NARROW * min(widths.values())]


def _end_worst(rows: list[Row]) -> Ordering:
    found, holds = [], True
    for side in ("right", "left"):
        for path in ("A", "B"):
            shares = {
                row["mount"]: row["m_track"]
                for row in rows
                if row["table"] == 3 and row["side"] == side and row["path"] == path
            }
            others = max(share for mount, share in shares.items() if mount != "end")
            holds &= shares["end"] > others
            found.append(f"{side} {path} {_percent(shares)}")
    reason = (
        f"lost {'; '.join(found)}. A hand at the end points where the flange points. Held level it brings "
        "the Panda's fifth and seventh axes in line (its wrist is singular there); held down it is the "
        "posture that the arm was built for, and on our paths most places are worked at from above."
    )
    return Ordering(
        "end_hand_mount_worst", "The end hand mount loses most, both arms and paths", holds, reason
    )


def _chosen_best(rows: list[Row]) -> Ordering:
    narrow = narrowest(rows)
    lost = {
        name: sum(row["m_track"] for row in rows if row["table"] == 2 and row["mount"] == name)
        for name in narrow
    }
    holds = "45-down" in narrow and lost["45-down"] == min(lost.values())
    reason = (
        f"as narrow as the narrowest are {', '.join(narrow)}, which lose on both paths together "
        f"{_percent(lost)}."
    )
    what = "45 degrees down is the best trade-off: of the narrowest mounts it loses least"
    return Ordering("45_down_best_trade_off", what, holds, reason)


def _sideways_worst(rows: list[Row]) -> Ordering:
    lost = {row["mount"]: row["m_track"] for row in rows if row["table"] == 2 and row["path"] == "A"}
    holds = lost["sideways"] > max(share for mount, share in lost.items() if mount != "sideways")
    reason = (
        f"lost on A: {_percent(lost)}. Each mount here has a home of its own, and the solver finds back "
        "from joint limits; in the paper all were pulled to the middle of their joint ranges."
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
    return made


def _percent(shares: dict[str, float]) -> str:
    return ", ".join(f"{name} {100 * share:.2f} %" for name, share in shares.items())
