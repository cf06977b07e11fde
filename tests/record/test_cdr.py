"""The wire format against rosbags, an independent implementation."""

from __future__ import annotations

import numpy as np
import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from elsewhere.errors import UnknownNameError
from elsewhere.record import cdr
from elsewhere.record.schemas import DEFINITIONS, schema_name, schema_text


def decode(kind: str, data: bytes) -> object:
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(schema_text(kind), schema_name(kind)))
    return store.deserialize_cdr(data, schema_name(kind))


def fill(template: cdr.Template, **values: object) -> bytes:
    data = bytearray(template.data)
    for name, value in values.items():
        offsets, size = template.slots[name.replace("__", ".")]
        numbers = np.atleast_1d(np.asarray(value, "<f8" if size == 8 else "<i4"))
        for offset, number in zip(offsets, numbers, strict=True):
            data[offset : offset + size] = number.tobytes()
    return bytes(data)


@pytest.mark.parametrize("names", [(), ("a",), ("a", "bc", "def"), ("left_arm_joint1", "x")])
def test_joint_state(names: tuple[str, ...]) -> None:
    numbers = np.arange(len(names)) + 0.5
    data = fill(cdr.joint_state(names), stamp__sec=5, stamp__nanosec=7, position=numbers)
    message = decode("sensor_msgs/JointState", data)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (5, 7)
    assert tuple(message.name) == names
    np.testing.assert_array_equal(message.position, numbers)
    assert np.isnan(message.velocity).all()


def test_transforms() -> None:
    template = cdr.transforms([("room", "base"), ("base", "head")])
    data = fill(template, head__p=[1, 2, 3], head__q=[0.1, 0.2, 0.3, 0.4], head__stamp__sec=9)
    first, second = decode("tf2_msgs/TFMessage", data).transforms
    assert (first.header.frame_id, first.child_frame_id, first.transform.rotation.w) == (
        "room",
        "base",
        1.0,
    )
    assert (second.header.frame_id, second.child_frame_id) == ("base", "head")
    assert (second.header.stamp.sec, second.transform.translation.z) == (9, 3.0)
    assert (second.transform.rotation.x, second.transform.rotation.w) == (0.1, 0.4)


def test_variable_messages() -> None:
    log = decode("rcl_interfaces/Log", cdr.log(3_000_000_004, "warning", "code", "Grüße"))
    assert (log.stamp.sec, log.stamp.nanosec, log.level, log.name, log.msg) == (3, 4, 30, "code", "Grüße")
    video = decode("foxglove_msgs/CompressedVideo", cdr.compressed_video(5, "head", b"\x00\x00\x01\x65"))
    assert (bytes(video.data), video.format, video.frame_id) == (b"\x00\x00\x01\x65", "h264", "head")
    batch = decode("elsewhere_msgs/TickBatch", cdr.tick_batch(7, 2, 3, "raw", b"abcdef"))
    assert (batch.first_tick, batch.count, batch.record_size, batch.encoding) == (7, 2, 3, "raw")
    assert bytes(batch.data) == b"abcdef"
    assert decode("std_msgs/String", cdr.string("{}")).data == "{}"


def test_standard_definitions_are_those_of_ros() -> None:
    store = get_typestore(Stores.ROS2_JAZZY)
    own = get_typestore(Stores.EMPTY)
    for kind in DEFINITIONS:
        if kind.startswith(("elsewhere", "foxglove")):
            continue
        own.register(get_types_from_msg(schema_text(kind), schema_name(kind)))
        assert own.hash_rihs01(schema_name(kind)) == store.hash_rihs01(schema_name(kind)), kind


def test_unknown_type_lists_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="std_msgs/String"):
        schema_text("std_msgs/Strong")
