"""Watching a running avatar from outside: its tap, its memory, its clock.

Nothing here disturbs what it watches: the tap is read from shared memory, the memory from /proc.
"""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from elsewhere.errors import LinkError
from elsewhere.records import TAP
from elsewhere.shared import Ring

FIELDS = ("tick", "now_ns", "mode", "palm_p", "target_p", "clutched", "period_us", "compute_us")


def open_tap(folder: Path) -> Ring:
    """The ring of the last ticks of a run. Raises LinkError where there is none."""
    # The control loop brings the compilers and the physics with it: not for a mere list of experiments.
    from elsewhere.avatar.control import TAP_LENGTH

    path = folder / "tap"
    if not path.exists():
        raise LinkError(f"There is no tap in {folder}. Name the folder of a running avatar.")
    return Ring(path, TAP, TAP_LENGTH)


class TapWatch:
    """Collects the ticks of a running avatar in a thread, until it is left.

    `ticks` has, for each tick, the fields `FIELDS`, and `state_seq` and `frame_seq`. `lost` counts
    ticks that were overwritten before they could be read (none, unless this process starves).
    """

    def __init__(self, folder: Path, period_s: float = 0.25) -> None:
        self._ring = open_tap(folder)
        self._next = self._ring.head
        self._parts: list[np.ndarray] = []
        self._period_s = period_s
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tap watch", daemon=True)
        self.lost = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()
        self._take()
        self._ring.close()

    @property
    def ticks(self) -> np.ndarray:
        """Everything collected so far, as one structured array."""
        parts = list(self._parts)
        return np.concatenate(parts) if parts else _reduce(np.zeros(0, TAP))

    def latest(self) -> np.ndarray:
        """The newest tick, whole, straight from the ring."""
        _, records = self._ring.since(self._ring.head - 1)
        return records[-1] if len(records) else np.zeros((), TAP)

    def _run(self) -> None:
        while not self._end.wait(self._period_s):
            self._take()

    def _take(self) -> None:
        first, records = self._ring.since(self._next)
        self.lost += first - self._next
        self._next = first + len(records)
        if len(records):
            self._parts.append(_reduce(records))


def _reduce(records: np.ndarray) -> np.ndarray:
    """Only the fields that experiments need: a whole tick is ten times as large."""
    kinds = [(name, TAP[name]) for name in FIELDS] + [("state_seq", "u8"), ("frame_seq", "u8")]
    kept = np.zeros(len(records), np.dtype(kinds))  # type: ignore[arg-type]
    for name in FIELDS:
        kept[name] = records[name]
    kept["state_seq"] = records["state"]["seq"]
    kept["frame_seq"] = records["frame"]["seq"]
    return kept


def family(root: int) -> list[int]:
    """Process `root` and all its descendants, by /proc; `root` alone where there is no /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            # The second field is the name in brackets and may contain anything; the parent follows it.
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def resident_mb(processes: list[int]) -> float:
    """Resident memory of the processes together, in megabytes, pages shared between them counted once.

    That is the proportional set size; where the kernel does not tell it, the plain resident size.
    """
    return sum(_resident_kb(process) for process in processes) / 1024


def _resident_kb(process: int) -> float:
    for file, key in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        try:
            for line in Path(f"/proc/{process}/{file}").read_text().splitlines():
                if line.startswith(key):
                    return float(line.split()[1])
        except OSError:
            continue
    return 0.0


def real_time_factor(ticks: np.ndarray) -> float:
    """Simulated time over true time: the simulator counts one state a millisecond of its own time."""
    if len(ticks) < 2:
        return float("nan")
    simulated_ns = (int(ticks["state_seq"][-1]) - int(ticks["state_seq"][0])) * 1e6
    return simulated_ns / float(ticks["now_ns"][-1] - ticks["now_ns"][0])


class StolenTime:
    """Share of this machine's processor time that its host gave to others, since this was made.

    A virtual machine cannot hide it: while it is stolen, every loop and every picture waits. Not a
    number where the kernel does not tell.
    """

    def __init__(self) -> None:
        self._before = _processor_times()

    @property
    def ratio(self) -> float:
        """Stolen over all."""
        passed = _processor_times() - self._before
        return float(passed[_STOLEN] / passed.sum()) if passed.sum() > 0 else float("nan")


_STOLEN = 7  # eighth number of the first line of /proc/stat


def _processor_times() -> np.ndarray:
    try:
        first = Path("/proc/stat").read_text().splitlines()[0]
        return np.array(first.split()[1:9], float)
    except (OSError, IndexError, ValueError):
        return np.zeros(8)
