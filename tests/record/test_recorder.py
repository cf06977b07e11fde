"""A run is recorded, and rosbags, which knows nothing of us, reads the same numbers back."""

from __future__ import annotations

import json
import math
import time
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from mcap.reader import make_reader
from rosbags.highlevel import AnyReader

from elsewhere.record.export import export_video
from elsewhere.record.reader import Session
from elsewhere.record.topics import FIXED

OFFSET_NS = 1_750_000_000_000_000_000 - 5_000_000_000  # as the fixture's clocks say


def only(folder: Path) -> Path:
    (path,) = folder.glob("*.mcap")
    return path


@pytest.fixture
def recorded(run, ticks):
    sent = ticks(3000)
    run.recorder.event("info", "session.start", "An operator took the seat.")
    run.advance(sent)
    run.recorder.stop()
    return run, sent, only(Path(run.rig.recording.folder))


def test_ticks_and_snapshots_come_back(recorded) -> None:
    run, sent, path = recorded
    with Session.open(path) as session:
        assert session.complete
        assert session.ticks().tobytes() == sent.tobytes()
        assert session.ticks(1000, 1999).tobytes() == sent[1000:2000].tobytes()
        assert session.gaps() == []
        assert [shot.tick for shot in session.snapshots()] == [0, 1000, 2000]
        assert session.snapshots()[1].record["integrators"].tolist() == list(range(40))
        assert session.metadata["rig_toml"].startswith("# The default avatar")
        assert json.loads(session.metadata["rig_json"])["name"] == "commodity"
        assert (session.metadata["seed"], session.joints[0][0]) == ("7", "left_arm_joint1")
        assert session.events()[0].text == "An operator took the seat."
        rates = {topic.name: topic.rate_hz for topic in session.topics()}
        assert rates["/joint_states"] == pytest.approx(50.0, rel=0.05)
    assert not run.recorder.status().active


def test_every_topic_reads_in_rosbags(recorded) -> None:
    run, sent, path = recorded
    seen: dict[str, list] = {}
    with AnyReader([path]) as reader:
        for connection, log_ns, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            seen.setdefault(connection.topic, []).append((log_ns, message))
    expected = {topic.name for topic in (*FIXED, *run.recorder._sheet.topics)} - {"/video/stereo"}
    assert set(seen) == expected
    shown = sent[sent["tick"] % 20 == 0]
    for name in expected - {"/ticks", "/snapshots", "/events", "/status"}:
        assert [log_ns for log_ns, _ in seen[name]] == (shown["now_ns"] + OFFSET_NS).tolist(), name
    for row, tick in enumerate(shown):
        check_messages(
            {name: found[row][1] for name, found in seen.items() if len(found) == len(shown)}, tick
        )
    status = json.loads(seen["/status"][0][1].data)
    assert (status["mode"], status["reason"]) == ("track", "following")
    assert bytes(seen["/snapshots"][0][1].data)[:8] == (0).to_bytes(8, "little")
    assert sum(batch.count for _, batch in seen["/ticks"]) == len(sent)


def check_messages(messages: dict, tick: np.void) -> None:
    state = tick["state"]
    joints = messages["/joint_states"]
    assert joints.header.stamp.sec * 10**9 + joints.header.stamp.nanosec == state["sampled_ns"] + OFFSET_NS
    assert joints.name[:8] == [*(f"left_arm_joint{i}" for i in range(1, 8)), "left_hand_motor1"]
    assert joints.name[-3:] == ["head_yaw", "head_pitch", "head_roll"]
    np.testing.assert_array_equal(joints.position[:7], state["q"][0, :7])
    np.testing.assert_array_equal(joints.position[13:20], state["q"][1, :7])
    np.testing.assert_array_equal(joints.position[7:13], state["motors"][0])
    np.testing.assert_array_equal(joints.velocity[:7], state["dq"][0, :7])
    np.testing.assert_array_equal(joints.effort[13:20], state["tau"][1, :7])
    np.testing.assert_array_equal(joints.position[-3:], state["head"])
    assert np.isnan(joints.velocity[-3:]).all()
    for side, name in enumerate(("left", "right")):
        check_pose(messages[f"/{name}/palm"], "base", tick["palm_p"][side], tick["palm_q"][side])
        check_pose(messages[f"/{name}/target"], "base", tick["target_p"][side], tick["target_q"][side])
        frame = tick["frame"]
        check_pose(messages[f"/operator/{name}"], "operator", frame["hand_p"][side], frame["hand_q"][side])
        wrench = messages[f"/{name}/wrench"].wrench
        numbers = [getattr(part, axis) for part in (wrench.force, wrench.torque) for axis in "xyz"]
        np.testing.assert_array_equal(numbers, state["wrench"][side])
    tf = {item.child_frame_id: item for item in messages["/tf"].transforms}
    assert set(tf) == {"base", "head", "left_palm", "right_palm"}
    assert tf["base"].transform.translation.x == state["base"][0]
    assert tf["base"].transform.rotation.z == pytest.approx(math.sin(state["base"][2] / 2), abs=1e-15)
    assert tf["right_palm"].transform.rotation.x == tick["palm_q"][1, 1]
    base = messages["/base"]
    assert (base.pose.pose.position.y, base.twist.twist.angular.z) == (state["base"][1], 0.3)
    assert messages["/ranges/front"].range == np.float32(state["ranges"][0])
    assert messages["/ranges/left"].range == math.inf  # the sensor saw nothing


def check_pose(message, frame: str, position, quaternion) -> None:
    assert message.header.frame_id == frame
    pose = message.pose
    np.testing.assert_array_equal([pose.position.x, pose.position.y, pose.position.z], position)
    q = pose.orientation
    np.testing.assert_array_equal([q.w, q.x, q.y, q.z], quaternion)


