"""One MCAP file being written: chunks go to the disk whole, in one unbuffered write each.

The format is that of mcap.dev/spec. `mcap.writer.Writer` cannot close a chunk by time and buffers
what it writes, so the chunks are built here; the other records are those of the `mcap` package.
Schemas, channels and metadata stand before the first chunk: whatever is cut off, the rest is readable.

Messages of one *lane* share a chunk. Ticks, small topics and video lie in different lanes, so that
an index entry stays small and video is not compressed twice.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    DataEnd,
    Footer,
    Header,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)

from elsewhere.record.schemas import schema_name, schema_text

MAGIC = b"\x89MCAP0\r\n"
LIBRARY = "elsewhere"
CHUNK_BYTES = 65536

_OPCODE_MESSAGE = int(Opcode.MESSAGE)
_MESSAGE = struct.Struct("<BQHIQQ")
_CHUNK = struct.Struct("<BQQQQI")
_INDEX = struct.Struct("<BQHI")
_PAIR = struct.Struct("<QQ")


@dataclass(frozen=True)
class Topic:
    """A topic of a recording: its name, its type as `package/Type`, and the lane it travels in."""

    name: str
    kind: str
    lane: int


TICK_LANE, TOPIC_LANE, VIDEO_LANE = 0, 1, 2
LANES = 3


def record(write: Callable[[RecordBuilder], None]) -> bytes:
    """One record of the `mcap` package as bytes."""
    builder = RecordBuilder()
    write(builder)
    return bytes(builder.end())


class _Chunk:
    """Messages that will be written together."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.index: dict[int, bytearray] = {}
        self.first_ns, self.last_ns = 2**63, 0

    def add(
        self, messages: Sequence[tuple[int, bytes]], sequence: int, log_ns: int, publish_ns: int
    ) -> None:
        pack, parts, index, size = _MESSAGE.pack, self.parts, self.index, self.size
        for channel, data in messages:
            entries = index.get(channel)
            if entries is None:
                entries = index[channel] = bytearray()
            entries += _PAIR.pack(log_ns, size)
            parts.append(pack(_OPCODE_MESSAGE, 22 + len(data), channel, sequence, log_ns, publish_ns))
            parts.append(data)
            size += _MESSAGE.size + len(data)
        self.size = size
        self.first_ns, self.last_ns = min(self.first_ns, log_ns), max(self.last_ns, log_ns)


@dataclass
class Summary:
    """What the end of a file tells of the rest: enough to find any message without reading all."""

    schemas: bytes = b""
    channels: bytes = b""
    metadata: bytes = b""
    chunks: bytearray = field(default_factory=bytearray)
    counts: dict[int, int] = field(default_factory=dict)
    schema_count: int = 0
    channel_count: int = 0
    metadata_count: int = 0
    chunk_count: int = 0
    first_ns: int = 2**63
    last_ns: int = 0

    def add_chunk(
        self,
        *,
        offset: int,
        length: int,
        index_offsets: Mapping[int, int],
        index_length: int,
        counts: Mapping[int, int],
        compression: str,
        compressed: int,
        uncompressed: int,
        first_ns: int,
        last_ns: int,
    ) -> None:
        """Note one chunk that is on the disk."""
        offsets = b"".join(struct.pack("<HQ", *item) for item in index_offsets.items())
        name = compression.encode()
        body = (
            struct.pack("<QQQQI", first_ns, last_ns, offset, length, len(offsets))
            + offsets
            + struct.pack("<QI", index_length, len(name))
            + name
            + struct.pack("<QQ", compressed, uncompressed)
        )
        self.chunks += struct.pack("<BQ", Opcode.CHUNK_INDEX, len(body)) + body
        self.chunk_count += 1
        for channel, count in counts.items():
            self.counts[channel] = self.counts.get(channel, 0) + count
        self.first_ns, self.last_ns = min(self.first_ns, first_ns), max(self.last_ns, last_ns)

    def ending(self, offset: int) -> bytes:
        """The end of a file whose data ends at `offset`: data end, summary, footer, magic."""
        data_end = record(DataEnd(0).write)
        start = offset + len(data_end)
        messages = sum(self.counts.values())
        statistics = Statistics(
            attachment_count=0,
            channel_count=self.channel_count,
            channel_message_counts=self.counts,
            chunk_count=self.chunk_count,
            message_count=messages,
            metadata_count=self.metadata_count,
            message_start_time=self.first_ns if messages else 0,
            message_end_time=self.last_ns,
            schema_count=self.schema_count,
        )
        groups = (
            (Opcode.SCHEMA, self.schemas),
            (Opcode.CHANNEL, self.channels),
            (Opcode.STATISTICS, record(statistics.write)),
            (Opcode.CHUNK_INDEX, bytes(self.chunks)),
            (Opcode.METADATA_INDEX, self.metadata),
        )
        body, offsets = bytearray(), bytearray()
        for opcode, data in groups:
            if data:
                offsets += record(SummaryOffset(opcode, start + len(body), len(data)).write)
            body += data
        offset_start = start + len(body)
        body += offsets
        crc = zlib.crc32(struct.pack("<BQQQ", Opcode.FOOTER, 20, start, offset_start), zlib.crc32(body))
        return data_end + bytes(body) + record(Footer(start, offset_start, crc).write) + MAGIC


def message_indexes(entries: Mapping[int, bytes | bytearray], at: int) -> tuple[bytes, dict[int, int]]:
    """The index records of a chunk, to stand at byte `at`, and where each channel's begins.

    `entries` holds, for each channel, pairs of log time and offset as packed words.
    """
    parts, offsets = [], {}
    for channel, pairs in entries.items():
        offsets[channel] = at
        parts.append(_INDEX.pack(Opcode.MESSAGE_INDEX, 6 + len(pairs), channel, len(pairs)) + pairs)
        at += len(parts[-1])
    return b"".join(parts), offsets


