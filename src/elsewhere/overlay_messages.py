"""Messages of the overlay: between its relay and whoever looks at the robot. See `messages`.

All poses are in the robot's base frame: metres, quaternions w, x, y, z, pairs (left, right).
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from elsewhere.messages import Count, Decoder, Ping, Pong, Quaternion, Stamp, Vector3


class HumanArmRest(Struct, frozen=True):
    """One arm of the human model in its default pose: joint centres [m], elbow axis, palm normal."""

    shoulder: Vector3
    elbow: Vector3
    wrist: Vector3
    elbow_axis: Vector3
    wrist_vector: Vector3


class HumanAnnotation(Struct, frozen=True):
    """What a viewer has to know of the human model, in the model's own frame. `hand_q`: palm frames."""

    arms: tuple[HumanArmRest, HumanArmRest]
    hand_q: tuple[Quaternion, Quaternion]


class OverlayMarker(Struct, frozen=True):
    """The fiducial on the robot's base: side [m], and its pose in the base frame."""

    dictionary: str
    id: Count
    size: float
    p: Vector3
    q: Quaternion


class OverlayWelcome(Struct, frozen=True, tag=True):
    """First message to a viewer: what to draw, and in which order frames name it."""

    rig: str
    title: str
    solvers: list[str]
    default_solver: str
    rate_hz: float
    human_url: str
    robot_url: str
    links: list[str]
    human: HumanAnnotation
    marker: OverlayMarker


class ArmPoints(Struct, frozen=True):
    """The reference points of one robot arm, and the rotation of the human's default hand to its hand."""

    shoulder: Vector3
    elbow: Vector3
    wrist: Vector3
    hand_q: Quaternion


class OverlayArm(Struct, frozen=True):
    """One arm as a solver posed it: rotations, stretches, and deviations [m] (ONIA, eq. 21 and 22)."""

    shoulder_q: Quaternion
    elbow_q: Quaternion
    wrist_q: Quaternion
    stretch_upper: float
    stretch_fore: float
    elbow_off: float
    wrist_off: float
    status: str


class OverlaySolved(Struct, frozen=True):
    """The human as one solver posed it, and how long that took [us]."""

    body_p: Vector3
    body_q: Quaternion
    arms: tuple[OverlayArm, OverlayArm]
    micros: float


class OverlayFrame(Struct, frozen=True, tag=True):
    """The robot now, and the human that each solver lays over it, 100 times a second.

    `fingers`: thumb, index and the other fingers of each hand [rad]. `fault` says in words what is
    wrong; it is empty while all is well.
    """

    sequence: Count
    stamp: Stamp
    links_p: list[Vector3]
    links_q: list[Quaternion]
    reference: tuple[ArmPoints, ArmPoints]
    opening: tuple[float, float]
    fingers: tuple[Vector3, Vector3]
    solved: list[OverlaySolved]
    fault: str = ""


class OverlayHello(Struct, frozen=True, tag=True):
    """A viewer says who it is."""

    role: Annotated[str, Meta(max_length=40)]


class TrackImage(Struct, frozen=True, tag=True):
    """One picture of the viewer's camera, in which the marker is looked for. `fov_deg`: across its width.

    `eye_p`, `eye_q`: the camera in the viewer's room when the picture was taken, in the axes of WebXR (z
    backward, y up); who does not know it leaves it out. `time_ms`: when that was, by any clock; 0: unknown.
    """

    sequence: Count
    width: Count
    height: Count
    jpeg: Annotated[bytes, Meta(max_length=1_000_000)]
    fov_deg: float
    eye_p: Vector3 = (0.0, 0.0, 0.0)
    eye_q: Quaternion = (1.0, 0.0, 0.0, 0.0)
    time_ms: float = 0.0


class Tracked(Struct, frozen=True, tag=True):
    """Answers a picture: the robot's base in the camera's frame (x right, y down, z forward), filtered.

    `error`: why a picture could not be used, in words; empty where it merely shows no marker.
    """

    sequence: Count
    found: bool
    p: Vector3
    q: Quaternion
    error_px: float
    error: str = ""


OverlayUp = OverlayHello | TrackImage | Ping
OverlayDown = OverlayWelcome | OverlayFrame | Tracked | Pong

decode_overlay_up: Decoder[OverlayUp] = Decoder("overlay_up", OverlayUp)
decode_overlay_down: Decoder[OverlayDown] = Decoder("overlay_down", OverlayDown)
