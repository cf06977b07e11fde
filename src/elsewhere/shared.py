"""Latest-value slots and a ring in shared memory: how the processes of one machine talk.

A `Slot` holds the newest record of one kind; a `Ring` the last few thousand. One process writes,
any number read, and none ever waits for another: the writer makes a counter odd, copies, makes it
even (a seqlock), and a reader that meets an odd or changed counter tries again. The counter is one
aligned word, so a torn copy is always detected.

Each is a memory-mapped file in a run's own folder (`run_folder`), on a RAM disk where there is one.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from elsewhere.records import Record, byte_view

_TRIES = 64
_HEADER = 16


def run_folder() -> Path:
    """A new empty folder for the slots of one run. Whoever made it removes it."""
    ram = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="elsewhere-", dir=ram if ram.is_dir() else None))


class _Mapped:
    """A file mapped into memory: a header with one counter, then the payload."""

    def __init__(self, path: Path, payload: int, create: bool) -> None:
        self.path = path
        size = _HEADER + payload
        flags = os.O_RDWR | (os.O_CREAT if create else 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            if create:
                os.ftruncate(descriptor, size)
            self._map = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)
        # Plain memory views: half the price of arrays, and a word is still read and written as one.
        self._memory = memoryview(self._map)
        self._counter = self._memory[:8].cast("Q")

    def close(self) -> None:
        """Forget the mapping (the memory goes when the last array that views it goes)."""
        self.__dict__.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Slot(_Mapped):
    """The newest record of one kind. Invariant: what `read` returns was written in one piece."""

    def __init__(self, path: Path, dtype: np.dtype[np.void], *, create: bool = False) -> None:
        super().__init__(path, dtype.itemsize, create)
        self.dtype = dtype
        self._shared = self._memory[_HEADER:]
        # Two buffers: one holds the last whole record while the next is copied into the other.
        buffers = np.zeros((), dtype), np.zeros((), dtype)
        self._latest, self._spare = ((buffer, byte_view(buffer)) for buffer in buffers)
        self._seen = 0

    def write(self, record: Record) -> None:
        """Replace the record. Never waits."""
        data, counter = record.tobytes(), self._counter
        odd = counter[0] | 1  # also after a writer that was killed in mid write
        counter[0] = odd
        self._shared[:] = data
        counter[0] = odd + 1

    def read(self) -> Record:
        """The newest whole record, in a buffer that the next but one `read` overwrites.

        A writer that was stopped in the middle of a write leaves the record before it in force.
        """
        (record, data), counter = self._spare, self._counter
        for _ in range(_TRIES):
            before = counter[0]
            if before & 1:
                continue
            data[:] = self._shared
            if counter[0] == before:
                self._seen = before
                self._latest, self._spare = self._spare, self._latest
                return record
        return self._latest[0]

    @property
    def version(self) -> int:
        """How often the slot was written (0: never)."""
        return self._counter[0] >> 1

    @property
    def fresh(self) -> bool:
        """Whether something was written since the last `read`."""
        return self.version != self._seen >> 1


class Ring(_Mapped):
    """The last `length` records, numbered from 0. Old ones are overwritten; readers never block."""

    def __init__(self, path: Path, dtype: np.dtype[np.void], length: int, *, create: bool = False) -> None:
        super().__init__(path, dtype.itemsize * length, create)
        self.dtype, self.length = dtype, length
        self._records = np.frombuffer(self._map, dtype, length, _HEADER)
        self._bytes = self._records.view(np.uint8).reshape(length, dtype.itemsize)

    def append(self, record: Record) -> None:
        """Write the next record. Never waits."""
        head, size = self._counter[0], self.dtype.itemsize
        start = _HEADER + head % self.length * size
        self._memory[start : start + size] = record.tobytes()
        self._counter[0] = head + 1

    @property
    def head(self) -> int:
        """Number of the record that will be written next."""
        return self._counter[0]

    def last(self) -> Record | None:
        """A copy of the newest record, or None when there is none yet."""
        head = self.head
        if head == 0:
            return None
        # The writer is a whole ring away from this place: it cannot be torn.
        size = self.dtype.itemsize
        start = _HEADER + (head - 1) % self.length * size
        # Copied as bytes: by fields it takes fifteen times as long.
        return np.frombuffer(bytearray(self._memory[start : start + size]), self.dtype).reshape(())

    def column(self, name: str, count: int) -> np.ndarray:
        """One field of the last `count` records (fewer where there are fewer), oldest first."""
        head = self.head
        places = np.arange(max(0, head - min(count, self.length - 1)), head) % self.length
        return np.asarray(self._records[name][places])

    def since(self, first: int) -> tuple[int, np.ndarray]:
        """Records from number `first` on: (number of the first one returned, their copies).

        The number is larger than `first` where the reader was too slow and records were lost.
        """
        head = self.head
        start = max(first, head - self.length)
        if start >= head:
            return head, np.zeros(0, self.dtype)
        copies = self._bytes[np.arange(start, head) % self.length].view(self.dtype)[:, 0]
        # What the writer overtook while we copied may be torn: give only what is certainly whole.
        whole = min(max(start, self.head - self.length + 1), head)
        return whole, copies[whole - start :]
