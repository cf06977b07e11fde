"""Files that are not recordings are refused in one sentence; CSV carries the same numbers."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from mcap.writer import Writer
from rich.console import Console

from elsewhere.errors import RecordingError
from elsewhere.record.export import export_csv, export_video
from elsewhere.record.info import describe, render
from elsewhere.record.reader import Session


@pytest.fixture
def path(run, ticks) -> Path:
    run.recorder.event("fault", "robot.lost", 'The robot said "no", then nothing.')
    run.advance(ticks(1000))
    run.recorder.stop()
    return Path(run.rig.recording.folder) / run.recorder.status().file


def test_not_recordings(tmp_path: Path) -> None:
    cases = {"empty": b"", "text": b"hello there, this is text", "stump": b"\x89MCAP0\r\n"}
    for name, data in cases.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RecordingError, match=name):
            Session.open(tmp_path / name)
    with pytest.raises(RecordingError, match="does not exist"):
        Session.open(tmp_path / "nowhere")
    with pytest.raises(RecordingError, match="cannot be read"):
        Session.open(tmp_path)
    foreign = tmp_path / "foreign.mcap"
    with foreign.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="ros2", library="somebody 1")
        writer.finish()
    with pytest.raises(RecordingError, match="somebody 1"):
        Session.open(foreign)


def test_cut_in_its_head(path: Path, tmp_path: Path) -> None:
    stump = tmp_path / "stump.mcap"
    for size in (20, 60, 500):
        stump.write_bytes(path.read_bytes()[:size])
        with pytest.raises(RecordingError, match="cut off"):
            Session.open(stump)


def test_damaged_chunk_is_a_gap(path: Path, tmp_path: Path) -> None:
    data = bytearray(path.read_bytes())
    with Session.open(path) as session:
        chunk = [chunk for chunk, counts in session._chunks if counts and 1 in counts][10]
    data[chunk.data_at + chunk.data_size // 2] ^= 0xFF
    (tmp_path / "damaged.mcap").write_bytes(data)
    with Session.open(tmp_path / "damaged.mcap") as session:
        assert len(session.gaps()) == 1
        assert 900 < len(session.ticks()) < 1000
        assert session.damaged > 0


def test_describe(path: Path) -> None:
    facts = describe(path)
    assert facts["rig"] == "commodity"
    assert facts["ticks"] == {"count": 1000, "spans": [(0, 999)]}
    assert facts["events"] == {"info": 0, "warning": 0, "fault": 1}
    assert facts["modes"] == {"track": 1.0}
    console = Console(file=StringIO(), width=140)
    console.print(render(facts))
    text = console.file.getvalue()
    assert "/joint_states" in text
    assert "commodity, seed 7" in text


def test_csv_round_trip(path: Path, tmp_path: Path, ticks) -> None:
    written = export_csv(path, tmp_path / "csv")
    names = {file.stem for file in written}
    assert names == {"joints", "palms", "targets", "operator", "wrenches", "base", "events"}
    tables = {}
    for file in written:
        rows = list(csv.reader(file.open(newline="")))
        tables[file.stem] = {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}
        assert {len(row) for row in rows} == {len(rows[0])}
    sent = ticks(1000)

    def check(table: str, column: str, values: np.ndarray) -> None:
        np.testing.assert_array_equal(np.array(tables[table][column], float), values)

    check("joints", "tick", sent["tick"])
    check("joints", "time_s", sent["tick"] / 1e3)
    check("joints", "right_arm_joint3_rad", sent["state"]["q"][:, 1, 2])
    check("joints", "left_arm_joint7_rad_s", sent["state"]["dq"][:, 0, 6])
    check("joints", "right_arm_joint7_command_Nm", sent["command"]["tau"][:, 1, 6])
    check("joints", "right_hand_motor6_closed", sent["state"]["motors"][:, 1, 5])
    check("joints", "head_roll_rad", sent["state"]["head"][:, 2])
    check("palms", "right_x_m", sent["palm_p"][:, 1, 0])
    check("palms", "left_qx", sent["palm_q"][:, 0, 1])
    check("targets", "right_z_m", sent["target_p"][:, 1, 2])
    check("targets", "mode", sent["mode"])
    check("operator", "left_y_m", sent["frame"]["hand_p"][:, 0, 1])
    check("operator", "head_qz", sent["frame"]["head_q"][:, 3])
    check("operator", "right_finger6_closed", sent["frame"]["fingers"][:, 1, 5])
    check("wrenches", "right_tz_Nm", sent["state"]["wrench"][:, 1, 5])
    check("base", "yaw_rad", sent["state"]["base"][:, 2])
    check("base", "range_right_m", sent["state"]["ranges"][:, 3])
    assert tables["events"]["text"] == ['The robot said "no", then nothing.']
    export_csv(path, tmp_path / "thin", every=100)
    assert len((tmp_path / "thin" / "base.csv").read_text().splitlines()) == 11


def test_export_errors(path: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no video"):
        export_video(path, tmp_path / "video.mp4")
    with pytest.raises(RecordingError, match=r"Valid: \.h264, \.mp4"):
        export_video(path, tmp_path / "video.gif")
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot be written"):
        export_csv(path, tmp_path / "file" / "csv")
