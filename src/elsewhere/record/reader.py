"""Opens a recording, complete or cut off: its metadata, topics, ticks, snapshots, events and video.

Opening reads the headers of the chunks only; what is asked for is unpacked then. A cut-off file is
read up to its last whole chunk, and a damaged chunk is left out: its ticks show up as a gap.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from numpy.typing import NDArray

from elsewhere.errors import RecordingError
from elsewhere.record import cdr, delta
from elsewhere.record.container import LIBRARY
from elsewhere.record.layout import adopt, dtype_from
from elsewhere.record.scan import Chunk, Message, Scan
from elsewhere.records import TAP

_LEVELS = {number: name for name, number in cdr.LOG_LEVELS.items()}


@dataclass(frozen=True)
class TopicCount:
    """How much of a topic a file holds. `rate_hz` is over the time from its first to its last message."""

    name: str
    kind: str
    count: int
    rate_hz: float


@dataclass(frozen=True)
class Gap:
    """Ticks that are missing, or run backwards: `index` is the place in the array after the gap."""

    index: int
    before: int
    after: int


@dataclass(frozen=True)
class StoredEvent:
    """An event; `wall_ns` since 1970."""

    wall_ns: int
    level: str
    code: str
    text: str


@dataclass(frozen=True)
class Packet:
    """A video packet (H.264, Annex B); `frame` is the number that the camera gave it."""

    wall_ns: int
    frame: int
    data: bytes


@dataclass(frozen=True)
class StoredSnapshot:
    """The controller's state at a tick."""

    tick: int
    record: NDArray[np.void]


