"""Reads the records of an MCAP file that may end anywhere.

A file that was cut off ends in a record that claims more bytes than there are, or in zeros after a
power cut. Reading stops there and says at which byte the last whole record ended.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Self

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Header, Metadata, Schema

from elsewhere.errors import RecordingError
from elsewhere.record.container import MAGIC

_HEAD = struct.Struct("<BQ")
_CHUNK = struct.Struct("<QQQII")
_MESSAGE = struct.Struct("<HIQQ")
_LIMIT = 1 << 30  # no record of ours is larger: a larger length is damage


@dataclass(frozen=True)
class Message:
    """One message as stored."""

    channel: int
    sequence: int
    log_ns: int
    publish_ns: int
    data: bytes


@dataclass(frozen=True)
class Chunk:
    """Where a chunk lies, and what its header says. `begin` is the offset of its record."""

    begin: int
    length: int
    first_ns: int
    last_ns: int
    uncompressed: int
    crc: int
    compression: str
    data_at: int
    data_size: int


class Scan:
    """A file mapped for reading, record by record. Raises RecordingError for what is not MCAP."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                if size == 0:
                    raise RecordingError(f"{path} is empty. A recording starts with the MCAP mark.")
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError as error:
            raise RecordingError(f"{path} does not exist. Give the path of a recording (.mcap).") from error
        except (OSError, ValueError) as error:
            raise RecordingError(f"{path} cannot be read: {error}.") from error
        self.size = size
        if self._map[:8] != MAGIC:
            self.close()
            raise RecordingError(f"{path} is not an MCAP file. A recording starts with the MCAP mark.")

    @property
    def complete(self) -> bool:
        """Whether the file was closed properly, with an index at its end."""
        if self.size < 45 or self._map[-8:] != MAGIC:
            return False
        opcode, _, summary = struct.unpack_from("<BQQ", self._map, self.size - 37)
        return bool(opcode == Opcode.FOOTER and summary > 0)

    def records(self, start: int = 8) -> Iterator[tuple[int, int, int]]:
        """(opcode, offset of the body, length) of every whole record up to the end of the data."""
        at = start
        while at + _HEAD.size <= self.size:
            opcode, length = _HEAD.unpack_from(self._map, at)
            body = at + _HEAD.size
            if (
                opcode in (0, Opcode.DATA_END, Opcode.FOOTER)
                or length > _LIMIT
                or body + length > self.size
            ):
                return
            yield opcode, body, length
            at = body + length

    def chunk(self, body: int, length: int) -> Chunk:
        """The header of a chunk record. Raises RecordingError when it is damaged."""
        try:
            first, last, uncompressed, crc, name = _CHUNK.unpack_from(self._map, body)
            at = body + _CHUNK.size + name
            compression = bytes(self._map[at - name : at]).decode()
            (size,) = struct.unpack_from("<Q", self._map, at)
        except (struct.error, UnicodeDecodeError) as error:
            raise RecordingError(f"{self.path} has a damaged chunk at byte {body}.") from error
        if at + 8 + size > body + length:
            raise RecordingError(f"{self.path} has a damaged chunk at byte {body}.")
        return Chunk(body - 9, length + 9, first, last, uncompressed, crc, compression, at + 8, size)

    def messages(self, chunk: Chunk) -> list[Message]:
        """The messages of a chunk. Raises RecordingError when it is damaged."""
        raw = self._expand(chunk)
        messages, at = [], 0
        while at + _HEAD.size <= len(raw):
            opcode, length = _HEAD.unpack_from(raw, at)
            at += _HEAD.size
            if opcode == Opcode.MESSAGE:
                channel, sequence, log_ns, publish_ns = _MESSAGE.unpack_from(raw, at)
                data = raw[at + _MESSAGE.size : at + length]
                messages.append(Message(channel, sequence, log_ns, publish_ns, data))
            at += length
        return messages

    def _expand(self, chunk: Chunk) -> bytes:
        data = self._map[chunk.data_at : chunk.data_at + chunk.data_size]
        try:
            if chunk.compression == "zstd":
                data = zstandard.decompress(data, max_output_size=chunk.uncompressed)
            elif chunk.compression:
                raise RecordingError(f"{self.path} is compressed with {chunk.compression}. Ours use zstd.")
        except zstandard.ZstdError as error:
            raise RecordingError(f"{self.path} has a damaged chunk at byte {chunk.begin}.") from error
        if len(data) != chunk.uncompressed or (chunk.crc and zlib.crc32(data) != chunk.crc):
            raise RecordingError(f"{self.path} has a damaged chunk at byte {chunk.begin}.")
        return data

    def bytes(self, start: int, stop: int) -> bytes:
        """A piece of the file."""
        return self._map[start:stop]

    def header(self, body: int, length: int) -> Header:
        """A header record."""
        return Header.read(self._stream(body, length))

    def schema(self, body: int, length: int) -> Schema:
        """A schema record."""
        return Schema.read(self._stream(body, length))

    def channel(self, body: int, length: int) -> Channel:
        """A channel record."""
        return Channel.read(self._stream(body, length))

    def metadata(self, body: int, length: int) -> Metadata:
        """A metadata record."""
        return Metadata.read(self._stream(body, length))

    def _stream(self, body: int, length: int) -> ReadDataStream:
        return ReadDataStream(BytesIO(self._map[body : body + length]))

    def close(self) -> None:
        """Forget the mapping."""
        self._map.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
