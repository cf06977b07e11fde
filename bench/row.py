"""One comparison, and the way every bench takes its times."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """Median time of one call, ours and each peer's, in microseconds."""

    what: str
    ours_us: float
    peers_us: dict[str, float]

    def as_dict(self) -> dict[str, object]:
        ratios = {name: round(peer / self.ours_us, 3) for name, peer in self.peers_us.items()}
        return {**asdict(self), "peer_over_ours": ratios}


def compare(
    what: str, ours: Callable[[], object], peers: dict[str, Callable[[], object]], *, rounds: int = 15
) -> Row:
    """Time all in turns, round by round, so that a busy machine slows all of them alike."""
    calls = {"ours": ours, **peers}
    counts = {name: _calibrate(call) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    gc.disable()
    try:
        for _ in range(rounds):
            for name, call in calls.items():
                times[name].append(_time(call, counts[name]))
    finally:
        gc.enable()
    medians = {name: statistics.median(values) * 1e6 for name, values in times.items()}
    return Row(what, medians.pop("ours"), medians)


def _time(call: Callable[[], object], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def _calibrate(call: Callable[[], object]) -> int:
    """How many calls take about 10 ms."""
    call()
    return max(1, int(0.010 / max(_time(call, 3), 1e-7)))