class Session:
    """One file of a recording. Made by `Session.open`; close it, or use it in a `with` block."""

    def __init__(self, path: Path, scan: Scan) -> None:
        self.path, self._scan = path, scan
        self.complete = scan.complete
        self.damaged = 0  # chunks that cannot be unpacked
        self.metadata: dict[str, str] = {}
        self._names: dict[int, tuple[str, str]] = {}
        self._chunks: list[tuple[Chunk, dict[int, int] | None]] = []
        self._read_head()

    @classmethod
    def open(cls, path: str | Path) -> Session:
        """Open a recording. Raises RecordingError in one sentence for what is not one of ours."""
        path = Path(path)
        scan = Scan(path)
        try:
            return cls(path, scan)
        except (McapError, UnicodeDecodeError, ValueError, KeyError) as error:
            scan.close()
            raise RecordingError(f"{path} is damaged at its beginning: {error}.") from error
        except RecordingError:
            scan.close()
            raise

    def _read_head(self) -> None:
        scan, library = self._scan, ""
        schemas: dict[int, str] = {}
        for opcode, body, length in scan.records():
            if opcode == Opcode.HEADER:
                library = scan.header(body, length).library
                if not library.startswith(LIBRARY):
                    break
            elif opcode == Opcode.SCHEMA:
                schema = scan.schema(body, length)
                schemas[schema.id] = schema.name
            elif opcode == Opcode.CHANNEL:
                channel = scan.channel(body, length)
                self._names[channel.id] = (channel.topic, schemas.get(channel.schema_id, ""))
            elif opcode == Opcode.METADATA:
                metadata = scan.metadata(body, length)
                if metadata.name == "elsewhere":
                    self.metadata = dict(metadata.metadata)
            elif opcode == Opcode.CHUNK:
                self._note_chunk(body, length)
            elif opcode == Opcode.MESSAGE_INDEX and self._chunks:
                number = int.from_bytes(scan.bytes(body, body + 2), "little")
                counts = self._chunks[-1][1]
                if counts is not None:
                    counts[number] = (length - 6) // 16
        if not library:
            raise RecordingError(
                f"{self.path} was cut off in its first record. There is nothing to read in it."
            )
        if not library.startswith(LIBRARY):
            raise RecordingError(
                f"{self.path} is an MCAP file of '{library}', not a recording of Elsewhere. "
                "Open it with the tools of that program."
            )
        if "tick_dtype" not in self.metadata:
            raise RecordingError(
                f"{self.path} was cut off before its first tick. There is nothing to read in it."
            )
        self.tick_dtype = dtype_from(self.metadata["tick_dtype"])
        if self._chunks and not self.complete:
            # Where the file was cut, the index of the last chunk may be half: count by unpacking.
            chunk, _ = self._chunks.pop()
            counts = {}
            for message in self._unpack(chunk):
                counts[message.channel] = counts.get(message.channel, 0) + 1
            if counts:
                self._chunks.append((chunk, counts))

    def _note_chunk(self, body: int, length: int) -> None:
        try:
            self._chunks.append((self._scan.chunk(body, length), {}))
        except RecordingError:
            self.damaged += 1

    @property
    def first_ns(self) -> int:
        """Log time of the first message, since 1970; 0 for a file with none."""
        return min((chunk.first_ns for chunk, _ in self._chunks), default=0)

    @property
    def last_ns(self) -> int:
        """Log time of the last message, since 1970."""
        return max((chunk.last_ns for chunk, _ in self._chunks), default=0)

    @property
    def duration_s(self) -> float:
        """Seconds from the first to the last message."""
        return (self.last_ns - self.first_ns) / 1e9

    @property
    def joints(self) -> tuple[list[str], list[str]]:
        """Names of the joints, left and right."""
        left, right = json.loads(self.metadata["joints"])
        return left, right

    @property
    def motors(self) -> tuple[list[str], list[str]]:
        """Names of the finger motors, left and right."""
        left, right = json.loads(self.metadata["motors"])
        return left, right

    @property
    def clock_offset_ns(self) -> int:
        """Nanoseconds since 1970 minus the avatar's own clock."""
        return int(self.metadata["clock_offset_ns"])

    def topics(self) -> list[TopicCount]:
        """Every topic of the file with its number of messages and rate."""
        found = []
        for number, (name, kind) in self._names.items():
            chunks = [
                (chunk, counts[number]) for chunk, counts in self._chunks if counts and number in counts
            ]
            total = sum(count for _, count in chunks)
            span = chunks[-1][0].last_ns - chunks[0][0].first_ns if chunks else 0
            rate = (total - 1) / (span / 1e9) if span > 0 and total > 1 else 0.0
            found.append(TopicCount(name, kind, total, rate))
        return found

    def messages(self, topic: str) -> Iterator[Message]:
        """The messages of one topic, as stored (CDR)."""
        numbers = [number for number, (name, _) in self._names.items() if name == topic]
        if not numbers:
            return
        for chunk, counts in self._chunks:
            if counts is None or numbers[0] in counts:
                yield from (item for item in self._unpack(chunk) if item.channel == numbers[0])

    def _unpack(self, chunk: Chunk) -> list[Message]:
        try:
            return self._scan.messages(chunk)
        except RecordingError:
            self.damaged += 1
            return []

    def batches(self) -> Iterator[NDArray[np.void]]:
        """The ticks, a few dozen at a time, in today's layout (`records.TAP`)."""
        for message in self.messages("/ticks"):
            decoder = cdr.Decoder(message.data)
            decoder.number("Q")
            count, size = decoder.number("I"), decoder.number("I")
            encoding, data = decoder.string(), decoder.blob()
            if size != self.tick_dtype.itemsize:
                raise RecordingError(
                    f"{self.path} has ticks of {size} bytes, not {self.tick_dtype.itemsize}."
                )
            if encoding == "delta":
                yield adopt(delta.decode(data, count, self.tick_dtype), TAP)
            else:
                yield adopt(np.frombuffer(data, self.tick_dtype, count), TAP)

    def ticks(self, first: int = 0, last: int | None = None) -> NDArray[np.void]:
        """All ticks as one array of `records.TAP`, or those numbered `first` .. `last` inclusive.

        A minute takes 117 MB of memory; use `batches` for what can be done piece by piece.
        """
        stop = 2**63 if last is None else last
        parts = []
        for batch in self.batches():
            numbers = batch["tick"]
            if first == 0 and last is None:
                parts.append(batch)
            elif numbers.max() >= first and numbers.min() <= stop:
                parts.append(batch[(numbers >= first) & (numbers <= stop)])
        return np.concatenate(parts) if parts else np.zeros(0, TAP)

    def spans(self) -> list[tuple[int, int]]:
        """First and last tick of every stretch without a gap. Cheap: no tick is decoded."""
        found: list[tuple[int, int]] = []
        for message in self.messages("/ticks"):
            decoder = cdr.Decoder(message.data)
            first, count = decoder.number("Q"), decoder.number("I")
            if found and found[-1][1] + 1 == first:
                found[-1] = (found[-1][0], first + count - 1)
            else:
                found.append((first, first + count - 1))
        return found

    def gaps(self) -> list[Gap]:
        """Where the ticks are not consecutive."""
        spans, index, found = self.spans(), 0, []
        for (first, before), (after, _) in itertools.pairwise(spans):
            index += before - first + 1
            found.append(Gap(index, before, after))
        return found

    def snapshots(self) -> list[StoredSnapshot]:
        """The controller's snapshots, in the layout of the file."""
        text = self.metadata.get("snapshot_dtype", "")
        found = []
        for message in self.messages("/snapshots"):
            decoder = cdr.Decoder(message.data)
            tick, data = decoder.number("Q"), decoder.blob()
            record = np.frombuffer(data, dtype_from(text) if text else f"V{len(data)}").copy()
            found.append(StoredSnapshot(tick, record.reshape(())))
        return found

    def events(self) -> list[StoredEvent]:
        """The events, in the order they were stored."""
        found = []
        for message in self.messages("/events"):
            decoder = cdr.Decoder(message.data)
            wall_ns, level = decoder.time(), decoder.number("B")
            found.append(
                StoredEvent(wall_ns, _LEVELS.get(level, "info"), decoder.string(), decoder.string())
            )
        return found

    def video(self) -> Iterator[Packet]:
        """The video packets; each file starts with a key frame."""
        for message in self.messages("/video/stereo"):
            decoder = cdr.Decoder(message.data)
            wall_ns, _ = decoder.time(), decoder.string()
            yield Packet(wall_ns, message.sequence, decoder.blob())

    def close(self) -> None:
        """Forget the file."""
        self._scan.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