SHORT_ENDING = record(DataEnd(0).write) + record(Footer(0, 0, 0).write) + MAGIC


class McapFile:
    """A file being written. Every method may raise OSError; the file then ends at a whole record.

    The file is locked while it is open, so that no other recorder prunes or recovers it.
    """

    def __init__(
        self,
        path: Path,
        topics: Sequence[Topic],
        metadata: Mapping[str, Mapping[str, str]],
        library: str = LIBRARY,
    ) -> None:
        self.path, self.size = path, 0
        self._lanes = [topic.lane for topic in topics]
        self._chunks = [_Chunk() for _ in range(LANES)]
        self._compressor = zstandard.ZstdCompressor(level=1)
        self.summary = Summary(channel_count=len(topics), metadata_count=len(metadata))
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._append(self._beginning(topics, metadata, library))
        except OSError:
            os.close(self._descriptor)
            path.unlink(missing_ok=True)
            raise

    def _beginning(
        self, topics: Sequence[Topic], metadata: Mapping[str, Mapping[str, str]], library: str
    ) -> bytes:
        kinds = list(dict.fromkeys(topic.kind for topic in topics))
        summary = self.summary
        summary.schema_count = len(kinds)
        summary.schemas = b"".join(
            record(
                Schema(
                    id=number, name=schema_name(kind), encoding="ros2msg", data=schema_text(kind).encode()
                ).write
            )
            for number, kind in enumerate(kinds, 1)
        )
        summary.channels = b"".join(
            record(
                Channel(
                    id=number,
                    topic=topic.name,
                    message_encoding="cdr",
                    metadata={"offered_qos_profiles": ""},
                    schema_id=kinds.index(topic.kind) + 1,
                ).write
            )
            for number, topic in enumerate(topics, 1)
        )
        data = MAGIC + record(Header(profile="ros2", library=library).write)
        for name, values in metadata.items():
            text = record(Metadata(name=name, metadata=dict(values)).write)
            summary.metadata += record(MetadataIndex(offset=len(data), length=len(text), name=name).write)
            data += text
        return data + summary.schemas + summary.channels

    def add(
        self, messages: Sequence[tuple[int, bytes]], sequence: int, log_ns: int, publish_ns: int
    ) -> None:
        """Add messages of one moment to the open chunk of their lane; a full chunk is written first.

        Each is (channel, data); channels count the topics from 1, and all must be of one lane.
        """
        lane = self._lanes[messages[0][0] - 1]
        chunk = self._chunks[lane]
        size = sum(_MESSAGE.size + len(data) for _, data in messages)
        if chunk.parts and chunk.size + size > CHUNK_BYTES:
            self._write_chunk(lane)
        chunk.add(messages, sequence & 0xFFFFFFFF, log_ns, publish_ns)

    def flush(self) -> None:
        """Write every open chunk."""
        for lane, chunk in enumerate(self._chunks):
            if chunk.parts:
                self._write_chunk(lane)

    def close(self) -> None:
        """Write what is open and the index, and close. The descriptor is closed whatever happens."""
        try:
            self.flush()
            self._append(self.summary.ending(self.size))
        finally:
            os.close(self._descriptor)

    def close_short(self) -> None:
        """Close on a full disk: with the index if it fits, else with a footer alone, else as it is."""
        for ending in (self.summary.ending(self.size), SHORT_ENDING):
            try:
                self._append(ending)
                break
            except OSError:
                continue
        with contextlib.suppress(OSError):
            os.close(self._descriptor)

    def removed(self) -> bool:
        """Whether someone deleted or replaced the file meanwhile."""
        try:
            return os.stat(self.path).st_ino != os.fstat(self._descriptor).st_ino
        except FileNotFoundError:
            return True

    def _write_chunk(self, lane: int) -> None:
        chunk = self._chunks[lane]
        raw = b"".join(chunk.parts)
        compression = "" if lane == VIDEO_LANE else "zstd"
        data = self._compressor.compress(raw) if compression else raw
        name = compression.encode()
        length = 8 + 8 + 8 + 4 + 4 + len(name) + 8 + len(data)
        head = (
            _CHUNK.pack(Opcode.CHUNK, length, chunk.first_ns, chunk.last_ns, len(raw), zlib.crc32(raw))
            + struct.pack("<I", len(name))
            + name
            + struct.pack("<Q", len(data))
        )
        start = self.size
        indexes, offsets = message_indexes(chunk.index, start + length + 9)
        counts = {channel: len(entries) // _PAIR.size for channel, entries in chunk.index.items()}
        first_ns, last_ns = chunk.first_ns, chunk.last_ns
        chunk.clear()  # also when the write fails: what cannot be stored must not pile up
        self._append(head + data + indexes)
        self.summary.add_chunk(
            offset=start,
            length=length + 9,
            index_offsets=offsets,
            index_length=len(indexes),
            counts=counts,
            compression=compression,
            compressed=len(data),
            uncompressed=len(raw),
            first_ns=first_ns,
            last_ns=last_ns,
        )

    def _append(self, data: bytes) -> None:
        """Write all of `data`, or none of it and raise."""
        view, written = memoryview(data), 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, view[written:])
        except OSError:
            os.ftruncate(self._descriptor, self.size)
            os.lseek(self._descriptor, self.size, os.SEEK_SET)
            raise
        self.size += written
