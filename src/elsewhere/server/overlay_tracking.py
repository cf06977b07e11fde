"""Pictures of a viewer's camera, answered by where the robot's base is in them.

One `ImageTracker` for each viewer. Pictures come from outside, so nothing of them is believed: size and
form are read from the JPEG's own header before anything is decoded, and whatever is wrong becomes an answer
in words, never an exception.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from math import isfinite

import cv2
import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import ElsewhereError, MessageError
from elsewhere.messages import Quaternion, Vector3, quaternion, vector3
from elsewhere.overlay_messages import Tracked, TrackImage
from elsewhere.presence.tracking.base_tracker import BaseTracker
from elsewhere.presence.tracking.camera import Camera, from_graphics
from elsewhere.presence.tracking.fiducial import Fiducial
from elsewhere.presence.tracking.pose import Pose, inverse

MOST_WIDTH, MOST_HEIGHT = 1920, 1440
LEAST_SIDE = 32
MOST_BYTES = 1_000_000
FARTHEST_M = 1e4  # a room's origin farther away is no room's

# Start of frame: baseline and extended sequential, what cameras and browsers write.
_SOF_PLAIN = (0xC0, 0xC1)
_SOF_ALL = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_NO_POSITION: Vector3 = (0.0, 0.0, 0.0)
_NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height that a JPEG says it has. Raises MessageError where it is not a plain JPEG.

    A progressive one is refused: a small file can hold scans that take minutes to decode.
    """
    if data[:2] != b"\xff\xd8":
        raise MessageError("The picture is not a JPEG. Send baseline JPEG, as a canvas gives it.")
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        kind, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if kind == 0xFF:  # padding before a marker
            at += 1
            continue
        if kind in _SOF_PLAIN:
            height, width = (int.from_bytes(data[at + k : at + k + 2], "big") for k in (5, 7))
            return width, height
        if kind in _SOF_ALL:
            raise MessageError(
                "The picture is a progressive JPEG. Send baseline JPEG, as a canvas gives it."
            )
        if kind in (0xD9, 0xDA) or length < 2:
            break
        at += 2 + length
    raise MessageError("The JPEG's header is broken. Send baseline JPEG, as a canvas gives it.")


def decode_grey(image: TrackImage) -> NDArray[np.uint8]:
    """The picture (height, width), grey. Raises MessageError where it is too large or broken."""
    if len(image.jpeg) > MOST_BYTES:
        raise MessageError(f"The picture has {len(image.jpeg)} bytes. Send at most {MOST_BYTES}.")
    size = jpeg_size(image.jpeg)
    if size != (image.width, image.height):
        raise MessageError(
            f"The picture is {size[0]} x {size[1]}, not {image.width} x {image.height} as said."
        )
    if size[0] > MOST_WIDTH or size[1] > MOST_HEIGHT or min(size) < LEAST_SIDE:
        raise MessageError(
            f"A picture of {size[0]} x {size[1]} is not taken. Send {LEAST_SIDE} x {LEAST_SIDE} to "
            f"{MOST_WIDTH} x {MOST_HEIGHT}."
        )
    # A picture turned by its EXIF data would no longer be the camera's.
    flags = cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        grey = cv2.imdecode(np.frombuffer(image.jpeg, np.uint8), flags)
    except cv2.error as error:
        raise MessageError(
            "The JPEG cannot be decoded. Send baseline JPEG, as a canvas gives it."
        ) from error
    if grey is None or grey.shape != (image.height, image.width):
        raise MessageError("The JPEG cannot be decoded. Send baseline JPEG, as a canvas gives it.")
    return np.asarray(grey, np.uint8)


class ImageTracker:
    """One viewer's tracking: `answer` in the event loop, or `handle` where blocking does no harm.

    Filtering is done in the viewer's room, when pictures come with the eye's pose there; the answer is the
    filtered base as seen from that eye. Without it the camera is taken to be still.
    """

    def __init__(self, fiducial: Fiducial, T_base_marker: NDArray[np.float64], pool: Executor) -> None:
        self._tracker = BaseTracker(fiducial, T_base_marker)
        self._state = self._tracker.init()
        self._pool = pool
        self._turn = asyncio.Lock()
        self._newest = 0

    async def answer(self, image: TrackImage, now_s: float) -> Tracked | None:
        """The answer, worked out in the pool; None for a picture that a newer one has overtaken."""
        self._newest += 1
        ticket = self._newest
        async with self._turn:
            if ticket != self._newest:
                return None
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, self.handle, image, now_s)

    def handle(self, image: TrackImage, now_s: float) -> Tracked:
        """Answer a picture that came at `now_s` [s]. Never raises."""
        try:
            return self._handle(image, now_s)
        except ElsewhereError as error:
            return _nothing(image, str(error))
        except (cv2.error, ArithmeticError, ValueError, np.linalg.LinAlgError):
            return _nothing(image, "The picture could not be worked on. Send the next one.")

    def _handle(self, image: TrackImage, now_s: float) -> Tracked:
        T_room_camera = _camera_pose(image)
        time_s = 1e-3 * image.time_ms if image.time_ms > 0.0 and isfinite(image.time_ms) else now_s
        grey = decode_grey(image)
        camera = Camera.from_fov(image.width, image.height, image.fov_deg)
        if time_s < self._state.time_s - self._tracker.filter.longest_gap_s:
            self._state = self._tracker.init()  # the page was loaded again: its clock begins anew
        self._state, base = self._tracker.step(self._state, time_s, grey, camera, T_room_camera)
        if base.sighting is None or base.T_world_base is None or not base.confidence:
            return _nothing(image)
        seen = Pose.of(inverse(T_room_camera) @ base.T_world_base)
        p, q = vector3(seen.p), quaternion(seen.q)
        if not all(map(isfinite, (*p, *q))):
            return _nothing(image, "The picture could not be worked on. Send the next one.")
        return Tracked(image.sequence, True, p, q, base.sighting.error_px)


def _camera_pose(image: TrackImage) -> NDArray[np.float64]:
    """T_room_camera in the axes of computer vision."""
    p, q = np.array(image.eye_p), np.array(image.eye_q)
    length = float(np.linalg.norm(q))
    if not (np.isfinite(p).all() and np.abs(p).max() < FARTHEST_M and 0.5 < length < 2.0):
        raise MessageError(
            "The eye's pose is not one: send finite metres and a unit quaternion w, x, y, z."
        )
    return from_graphics(Pose(p, q / length).T)


def _nothing(image: TrackImage, error: str = "") -> Tracked:
    return Tracked(image.sequence, False, _NO_POSITION, _NO_TURN, 0.0, error)
