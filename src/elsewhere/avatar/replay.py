"""Run recorded states and frames through the same tick, and compare the commands to the bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from elsewhere.avatar.tick import SNAPSHOT, Memory, Tick
from elsewhere.bodies.body import Body
from elsewhere.errors import RecordingError
from elsewhere.records import COMMAND


@dataclass(frozen=True)
class ReplayResult:
    """How a replay went. `first_difference` is a tick number, or None when all commands are equal."""

    ticks: int
    equal: int
    skipped: int
    first_difference: int | None
    largest_torque_difference: float

    def as_dict(self) -> dict[str, object]:
        """For `--json`."""
        return {**asdict(self), "identical": self.identical}

    @property
    def identical(self) -> bool:
        """Whether every command that was replayed is equal to the recorded one, bit by bit."""
        return self.ticks > 0 and self.equal == self.ticks


def replay(body: Body, taps: np.ndarray, snapshots: Sequence[np.ndarray]) -> ReplayResult:
    """Replay `taps` (TAP records in order) from the `snapshots` (SNAPSHOT records) among them.

    Ticks before the first snapshot, and after a gap until the next one, cannot be replayed: they are
    counted as skipped.
    """
    if not len(snapshots):
        raise RecordingError("The recording holds no snapshot to start from: it is shorter than a second.")
    if snapshots[0].dtype != SNAPSHOT:
        raise RecordingError("The recording was made by another version of Elsewhere, whose tick differs.")
    by_tick = {int(snapshot["tick"]): snapshot for snapshot in snapshots}
    tick = Tick(body)
    memory: Memory | None = None
    equal = done = skipped = 0
    first: int | None = None
    largest = 0.0
    for tap in taps:
        number = int(tap["tick"])
        if memory is None or int(memory.tick[0]) != number:
            found = by_tick.get(number)
            if found is None:
                skipped += 1
                memory = None
                continue
            memory = Memory(found)
        result = tick.step(memory, tap["state"], tap["frame"], tap["request"], int(tap["now_ns"]))
        done += 1
        if result["command"].tobytes() == tap["command"].tobytes():
            equal += 1
        else:
            first = number if first is None else first
            difference = np.abs(result["command"]["tau"] - tap["command"]["tau"]).max()
            largest = max(largest, float(difference))
    return ReplayResult(done, equal, skipped, first, largest)


assert COMMAND.itemsize % 8 == 0  # no padding, so that equal bytes mean equal numbers
