"""Everything that crosses the network between operator and avatar: the only schema.

Messages are frozen msgspec structs, sent as msgpack maps with a `type` tag, validated while they are
decoded. `web/src/messages.ts` is generated from this file and from `elsewhere.overlay_messages`, which
holds the overlay's (`python -m elsewhere.server.typescript`).
What crosses a process on one machine is in `elsewhere.records`.

Two channels exist. *latest*: the newest wins and old ones are dropped at both ends. *reliable*: in
order, none lost. Times are nanoseconds of the sender's monotonic clock; `Ping`/`Pong` relate the
two clocks. Frames: the operator's room and the avatar's base both have z up and x forward; the base
frame stands on the floor under the avatar and travels with it. Quaternions w, x, y, z.
"""

from __future__ import annotations

import math
import struct
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import ArrayLike

from elsewhere.errors import MessageError
from elsewhere.records import FINGERS, FINGERTIPS, FRAME, RANGES, Record

_Message = TypeVar("_Message")

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Wrench = tuple[float, float, float, float, float, float]
Unit = Annotated[float, Meta(ge=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=0)]
Fingers = tuple[Unit, Unit, Unit, Unit, Unit, Unit]
"""Thumb, index, middle, ring, little, thumb rotation: 0 open .. 1 closed. A trigger sets all six."""


class Stamp(Struct, frozen=True):
    """When a measurement was taken, and when it could first be sent, in the sender's clock."""

    sampled_ns: int
    available_ns: int
    device_ns: int = 0


# --- latest, operator -> avatar -----------------------------------------------------------------


class HandInput(Struct, frozen=True):
    """One hand of the operator. A hand that is not tracked counts as released."""

    tracked: bool
    clutch: bool
    position: Vector3
    orientation: Quaternion
    fingers: Fingers


class HeadInput(Struct, frozen=True):
    """The operator's head."""

    tracked: bool
    orientation: Quaternion


class OperatorFrame(Struct, frozen=True, tag=True):
    """All that an operator commands, whole, in every frame: a lost frame loses nothing.

    `seq` strictly increases within a session. `base_twist`: wanted vx, vy [m/s], wz [rad/s].
    """

    seq: Annotated[int, Meta(ge=1)]
    stamp: Stamp
    left: HandInput
    right: HandInput
    head: HeadInput
    base_twist: Vector3


class Ping(Struct, frozen=True, tag=True):
    """Asks the other side for its clock. Either side may ask, on the latest channel."""

    seq: Count
    sent_ns: int


class Pong(Struct, frozen=True, tag=True):
    """Answers a ping: offset = ((received - sent) + (replied - now)) / 2."""

    seq: Count
    sent_ns: int
    received_ns: int
    replied_ns: int


# --- latest, avatar -> operator -----------------------------------------------------------------

ModeName = Literal["hold", "fade", "track", "stopped"]


class HandState(Struct, frozen=True):
    """One hand of the avatar: palm pose in the base frame, measured and wanted.

    `reason`: why the hand cannot follow its target, in words; empty while it can.
    """

    position: Vector3
    orientation: Quaternion
    target_position: Vector3
    target_orientation: Quaternion
    fingers: tuple[float, float, float, float, float, float]
    fingertips: tuple[float, float, float, float, float]
    wrench: Wrench
    clutched: bool
    reachable: bool
    reason: str = ""


class RecordingState(Struct, frozen=True):
    """What the recorder does: `fault` is empty while all is well."""

    active: bool
    file: str = ""
    megabytes: float = 0.0
    fault: str = ""


class LoopState(Struct, frozen=True):
    """How well the control loop keeps its time, over the last second."""

    period_p99_us: float
    compute_p99_us: float
    missed_ratio: float


class AvatarState(Struct, frozen=True, tag=True, omit_defaults=True):
    """What the avatar is doing, at least 100 times a second.

    `loop` and `recording` change slowly and are told ten times a second: a message without them fits
    into one packet.

    `frame_seq` is the newest operator frame that reached the tick, and `frame_age_ms` how old the
    operator's motion was then. `reason` says in words why the mode is what it is.
    """

    seq: Count
    stamp: Stamp
    mode: ModeName
    reason: str
    fade: Unit
    frame_seq: Count
    frame_age_ms: float
    left: HandState
    right: HandState
    head_orientation: Quaternion
    baseline_mm: float
    base_pose: Vector3
    base_twist: Vector3
    ranges: tuple[float, float, float, float]
    loop: LoopState | None = None
    recording: RecordingState | None = None


class VideoStamp(Struct, frozen=True, tag=True):
    """Belongs to the video frame with this RTP timestamp: when it was simulated, from where seen."""

    frame: Count
    rtp: Count
    sampled_ns: int
    head_orientation: Quaternion


# --- reliable -----------------------------------------------------------------------------------


class ThingDescription(Struct, frozen=True):
    """One thing of the scene: its pose in the room when it was told, and half sizes of its box."""

    name: str
    kind: str
    position: Vector3
    orientation: Quaternion
    half_size: Vector3
    text: str = ""


class SceneDescription(Struct, frozen=True):
    """What a newcomer is told of the place: no more than one sees on entering."""

    name: str
    seed: Count
    things: list[ThingDescription]


class Welcome(Struct, frozen=True, tag=True):
    """First message of a session: who you are talking to.

    `head_home`: the avatar's head in the base frame when the operator looks straight ahead.
    """

    session: str
    rig: str
    title: str
    drives: bool
    hands: dict[str, str]
    scene: SceneDescription
    video_width: Count
    video_height: Count
    eye_fov_deg: float
    version: str
    head_home: Quaternion = (1.0, 0.0, 0.0, 0.0)


