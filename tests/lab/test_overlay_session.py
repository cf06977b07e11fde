"""Logged sessions: written and read to the bit, from a recording too, and bad files refused."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from elsewhere.bodies.compose import compose
from elsewhere.errors import RecordingError
from elsewhere.lab.overlay_scene import Scene
from elsewhere.lab.overlay_session import (
    AHEAD,
    OverlaySession,
    frontal,
    read_session,
    session,
    watched,
)
from elsewhere.record.names import BodyNames
from elsewhere.record.recorder import Recorder
from elsewhere.records import TAP
from elsewhere.rig import Recording, Rig, load_rig
from elsewhere.shared import Ring, run_folder

SHOULDERS = np.array([[0.0, 0.2, 1.2], [0.0, -0.2, 1.2]])


def made(count=20) -> OverlaySession:
    rng = np.random.default_rng(3)
    eye, quat = frontal(SHOULDERS)
    return session(
        "name = 'x'",
        rng.normal(size=(count, 2, 7)),
        rng.random((count, 2)),
        np.tile(eye, (count, 1)) + 0.01 * rng.normal(size=(count, 3)),
        np.tile(quat, (count, 1)),
    )


def test_a_session_is_read_as_it_was_written(tmp_path: Path):
    written = made()
    written.write(tmp_path / "one.npz")
    read = read_session(tmp_path / "one.npz")
    for item in fields(OverlaySession):
        assert np.array_equal(getattr(read, item.name), getattr(written, item.name)), item.name
    assert len(read.taken(slice(5, 8))) == 3
    assert read.taken(np.array([4])).q.tolist() == written.q[4:5].tolist()


def test_the_viewer_is_told_in_the_base_frame():
    still = made()
    turned = OverlaySession(**{item.name: getattr(still, item.name) for item in fields(still)})
    # The whole room turned and shifted, robot and viewer together: they see the same.
    quarter = np.array([np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)])
    turned.base_q[:] = quarter
    turned.base_p[:] = (3.0, 1.0, 0.0)
    R = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    viewer = still.viewer(0)
    p = R @ made().viewer_p[0] + turned.base_p[0]
    turned.viewer_p[0] = p
    w, x, y, z = made().viewer_q[0]
    a, d = quarter[0], quarter[3]
    turned.viewer_q[0] = (a * w - d * z, a * x - d * y, a * y + d * x, a * z + d * w)
    viewer, expected = turned.viewer(0), made().viewer(0)
    assert np.allclose(viewer.p, expected.p)
    assert np.allclose(viewer.R, expected.R)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "other"}, "not a session"),
        ({"opening": np.zeros((4, 2))}, "opening"),
        ({"q": np.full((20, 2, 7), np.nan)}, "not numbers"),
        ({"extra": np.zeros(3)}, "not a session"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, change, says):
    made().write(tmp_path / "one.npz")
    with np.load(tmp_path / "one.npz") as file:
        values = dict(file)
    np.savez(tmp_path / "bad.npz", **(values | change))
    with pytest.raises(RecordingError, match=says):
        read_session(tmp_path / "bad.npz")


def test_other_files_are_refused(tmp_path: Path):
    (tmp_path / "text.mcap").write_text("hello, this is not a recording")
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04 and nothing more")
    for name in ("text.mcap", "cut.npz", "nowhere.mcap"):
        with pytest.raises(RecordingError, match=name):
            read_session(tmp_path / name)


def record(folder: Path, ticks: np.ndarray, name: str = "commodity") -> Path:
    rig, slots = load_rig(name), run_folder()
    rig = Rig(**{**vars(rig), "recording": Recording(str(folder), 100, 1.0)})
    ring = Ring(slots / "tap", TAP, 4096, create=True)
    recorder = Recorder(rig, BodyNames.plain(), slots, now_ns=10**9, wall_ns=10**18, seed=1)
    for tick in ticks:
        ring.append(tick)
    recorder.step(int(ticks["now_ns"][-1]))
    recorder.stop()
    for path in slots.iterdir():
        path.unlink()
    slots.rmdir()
    return folder / recorder.status().file


def test_a_recording_of_a_run_is_a_session_at_100_hz(tmp_path: Path):
    ticks = np.zeros(400, TAP)
    n = np.arange(400)
    ticks["tick"], ticks["now_ns"] = n, 10**9 + n * 10**6
    ticks["state"]["sampled_ns"] = ticks["now_ns"]
    ticks["state"]["q"] = 1e-3 * n[:, None, None]
    ticks["state"]["motors"][:, 0] = 0.25
    ticks["state"]["base"] = (1.0, 2.0, np.pi / 2)
    read = read_session(record(tmp_path, ticks))
    assert np.allclose(np.diff(read.time), 0.01)
    assert len(read) == 40
    assert np.allclose(read.q[:, 1, 6], 1e-3 * n[::10])
    assert read.opening[7].tolist() == [0.75, 1.0]
    assert "commodity" in read.rig
    assert not len(read.viewer_p)
    seen = watched(read, SHOULDERS)
    # The robot looks along the room's y: so does the one who faces it stand there.
    assert np.allclose(seen.viewer_p[-1][:2], (1.0, 2.0 + AHEAD))
    assert np.allclose(seen.viewer(0).p, frontal(SHOULDERS)[0])
    assert watched(seen, SHOULDERS + 1.0) is seen


def test_a_recording_of_the_overlay_rig_can_be_replayed(tmp_path: Path):
    home = [arm.home for arm in compose(load_rig("overlay")).arms]
    ticks = np.zeros(40, TAP)
    n = np.arange(40)
    ticks["tick"], ticks["now_ns"] = n, 10**9 + n * 10**6
    ticks["state"]["sampled_ns"] = ticks["now_ns"]
    for side in range(2):
        ticks["state"]["q"][:, side, :7] = home[side]
    scene, read = Scene.recorded(str(record(tmp_path, ticks, "overlay")))
    assert scene.body.rig.name == "overlay"
    (track,) = scene.replay().run(read, scene.wearers(("onia",)))
    assert (track.overlay > 0.5).all()
    assert track.arms["wrist_off"].max() < 1e-9
