from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import cv2
import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.errors import MessageError
from elsewhere.lab.marked_stand import T_BASE_MARKER, at_rest, camera, head, looks
from elsewhere.overlay_messages import Tracked, TrackImage
from elsewhere.presence.tracking.fiducial import Fiducial
from elsewhere.presence.tracking.pose import Pose, inverse
from elsewhere.server.overlay_tracking import ImageTracker, jpeg_size
from elsewhere.world.viewer import Sensor

FOV_DEG = float(np.degrees(2 * np.arctan(320 / camera().fx)))
FLIP = np.diag([1.0, -1.0, -1.0, 1.0])


def tracker(pool: ThreadPoolExecutor | None = None) -> ImageTracker:
    return ImageTracker(Fiducial(), T_BASE_MARKER, pool or ThreadPoolExecutor(1))


@pytest.fixture(scope="module")
def shown() -> list[TrackImage]:
    """A moving head's pictures of a base at rest, as a page sends them, ten a second."""
    images = []
    for k, look in enumerate(looks(head(1.0, 20), at_rest, 1.0, 10.0)):
        eye = Pose.of(look.T_world_camera @ FLIP)
        jpeg = Sensor(jpeg=85).encode(look.image)
        images.append(
            TrackImage(k, 640, 480, jpeg, FOV_DEG, tuple(eye.p), tuple(eye.q), 1000.0 + 1e3 * look.time_s)
        )
    return images


def seen_in_room(image: TrackImage, tracked: Tracked) -> Pose:
    """As a page puts them together: its own eye, and the answer."""
    T_room_camera = Pose(np.array(image.eye_p), np.array(image.eye_q)).T @ FLIP
    return Pose.of(T_room_camera @ Pose(np.array(tracked.p), np.array(tracked.q)).T)


def test_pictures_are_answered_with_the_base(shown: list[TrackImage]) -> None:
    ours = tracker()
    for image in shown:
        answer = ours.handle(image, 0.0)
        assert answer.found
        assert answer.sequence == image.sequence
        assert answer.error == ""
        assert answer.error_px < 0.5
    metres, angle = seen_in_room(image, answer).distance(at_rest(0.0))
    assert metres < 0.005
    assert np.degrees(angle) < 0.5
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(answer), type=Tracked) == answer


def test_without_the_eye_s_pose_the_camera_is_the_room(shown: list[TrackImage]) -> None:
    image = msgspec.structs.replace(
        shown[0], eye_p=(0.0, 0.0, 0.0), eye_q=(1.0, 0.0, 0.0, 0.0), time_ms=0.0
    )
    answer = tracker().handle(image, 12.0)
    T_room_camera = Pose(np.array(shown[0].eye_p), np.array(shown[0].eye_q)).T @ FLIP
    truth = Pose.of(inverse(T_room_camera))
    assert Pose(np.array(answer.p), np.array(answer.q)).distance(truth)[0] < 0.01


def test_a_picture_without_the_marker_is_no_error() -> None:
    black = Sensor(jpeg=85).encode(np.zeros((480, 640, 3), np.uint8))
    answer = tracker().handle(TrackImage(3, 640, 480, black, FOV_DEG), 0.0)
    assert (answer.found, answer.error, answer.sequence) == (False, "", 3)


def test_a_page_that_is_loaded_again_begins_anew(shown: list[TrackImage]) -> None:
    ours = tracker()
    assert ours.handle(msgspec.structs.replace(shown[0], time_ms=9e6), 0.0).found
    moved = msgspec.structs.replace(shown[0], eye_p=(7.0, 0.0, 0.0), time_ms=50.0)
    answer = ours.handle(moved, 0.0)
    assert answer.found
    base = Pose(np.array(answer.p), np.array(answer.q))
    assert base.distance(Pose.of(inverse(_camera(shown[0]))))[0] < 0.01


def _camera(image: TrackImage) -> np.ndarray:
    return Pose(np.array(image.eye_p), np.array(image.eye_q)).T @ FLIP


