"""Commands by name, from the reliable channel into the counters that tick and world watch."""

from __future__ import annotations

import math

from elsewhere.errors import MessageError
from elsewhere.messages import Rehome, ReliableUp, Reset, Resume, SetBaseline, Stop
from elsewhere.shared import Slot

BASELINE_MM = (0.0, 200.0)


class Requests:
    """Writes the slot `request`. Counters only grow, also over a restart of the server."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._record = slot.read().copy()

    def apply(self, message: ReliableUp) -> None:
        """Make the request. Raises MessageError for a baseline that is no distance of eyes."""
        record = self._record
        match message:
            case Reset(seed):
                record["seed"] = seed
                record["reset"] += 1
            case Stop():
                record["stop"] += 1
            case Resume():
                record["resume"] += 1
            case Rehome():
                record["rehome"] += 1
            case SetBaseline(millimetres):
                low, high = BASELINE_MM
                if not (math.isfinite(millimetres) and low < millimetres <= high):
                    raise MessageError(
                        f"A baseline of {millimetres} mm is refused: "
                        f"it must be above {low:g} and at most {high:g}."
                    )
                record["baseline"] = millimetres / 1000.0
            case _:
                return
        self._slot.write(record)
