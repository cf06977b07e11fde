"""What is in a recording, for programs and for people."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from elsewhere.record import cdr
from elsewhere.record.reader import Session


def describe(path: str | Path) -> dict[str, Any]:
    """What a recording holds. Raises RecordingError for what is not one of ours."""
    with Session.open(path) as session:
        spans = session.spans()
        count = sum(last - first + 1 for first, last in spans)
        looks = [json.loads(cdr.Decoder(item.data).string()) for item in session.messages("/status")]
        periods = [look["period_us"] for look in looks]
        modes = Counter(str(look["mode"]) for look in looks)
        events = session.events()
        metadata = session.metadata
        return {
            "file": str(session.path),
            "megabytes": session.path.stat().st_size / 1e6,
            "complete": session.complete,
            "damaged_chunks": session.damaged,
            "version": metadata["version"],
            "rig": metadata["rig"],
            "seed": int(metadata["seed"]),
            "segment": int(metadata["segment"]),
            "started": metadata["started"],
            "duration_s": session.duration_s,
            "ticks": {"count": count, "spans": spans},
            "mean_period_us": sum(periods) / len(periods) if periods else 0.0,
            "modes": {mode: seen / len(looks) for mode, seen in modes.most_common()},
            "snapshots": sum(1 for _ in session.messages("/snapshots")),
            "events": {
                level: sum(event.level == level for event in events)
                for level in ("info", "warning", "fault")
            },
            "topics": [
                {"name": topic.name, "type": topic.kind, "count": topic.count, "rate_hz": topic.rate_hz}
                for topic in session.topics()
            ],
        }


def render(facts: dict[str, Any]) -> Group:
    """What `describe` found as something that rich prints."""
    summary = Table.grid(padding=(0, 2))
    ticks, events = facts["ticks"], facts["events"]
    modes = ", ".join(f"{name} {share:.0%}" for name, share in facts["modes"].items())
    gaps = f"{max(len(ticks['spans']) - 1, 0)} gaps"
    length = time.strftime("%H:%M:%S", time.gmtime(facts["duration_s"]))
    rows = {
        "File": f"{facts['file']} ({facts['megabytes']:.1f} MB)",
        "Rig": f"{facts['rig']}, seed {facts['seed']}, written by version {facts['version']}",
        "Started": f"{facts['started']}, segment {facts['segment']}, length {length}",
        "Ticks": f"{ticks['count']}, mean period {facts['mean_period_us']:.0f} us, {gaps}",
        "Modes": modes or "none",
        "Events": ", ".join(f"{count} {level}" for level, count in events.items()),
    }
    if not facts["complete"]:
        rows["State"] = "cut off or still being written: read up to its last whole chunk"
    if facts["damaged_chunks"]:
        rows["Damage"] = f"{facts['damaged_chunks']} chunks cannot be unpacked"
    for name, value in rows.items():
        summary.add_row(Text(name, style="bold"), Text(value))
    topics = Table("Topic", "Type", "Messages", "Rate [Hz]")
    for column in topics.columns[2:]:
        column.justify = "right"
    for topic in facts["topics"]:
        topics.add_row(topic["name"], topic["type"], str(topic["count"]), f"{topic['rate_hz']:.1f}")
    return Group(summary, topics)