def encoded(height: int, width: int, suffix: str = ".jpg", *options: int) -> bytes:
    return cv2.imencode(suffix, np.zeros((height, width), np.uint8), [*options])[1].tobytes()


HOSTILE = {
    "empty": (b"", 640, 480, "not a JPEG"),
    "no picture": (b"\xff\xd8" + b"\x00" * 100, 640, 480, "broken"),
    "another form": (encoded(48, 64, ".png"), 64, 48, "not a JPEG"),
    "too many bytes": (b"\xff\xd8" + bytes(1_000_001), 640, 480, "at most 1000000"),
    "other size than said": (encoded(48, 64), 640, 480, "64 x 48"),
    "too wide": (encoded(480, 2000), 2000, 480, "1920 x 1440"),
    "too small": (encoded(8, 8), 8, 8, "32 x 32"),
    "progressive": (encoded(48, 64, ".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1), 64, 48, "progressive"),
    "cut off": (encoded(48, 64)[:180], 64, 48, ""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_bad_pictures_are_answered_in_words(name: str) -> None:
    jpeg, width, height, words = HOSTILE[name]
    answer = tracker().handle(TrackImage(1, width, height, jpeg, FOV_DEG), 0.0)
    assert not answer.found
    assert words in answer.error


def test_a_header_that_promises_a_giant_is_refused_before_it_is_decoded() -> None:
    small = bytearray(encoded(48, 64))
    at = small.index(b"\xff\xc0")
    small[at + 5 : at + 9] = b"\xff\xff\xff\xff"
    assert jpeg_size(bytes(small)) == (65535, 65535)
    answer = tracker().handle(TrackImage(1, 65535, 65535, bytes(small), FOV_DEG), 0.0)
    assert "1920 x 1440" in answer.error


@pytest.mark.parametrize(
    "change",
    [
        {"fov_deg": float("nan")},
        {"fov_deg": 0.0},
        {"eye_q": (0.0, 0.0, 0.0, 0.0)},
        {"eye_q": (float("nan"), 0.0, 0.0, 1.0)},
        {"eye_p": (float("inf"), 0.0, 0.0)},
        {"eye_p": (1e300, 0.0, 0.0)},
    ],
)
def test_numbers_that_are_none_are_answered_in_words(shown: list[TrackImage], change: dict) -> None:
    answer = tracker().handle(msgspec.structs.replace(shown[0], **change), 0.0)
    assert not answer.found
    assert answer.error


def test_a_time_that_is_none_is_the_server_s(shown: list[TrackImage]) -> None:
    for time_ms in (float("nan"), float("inf"), -5.0):
        assert tracker().handle(msgspec.structs.replace(shown[0], time_ms=time_ms), 3.0).found


@settings(max_examples=60)
@given(data=st.data())
def test_no_bytes_raise(shown: list[TrackImage], data: st.DataObject) -> None:
    jpeg = bytearray(shown[0].jpeg)
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, min(len(jpeg) - 1, 900)))
        jpeg[place] = data.draw(st.integers(0, 255))
    answer = tracker().handle(msgspec.structs.replace(shown[0], jpeg=bytes(jpeg)), 0.0)
    assert isinstance(answer, Tracked)
    assert np.isfinite([*answer.p, *answer.q, answer.error_px]).all()
    with pytest.raises(MessageError):
        jpeg_size(data.draw(st.binary(max_size=200)))


async def test_the_newest_picture_wins(shown: list[TrackImage]) -> None:
    pool = ThreadPoolExecutor(1)
    ours, gate = tracker(pool), threading.Event()
    blocker = pool.submit(gate.wait)  # the pool is busy while pictures come in
    waiting = [asyncio.create_task(ours.answer(image, 0.0)) for image in shown[:4]]
    await asyncio.sleep(0.01)
    gate.set()
    first, *overtaken, last = await asyncio.gather(*waiting)
    assert blocker.result()
    assert overtaken == [None, None]
    assert first is None or first.sequence == 0
    assert last is not None
    assert last.sequence == 3
    pool.shutdown()