class Event(Struct, frozen=True, tag=True):
    """Something a person should know: `level` info, warning or fault; `code` for programs."""

    level: Literal["info", "warning", "fault"]
    code: str
    text: str
    time_ns: int


class SceneChanged(Struct, frozen=True, tag=True):
    """The scene was reset."""

    scene: SceneDescription


class ThingsMoved(Struct, frozen=True, tag=True):
    """Things that have come to rest elsewhere than was last told: what a glance at the place shows."""

    things: list[ThingDescription]


class TaskState(Struct, frozen=True, tag=True):
    """What the referee of the scene says: names of the goals, and whether each is met."""

    goals: dict[str, bool]


class Reset(Struct, frozen=True, tag=True):
    """Put the scene back as seed says, and the avatar to its home."""

    seed: Count


class Stop(Struct, frozen=True, tag=True):
    """Stop every motion and hold, until `Resume`."""


class Resume(Struct, frozen=True, tag=True):
    """End a stop: the avatar comes back through the fade."""


class Rehome(Struct, frozen=True, tag=True):
    """Take the operator's present head pose as looking straight ahead."""


class SetBaseline(Struct, frozen=True, tag=True):
    """Match the distance of the avatar's eyes to the operator's (clamped to what it can do)."""

    millimetres: float


class Goodbye(Struct, frozen=True, tag=True):
    """The operator leaves on purpose: the avatar holds at once."""


# --- what may come on which channel -------------------------------------------------------------

LatestUp = OperatorFrame | Ping | Pong
LatestDown = AvatarState | VideoStamp | Ping | Pong
ReliableUp = Reset | Stop | Resume | Rehome | SetBaseline | Goodbye
ReliableDown = Welcome | Event | SceneChanged | ThingsMoved | TaskState

_encoder = msgspec.msgpack.Encoder()


def encode(message: Struct) -> bytes:
    """A message as msgpack."""
    return _encoder.encode(message)


class Decoder(Generic[_Message]):
    """Reads what may come on one channel, and nothing else. Raises MessageError."""

    def __init__(self, channel: str, kind: Any) -> None:
        self.channel = channel
        self._decoder = msgspec.msgpack.Decoder(kind)

    def __call__(self, data: bytes) -> _Message:
        """The message in `data`."""
        try:
            message: _Message = self._decoder.decode(data)
        except (msgspec.DecodeError, msgspec.ValidationError, TypeError) as error:
            raise MessageError(f"A message on the {self.channel} channel was refused: {error}.") from error
        return message


decode_latest_up: Decoder[LatestUp] = Decoder("latest_up", LatestUp)
decode_latest_down: Decoder[LatestDown] = Decoder("latest_down", LatestDown)
decode_reliable_up: Decoder[ReliableUp] = Decoder("reliable_up", ReliableUp)
decode_reliable_down: Decoder[ReliableDown] = Decoder("reliable_down", ReliableDown)


def vector3(values: ArrayLike) -> Vector3:
    """Three numbers of any kind as a message takes them."""
    x, y, z = np.asarray(values, np.float64).tolist()
    return (x, y, z)


def quaternion(values: ArrayLike) -> Quaternion:
    """Four numbers of any kind as a message takes them."""
    w, x, y, z = np.asarray(values, np.float64).tolist()
    return (w, x, y, z)


def frame_record(frame: OperatorFrame, *, session: int, offset_ns: int, received_ns: int) -> Record:
    """An operator's frame as the record that the tick reads, with its time in the avatar's clock.

    `offset_ns` is the avatar's clock minus the operator's. Raises MessageError for anything that is
    not finite and for quaternions that are not rotations.
    """
    left, right, head = frame.left, frame.right, frame.head
    words = _FRAME.pack(
        frame.seq,
        session,
        frame.stamp.sampled_ns + offset_ns,
        received_ns,
        left.tracked,
        right.tracked,
        left.clutch,
        right.clutch,
        *(_finite(left.position, "hand position") if left.tracked else _NOWHERE),
        *(_finite(right.position, "hand position") if right.tracked else _NOWHERE),
        *(_rotation(left.orientation, "hand orientation") if left.tracked else _UNTURNED),
        *(_rotation(right.orientation, "hand orientation") if right.tracked else _UNTURNED),
        *left.fingers,
        *right.fingers,
        head.tracked,
        *(_rotation(head.orientation, "head orientation") if head.tracked else _UNTURNED),
        *_finite(frame.base_twist, "base twist"),
    )
    return np.frombuffer(words, FRAME).reshape(())


def _finite(values: tuple[float, ...], what: str) -> tuple[float, ...]:
    if not all(math.isfinite(value) and abs(value) < 1e3 for value in values):
        raise MessageError(f"The {what} {values} is refused: each number must be finite and below 1000.")
    return values


def _rotation(q: Quaternion, what: str) -> tuple[float, ...]:
    norm = math.sqrt(sum(value * value for value in _finite(q, what)))
    if not 0.9 < norm < 1.1:
        raise MessageError(f"The {what} {q} is refused: a unit quaternion w, x, y, z is needed.")
    return tuple(value / norm for value in q)


# FRAME as one string of words: ten times faster than filling it field by field.
_HANDS = "=QQqq2q2q6d8d12dq4d3d"
# What follows is for trajectory scripts: an operator's message leaves it zero.
_FRAME = struct.Struct(f"{_HANDS}{FRAME.itemsize - struct.calcsize(_HANDS)}x")
_NOWHERE, _UNTURNED = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
assert FRAME.fields is not None
assert struct.calcsize(_HANDS) == FRAME.fields["way"][1]
assert (FINGERS, FINGERTIPS, RANGES) == (6, 5, 4)
