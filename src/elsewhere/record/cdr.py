"""ROS 2's wire format (CDR, little endian) for the message types of a recording.

Most messages of one topic differ only in a few numbers: names, frames and lengths stay. So a message
is written once as a `Template`, whose `slots` say at which byte each number stands, and the copies
are made by NumPy (see `elsewhere.record.topics`). Messages with free text or packets are packed
one by one.

CDR: four bytes of encapsulation (0, 1, 0, 0), then the fields, each aligned to its own size counted
from the end of the encapsulation; a string is its length with the closing zero byte, then the text.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

_ENCAPSULATION = b"\x00\x01\x00\x00"
_SIZES = {"i4": 4, "u4": 4, "f4": 4, "f8": 8}
_U32 = struct.Struct("<I")

Time = tuple[int, int]
"""Seconds and nanoseconds since 1970."""

NANO = 1_000_000_000


@dataclass(frozen=True)
class Template:
    """A message whose numbers are still to be filled in.

    `slots` gives, for each named number or vector, the byte offsets of its elements and their size.
    """

    data: bytes
    slots: dict[str, tuple[NDArray[np.intp], int]]


class Encoder:
    """Appends fields with their alignment."""

    def __init__(self) -> None:
        self._data = bytearray(_ENCAPSULATION)
        self._slots: dict[str, tuple[NDArray[np.intp], int]] = {}

    def _align(self, size: int) -> None:
        self._data += bytes(-(len(self._data) - 4) % size)

    def u8(self, value: int) -> Self:
        """One byte."""
        self._data.append(value)
        return self

    def u32(self, value: int) -> Self:
        """An unsigned word."""
        self._align(4)
        self._data += _U32.pack(value)
        return self

    def u64(self, value: int) -> Self:
        """An unsigned long word."""
        self._align(8)
        self._data += struct.pack("<Q", value)
        return self

    def f32(self, value: float) -> Self:
        """A single."""
        self._align(4)
        self._data += struct.pack("<f", value)
        return self

    def string(self, text: str) -> Self:
        """A string."""
        encoded = text.encode()
        self.u32(len(encoded) + 1)
        self._data += encoded + b"\x00"
        return self

    def strings(self, texts: Sequence[str]) -> Self:
        """A sequence of strings."""
        self.u32(len(texts))
        for text in texts:
            self.string(text)
        return self

    def blob(self, data: bytes) -> Self:
        """A sequence of bytes."""
        self.u32(len(data))
        self._data += data
        return self

    def slot(self, name: str, kind: str, values: Sequence[float] | int) -> Self:
        """Numbers to be filled in later under this name: their first values, or how many zeros."""
        start = [0.0] * values if isinstance(values, int) else values
        size = _SIZES[kind]
        if len(start):
            self._align(size)
        offsets = len(self._data) + size * np.arange(len(start), dtype=np.intp)
        self._slots[name] = (offsets, size)
        self._data += np.asarray(start, f"<{kind}").tobytes()
        return self

    def sequence(self, name: str, values: Sequence[float]) -> Self:
        """A sequence of doubles to be filled in later."""
        return self.u32(len(values)).slot(name, "f8", values)

    def stamp(self, name: str = "stamp") -> Self:
        """A time to be filled in later, as `{name}.sec` and `{name}.nanosec`."""
        return self.slot(f"{name}.sec", "i4", 1).slot(f"{name}.nanosec", "u4", 1)

    def time(self, time: Time) -> Self:
        """A time."""
        self._align(4)
        self._data += struct.pack("<iI", *time)
        return self

    def pose(self, name: str) -> Self:
        """Position, then orientation x, y, z, w."""
        return self.slot(f"{name}.p", "f8", 3).slot(f"{name}.q", "f8", (0.0, 0.0, 0.0, 1.0))

    def bytes(self) -> bytes:
        """The message so far."""
        return bytes(self._data)

    def template(self) -> Template:
        """The message so far, with its slots."""
        return Template(bytes(self._data), dict(self._slots))


def time_of(wall_ns: int) -> Time:
    """Nanoseconds since 1970 as seconds and nanoseconds."""
    return divmod(wall_ns, NANO)


# --- templates ----------------------------------------------------------------------------------


def joint_state(names: Sequence[str]) -> Template:
    """sensor_msgs/JointState. What no sensor measures stays not-a-number."""
    unknown = [float("nan")] * len(names)
    encoder = Encoder().stamp().string("").strings(names)
    for field in ("position", "velocity", "effort"):
        encoder.sequence(field, unknown)
    return encoder.template()


def pose_stamped(frame: str) -> Template:
    """geometry_msgs/PoseStamped in `frame`: slots pose.p and pose.q (x, y, z, w)."""
    return Encoder().stamp().string(frame).pose("pose").template()


def transforms(pairs: Sequence[tuple[str, str]]) -> Template:
    """tf2_msgs/TFMessage of (parent, child) pairs: slots `{child}.p`, `{child}.q` and their stamps."""
    encoder = Encoder().u32(len(pairs))
    for parent, child in pairs:
        encoder.stamp(f"{child}.stamp").string(parent).string(child).pose(child)
    return encoder.template()


def wrench_stamped(frame: str) -> Template:
    """geometry_msgs/WrenchStamped in `frame`: slot wrench, force first."""
    return Encoder().stamp().string(frame).slot("wrench", "f8", 6).template()


def range_reading(frame: str, *, field_of_view: float, least: float, most: float) -> Template:
    """sensor_msgs/Range, infrared: slot range, in metres."""
    encoder = Encoder().stamp().string(frame).u8(1).f32(field_of_view).f32(least).f32(most)
    return encoder.slot("range", "f4", 1).f32(0.0).template()


def odometry(frame: str, child: str) -> Template:
    """nav_msgs/Odometry: slots pose.p, pose.q and twist (linear first, in the child frame)."""
    encoder = Encoder().stamp().string(frame).string(child).pose("pose")
    return encoder.slot("_pose", "f8", 36).slot("twist", "f8", 6).slot("_twist", "f8", 36).template()


# --- messages packed one by one -----------------------------------------------------------------

LOG_LEVELS = {"info": 20, "warning": 30, "fault": 40}


def log(wall_ns: int, level: str, code: str, text: str) -> bytes:
    """rcl_interfaces/Log; `level` info, warning or fault."""
    encoder = Encoder().time(time_of(wall_ns)).u8(LOG_LEVELS.get(level, 20)).string(code).string(text)
    return encoder.string("").string("").u32(0).bytes()


def string(text: str) -> bytes:
    """std_msgs/String."""
    return Encoder().string(text).bytes()


def compressed_video(wall_ns: int, frame_id: str, packet: bytes) -> bytes:
    """foxglove_msgs/CompressedVideo: one H.264 access unit in Annex B form."""
    return Encoder().time(time_of(wall_ns)).string(frame_id).blob(packet).string("h264").bytes()


def tick_batch(first_tick: int, count: int, record_size: int, encoding: str, data: bytes) -> bytes:
    """elsewhere_msgs/TickBatch."""
    return Encoder().u64(first_tick).u32(count).u32(record_size).string(encoding).blob(data).bytes()


def snapshot(tick: int, data: bytes) -> bytes:
    """elsewhere_msgs/Snapshot."""
    return Encoder().u64(tick).blob(data).bytes()


# --- reading back -------------------------------------------------------------------------------


class Decoder:
    """Reads fields in order, with their alignment."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 4

    def number(self, form: str) -> int:
        """One whole number of a struct format letter."""
        size = struct.calcsize(f"<{form}")
        self._at += -(self._at - 4) % size
        (value,) = struct.unpack_from(f"<{form}", self._data, self._at)
        self._at += size
        return int(value)

    def blob(self) -> bytes:
        """A sequence of bytes."""
        size = self.number("I")
        self._at += size
        return self._data[self._at - size : self._at]

    def string(self) -> str:
        """A string."""
        return self.blob()[:-1].decode()

    def time(self) -> int:
        """Nanoseconds since 1970."""
        return self.number("i") * NANO + self.number("I")
