"""Replay a recorded session through the tick of the rig that it was recorded with."""

from __future__ import annotations

import tomllib
from pathlib import Path

from elsewhere.avatar.replay import ReplayResult, replay
from elsewhere.bodies.compose import compose
from elsewhere.errors import RecordingError
from elsewhere.record.reader import Session
from elsewhere.rig import parse_rig


def replay_session(path: str | Path) -> ReplayResult:
    """Replay the recording at `path`. Raises RecordingError when it cannot be."""
    with Session.open(path) as session:
        toml = session.metadata["rig_toml"]
        if not toml:
            raise RecordingError(f"{path} does not hold its rig file, so its tick cannot be built again.")
        snapshots = [stored.record for stored in session.snapshots()]
        taps = session.ticks()
    rig = parse_rig(tomllib.loads(toml), where="the recorded rig", path=Path(path))
    return replay(compose(rig), taps, snapshots)
