"""Writes a session as MCAP segments, survives a full disk, and keeps the folder within its bound.

Promises: nothing is ever raised into the caller; whatever kills the process, at most one second is
lost (a chunk is closed at least every half second and written unbuffered); the recordings together
never take more than the limit; a trouble with the disk is one sentence in `fault`, and writing
resumes in a new segment by itself once the disk takes data again.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mcap.exceptions import McapError

from elsewhere.errors import RecordingError
from elsewhere.record.container import LIBRARY, McapFile, Topic
from elsewhere.record.folder import is_ours, locked, prune, recording_name, recordings
from elsewhere.record.recover import recover

FLUSH_NS = 250_000_000
RETRY_NS = 5_000_000_000
WATCH_NS = 1_000_000_000
ROOM_BYTES = 1 << 20  # less free room than this is not worth a new segment
LEAST_BYTES = 1 << 18  # no segment is closed for its size below this
SHARE = 4  # a segment takes at most this part of the limit, so that pruning always finds an older one

Metadata = Mapping[str, Mapping[str, str]]


class SessionWriter:
    """One session: a row of segments in a folder.

    `metadata` is called with the number of each new segment. Times given to the methods are the
    caller's monotonic clock, in nanoseconds; log times are nanoseconds since 1970.
    """

    def __init__(
        self,
        folder: Path,
        topics: Sequence[Topic],
        metadata: Callable[[int], Metadata],
        *,
        started_ns: int,
        now_ns: int,
        limit_mb: float = 2000.0,
        segment_minutes: float = 10.0,
        library: str = LIBRARY,
    ) -> None:
        self.folder = folder
        self.fault = ""
        self.lost = 0  # messages that could not be written
        self.segment = 0  # number of the segment being written, from 1
        self._topics, self._metadata, self._library = tuple(topics), metadata, library
        self._started_ns = started_ns
        self._limit = int(limit_mb * 1e6)
        self._segment_ns = int(segment_minutes * 60e9)
        self._file: McapFile | None = None
        self._others = 0  # bytes of our other recordings
        self._last = ""
        self._opened_ns = self._flushed_ns = self._watched_ns = self._retry_ns = now_ns
        self._recover_leftovers()
        self._open(now_ns)

    @property
    def active(self) -> bool:
        """Whether messages reach a file."""
        return self._file is not None

    @property
    def file(self) -> str:
        """Name of the segment being written, or of the last one."""
        return self._last

    @property
    def megabytes(self) -> float:
        """Size of the segment being written."""
        file = self._file  # another thread asks: the file may go between two looks
        return file.size / 1e6 if file else 0.0

    def due(self, now_ns: int) -> bool:
        """Whether the segment is as long or as large as it should become. See `rotate`."""
        if self._file is None:
            return False
        large = self._file.size >= max(self._limit // SHARE, LEAST_BYTES)
        return large or now_ns - self._opened_ns >= self._segment_ns

    def write(self, channel: int, log_ns: int, data: bytes, *, sequence: int = 0) -> bool:
        """Add a message to the topic with this number (from 1). False: it is lost, see `fault`."""
        return self.write_row([(channel, data)], log_ns, sequence=sequence)

    def write_row(self, messages: Sequence[tuple[int, bytes]], log_ns: int, *, sequence: int = 0) -> bool:
        """Add messages (topic number, data) of one moment; their topics must be of one lane."""
        if self._file is None:
            self.lost += len(messages)
            return False
        try:
            self._file.add(messages, sequence, log_ns, log_ns)
        except OSError as error:
            self.lost += len(messages)
            self._fail(error)
        return self._file is not None

    def poll(self, now_ns: int) -> None:
        """Close chunks that are due, keep the bounds, try again after a fault. Call it often."""
        if self._file is None:
            if now_ns >= self._retry_ns:
                self._retry(now_ns)
            return
        try:
            if now_ns - self._flushed_ns >= FLUSH_NS:
                self._flushed_ns = now_ns
                self._file.flush()
                # The margin holds what is written until the next look, and the segment's index.
                if self._others + self._file.size > self._limit - self._limit // 16:
                    self._prune()
            if now_ns - self._watched_ns >= WATCH_NS:
                self._watched_ns = now_ns
                if self._file.removed():
                    raise FileNotFoundError(errno.ENOENT, "the file was removed while it was written")
        except OSError as error:
            self._fail(error, now_ns)

    def rotate(self, now_ns: int) -> None:
        """End this segment and begin the next."""
        self._finish(now_ns)
        if not self.fault:
            self._open(now_ns)

    def close(self) -> None:
        """End the session."""
        self._finish(self._flushed_ns)

    def _finish(self, now_ns: int) -> None:
        file, self._file = self._file, None
        if file is None:
            return
        try:
            file.close()
        except OSError as error:
            self._note(error, now_ns)
            self._recover(file.path)

    def _open(self, now_ns: int) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            prune(self.folder, self._limit - self._limit // SHARE)
            self.segment += 1
            path = self.folder / recording_name(self._started_ns, self.segment)
            while path.exists():
                self.segment += 1
                path = self.folder / recording_name(self._started_ns, self.segment)
            self._file = McapFile(path, self._topics, self._metadata(self.segment), self._library)
            self._last = path.name
            self._prune()
        except OSError as error:
            self._fail(error, now_ns)
            return
        self.fault = ""
        self._opened_ns = self._flushed_ns = self._watched_ns = now_ns

    def _prune(self) -> None:
        assert self._file is not None
        bound = self._limit - self._limit // 16
        self._others = prune(self.folder, bound, keep=self._file.path) - self._file.size

    def _retry(self, now_ns: int) -> None:
        self._retry_ns = now_ns + RETRY_NS
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if shutil.disk_usage(self.folder).free < ROOM_BYTES:
                return
        except OSError as error:
            self._note(error, now_ns)
            return
        self._recover_leftovers()
        self._open(now_ns)

    def _fail(self, error: OSError, now_ns: int | None = None) -> None:
        file, self._file = self._file, None
        self._note(error, self._flushed_ns if now_ns is None else now_ns)
        if file is not None:
            file.close_short()

    def _note(self, error: OSError, now_ns: int) -> None:
        self._retry_ns = now_ns + RETRY_NS
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            why = f"there is no room left in {self.folder}"
        else:
            why = f"{self.folder} cannot be written ({error.strerror or error})"
        self.fault = f"Recording is interrupted because {why}; it resumes by itself."

    def _recover_leftovers(self) -> None:
        """Give an index to files that a killed recorder left behind."""
        try:
            leftovers = recordings(self.folder)
        except OSError:
            return
        for path in leftovers:
            self._recover(path)

    @staticmethod
    def _recover(path: Path) -> None:
        try:
            if is_ours(path) and not locked(path):
                recover(path)
        except (OSError, RecordingError, McapError, ValueError):
            pass  # a full disk or a damaged file: it stays as it is, readable as far as it goes
