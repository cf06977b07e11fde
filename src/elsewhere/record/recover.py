"""Gives a cut-off recording its index, in place: the rest of the file is neither copied nor unpacked.

What follows the last whole chunk is cut away, then the summary that the killed recorder could not
write is appended. Other tools (rosbags, `ros2 bag`, Foxglove) then open the file like any other.
"""

from __future__ import annotations

import errno
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path

from mcap.opcode import Opcode
from mcap.records import MetadataIndex

from elsewhere.errors import RecordingError
from elsewhere.record.container import Summary, message_indexes, record
from elsewhere.record.scan import Chunk, Scan


@dataclass(frozen=True)
class Recovered:
    """What a recovery did: how many chunks the file holds, and how many bytes were cut away."""

    changed: bool
    chunks: int = 0
    cut_bytes: int = 0


def recover(path: Path) -> Recovered:
    """Make a cut-off recording whole. Does nothing to a complete one.

    Raises RecordingError for a file that is not MCAP, OSError when the disk refuses.
    """
    with Scan(path) as scan:
        if scan.complete:
            return Recovered(changed=False)
        summary, end, indexes = _summarise(scan)
        size = scan.size
    ending = indexes + summary.ending(end + len(indexes))
    with path.open("r+b", buffering=0) as file:
        file.truncate(end)
        file.seek(end)
        try:
            if file.write(ending) != len(ending):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            file.truncate(end)
            raise
    return Recovered(True, summary.chunk_count, max(size - end, 0))


@dataclass
class _Open:
    """A chunk whose message indexes are still being read."""

    chunk: Chunk
    end: int
    offsets: dict[int, int] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)


def _summarise(scan: Scan) -> tuple[Summary, int, bytes]:
    """The summary of what is whole, the byte at which that ends, and message indexes to append there."""
    summary, end = Summary(), 8
    last: _Open | None = None
    for opcode, body, length in scan.records():
        if opcode == Opcode.CHUNK:
            if last is not None:
                _note(summary, last)
            try:
                last = _Open(scan.chunk(body, length), body + length)
            except RecordingError:
                return summary, end, b""
        elif opcode == Opcode.MESSAGE_INDEX and last is not None:
            (channel,) = struct.unpack("<H", scan.bytes(body, body + 2))
            last.offsets[channel], last.counts[channel] = body - 9, (length - 6) // 16
            last.end = body + length
        elif last is None:
            _head(scan, summary, opcode, body, length)
        end = body + length
    if last is None:
        return summary, end, b""
    # The end of the last chunk is where the file was cut: make sure of it, and index it anew.
    chunk = last.chunk
    try:
        messages = scan.messages(chunk)
    except RecordingError:
        return summary, chunk.begin, b""
    at, entries = 0, dict[int, bytearray]()
    for message in messages:
        entries.setdefault(message.channel, bytearray()).extend(struct.pack("<QQ", message.log_ns, at))
        at += 31 + len(message.data)
    end = chunk.begin + chunk.length
    indexes, offsets = message_indexes(entries, end)
    counts = {channel: len(pairs) // 16 for channel, pairs in entries.items()}
    _note(summary, _Open(chunk, end + len(indexes), offsets, counts))
    return summary, end, indexes


def _head(scan: Scan, summary: Summary, opcode: int, body: int, length: int) -> None:
    """Note what stands before the first chunk."""
    whole = scan.bytes(body - 9, body + length)
    if opcode == Opcode.SCHEMA:
        summary.schemas += whole
        summary.schema_count += 1
    elif opcode == Opcode.CHANNEL:
        summary.channels += whole
        summary.channel_count += 1
    elif opcode == Opcode.METADATA:
        name = scan.metadata(body, length).name
        summary.metadata += record(MetadataIndex(offset=body - 9, length=length + 9, name=name).write)
        summary.metadata_count += 1


def _note(summary: Summary, done: _Open) -> None:
    chunk = done.chunk
    summary.add_chunk(
        offset=chunk.begin,
        length=chunk.length,
        index_offsets=done.offsets,
        index_length=done.end - chunk.begin - chunk.length,
        counts=done.counts,
        compression=chunk.compression,
        compressed=chunk.data_size,
        uncompressed=chunk.uncompressed,
        first_ns=chunk.first_ns,
        last_ns=chunk.last_ns,
    )