def test_file_is_valid_for_the_mcap_package(recorded) -> None:
    _, _, path = recorded
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert reader.get_header().profile == "ros2"
        assert all(chunk.uncompressed_size <= 65536 for chunk in summary.chunk_indexes)
        assert [item.name for item in reader.iter_metadata()] == ["elsewhere"]
        counted = sum(1 for _ in reader.iter_messages())
        assert counted == summary.statistics.message_count


def test_untracked_hand_gives_no_message(run, ticks) -> None:
    sent = ticks(200)
    sent["frame"]["tracked"][:, 0] = 0
    run.advance(sent)
    run.recorder.stop()
    with Session.open(only(Path(run.rig.recording.folder))) as session:
        counts = {topic.name: topic.count for topic in session.topics()}
    assert (counts["/operator/left"], counts["/operator/right"]) == (0, 10)


def test_lost_ticks_are_counted_and_said(run, ticks) -> None:
    sent = ticks(6000)
    run.advance(sent[:500])
    for tick in sent[500:5500]:  # more than the ring holds, with no step in between
        run.tap.append(tick)
    run.advance(sent[5500:])
    run.recorder.stop()
    with Session.open(only(Path(run.rig.recording.folder))) as session:
        (gap,) = session.gaps()
        stored = session.ticks()
        (event,) = session.events()
    lost = run.recorder.lost_ticks
    assert lost > 0
    assert (gap.before, gap.after, gap.index) == (499, 500 + lost, 500)
    assert stored.tobytes() == np.concatenate((sent[:500], sent[500 + lost :])).tobytes()
    assert (event.level, event.code) == ("warning", "record.lost")
    assert str(lost) in event.text


def test_recorder_that_joins_late_and_a_controller_that_starts_again(run, ticks) -> None:
    sent = ticks(6000)
    for tick in sent[:5500]:  # the ring holds the last 4096 of them when the recorder first looks
        run.tap.append(tick)
    for number in (0, 1000, 2000, 3000, 4000, 5000):
        shot = np.zeros((), run.snapshot.dtype)
        shot["tick"] = number
        run.snapshot.append(shot)
    run.advance(sent[5500:])
    run.advance(ticks(100))
    run.recorder.stop()
    with Session.open(only(Path(run.rig.recording.folder))) as session:
        first, second = session.spans()
        assert [shot.tick for shot in session.snapshots()] == [2000, 3000, 4000, 5000, 0]
        assert session.events() == []  # what was gone before it came is no loss of the recorder
    assert 1000 < first[0] < 2000
    assert (first[1], second) == (5999, (0, 99))


def packets(count: int) -> list[tuple[bytes, bool]]:
    context = av.CodecContext.create("libx264", "w")
    context.width, context.height, context.pix_fmt = 128, 48, "yuv420p"
    context.time_base = Fraction(1, 30)
    context.options = {"tune": "zerolatency", "preset": "ultrafast", "g": "10"}
    made = []
    for number in range(count):
        image = np.full((48, 128, 3), number * 8, np.uint8)
        frame = av.VideoFrame.from_ndarray(image, "rgb24")
        frame.pts = number
        made += context.encode(frame)
    made += context.encode(None)
    return [(bytes(packet), packet.is_keyframe) for packet in made]


def test_video_packets_decode(run, ticks, tmp_path: Path) -> None:
    sent = ticks(1000)
    run.advance(sent[:50])
    assert run.recorder.wants_keyframe
    made = packets(25)
    run.recorder.video(made[1][0], made[1][1], 0, 999)  # before any key frame: of no use
    for number, (packet, key) in enumerate(made):
        run.recorder.video(packet, key, 5_000_000_000 + number * 33_000_000, number)
    run.advance(sent[50:])
    assert not run.recorder.wants_keyframe
    run.recorder.stop()
    path = only(Path(run.rig.recording.folder))
    decoder = av.CodecContext.create("h264", "r")
    with Session.open(path) as session:
        stored = list(session.video())
    assert [packet.frame for packet in stored] == list(range(25))
    frames = [frame for packet in stored for frame in decoder.decode(av.Packet(packet.data))]
    frames += decoder.decode(None)
    assert len(frames) == 25
    assert frames[20].to_ndarray(format="rgb24").mean() == pytest.approx(160, abs=6)
    assert stored[3].wall_ns == OFFSET_NS + 5_000_000_000 + 99_000_000
    for name in ("video.mp4", "video.h264"):
        assert export_video(path, tmp_path / name) == 25
        with av.open(str(tmp_path / name)) as container:
            assert sum(1 for _ in container.decode(video=0)) == 25


def test_queues_are_bounded(run, ticks) -> None:
    for number in range(1500):
        run.recorder.event("info", "many", str(number))
    run.recorder.video(bytes(10 << 20), True, 0, 1)
    run.recorder.video(bytes(10 << 20), False, 0, 2)  # no room
    run.recorder.video(b"p", False, 0, 3)  # useless without the one before
    run.advance(ticks(100))
    run.recorder.stop()
    assert (run.recorder.dropped_events, run.recorder.dropped_packets) == (476, 2)
    with Session.open(only(Path(run.rig.recording.folder))) as session:
        events = session.events()
        assert [packet.frame for packet in session.video()] == [1]
    assert len(events) == 1025
    assert events[-1].code == "record.video"


def test_thread_records_and_stops(run, ticks) -> None:
    sent = ticks(400)
    run.recorder.start()
    for at in range(0, 400, 50):
        for tick in sent[at : at + 50]:
            run.tap.append(tick)
        time.sleep(0.01)
    assert run.recorder.status().active
    run.recorder.stop()
    with Session.open(only(Path(run.rig.recording.folder))) as session:
        assert session.ticks().tobytes() == sent.tobytes()
