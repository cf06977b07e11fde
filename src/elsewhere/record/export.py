"""A recording as CSV files, one for each stream, and its video as a file that players open.

Units stand in the column names. Times are seconds since the first tick of the file.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import TextIO

import av
import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import RecordingError
from elsewhere.record.reader import Packet, Session
from elsewhere.records import FINGERS
from elsewhere.status import SIDES

_POSE = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")
_WRENCH = ("fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm")

Ticks = NDArray[np.void]
Stream = tuple[list[str], Callable[[Ticks], list[NDArray]]]
"""Names of the columns, and the columns of some ticks (arrays with the ticks first)."""


def export_csv(path: str | Path, out_dir: str | Path, *, every: int = 1) -> list[Path]:
    """Write one CSV for each stream into a folder; take each `every`-th tick. Returns the files.

    Raises RecordingError when the recording cannot be read or the folder not written.
    """
    folder = Path(out_dir)
    with Session.open(path) as session, ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            written = [folder / f"{name}.csv" for name in (*_streams(session), "events")]
            files = {file.stem: stack.enter_context(file.open("w", newline="")) for file in written}
            _write_events(session, files["events"])
            streams = _streams(session)
            for name, (header, _) in streams.items():
                csv.writer(files[name]).writerow(["tick", "time_s", *header])
            start: int | None = None
            for batch in session.batches():
                start = int(batch["now_ns"][0]) if start is None else start
                chosen = batch[batch["tick"] % every == 0]
                lead = [chosen["tick"], (chosen["now_ns"] - start) / 1e9]
                for name, (_, columns) in streams.items():
                    rows = zip(*_flat([*lead, *columns(chosen)]), strict=True)
                    csv.writer(files[name]).writerows(rows)
        except OSError as error:
            raise RecordingError(f"{folder} cannot be written: {error.strerror}.") from error
    return written


def export_video(path: str | Path, target: str | Path) -> int:
    """Write the stereo video to `target`: `.h264` as it was sent, `.mp4` for players.

    Nothing is encoded again. Returns the number of packets. Raises RecordingError when there are none.
    """
    target = Path(target)
    if target.suffix not in (".h264", ".mp4"):
        raise RecordingError(f"Video cannot be written as '{target.suffix}'. Valid: .h264, .mp4.")
    with Session.open(path) as session:
        packets = list(session.video())
        if not packets:
            raise RecordingError(f"{path} holds no video. Record with the camera switched on.")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.suffix == ".h264":
                target.write_bytes(b"".join(packet.data for packet in packets))
            else:
                _remux(packets, target)
        except OSError as error:
            raise RecordingError(f"{target} cannot be written: {error.strerror}.") from error
    return len(packets)


def _remux(packets: list[Packet], target: Path) -> None:
    first = av.CodecContext.create("h264", "r")
    frames = [frame for packet in packets[:8] for frame in first.decode(av.Packet(packet.data))]
    with av.open(str(target), "w") as container:
        stream = container.add_stream("h264", rate=30)
        if frames:
            stream.width, stream.height = frames[0].width, frames[0].height
        stream.time_base = Fraction(1, 90_000)
        previous = -1
        for packet in packets:
            # Players refuse times that do not increase.
            ticks = max((packet.wall_ns - packets[0].wall_ns) * 9 // 100_000, previous + 1)
            item = av.Packet(packet.data)
            item.stream, item.time_base = stream, stream.time_base
            item.pts = item.dts = previous = ticks
            item.is_keyframe = _is_key(packet.data)
            container.mux(item)


def _is_key(data: bytes) -> bool:
    """Whether an Annex B access unit holds an IDR slice (NAL unit type 5)."""
    at = data.find(b"\x00\x00\x01")
    while at >= 0 and at + 3 < len(data):
        if data[at + 3] & 0x1F == 5:
            return True
        at = data.find(b"\x00\x00\x01", at + 3)
    return False


def _flat(columns: list[NDArray]) -> Iterator[list[float]]:
    """Columns as lists of Python numbers: an array with k numbers a tick gives k of them."""
    for column in columns:
        yield from column.reshape(len(column), -1).T.tolist() if column.size else []


def _sided(names: tuple[str, ...] | list[str], prefix: str = "") -> list[str]:
    return [f"{side}_{prefix}{name}" for side in SIDES for name in names]


def _streams(session: Session) -> dict[str, Stream]:
    joints, motors = session.joints, session.motors
    counts, fingers = [len(names) for names in joints], [len(names) for names in motors]
    joint_names = [name for names in joints for name in names]
    motor_names = [name for names in motors for name in names]

    def used(values: NDArray, sizes: list[int]) -> list[NDArray]:
        return [values[:, side, : sizes[side]] for side in range(2) if sizes[side]]

    def pose(position: NDArray, quaternion: NDArray) -> list[NDArray]:
        return [part[:, side] for side in range(2) for part in (position, quaternion)]

    return {
        "joints": (
            [f"{name}_{unit}" for unit in ("rad", "rad_s", "Nm") for name in joint_names]
            + [f"{name}_wanted_rad" for name in joint_names]
            + [f"{name}_command_Nm" for name in joint_names]
            + [f"{name}_closed" for name in motor_names]
            + ["head_yaw_rad", "head_pitch_rad", "head_roll_rad"],
            lambda t: [
                *used(t["state"]["q"], counts),
                *used(t["state"]["dq"], counts),
                *used(t["state"]["tau"], counts),
                *used(t["q_wanted"], counts),
                *used(t["command"]["tau"], counts),
                *used(t["state"]["motors"], fingers),
                t["state"]["head"],
            ],
        ),
        "palms": (_sided(_POSE), lambda t: pose(t["palm_p"], t["palm_q"])),
        "targets": (
            [*_sided(_POSE), *_sided(["clutched"]), "mode", "status", "fade"],
            lambda t: [
                *pose(t["target_p"], t["target_q"]),
                t["clutched"],
                t["mode"],
                t["status"],
                t["fade"],
            ],
        ),
        "operator": (
            [
                *("frame", "age_ms", *_sided(_POSE), *_sided(["tracked"]), *_sided(["clutch"])),
                *_sided([f"finger{i + 1}_closed" for i in range(FINGERS)]),
                *("head_qw", "head_qx", "head_qy", "head_qz"),
                *("base_vx_m_s", "base_vy_m_s", "base_wz_rad_s"),
            ],
            lambda t: [
                t["frame"]["seq"],
                (t["now_ns"] - t["frame"]["sampled_ns"]) / 1e6,
                *pose(t["frame"]["hand_p"], t["frame"]["hand_q"]),
                t["frame"]["tracked"],
                t["frame"]["clutch"],
                t["frame"]["fingers"],
                t["frame"]["head_q"],
                t["frame"]["base_twist"],
            ],
        ),
        "wrenches": (
            _sided(_WRENCH) + _sided([f"fingertip{i + 1}_N" for i in range(5)]),
            lambda t: [t["state"]["wrench"], t["state"]["fingertips"]],
        ),
        "base": (
            [
                *("x_m", "y_m", "yaw_rad", "vx_m_s", "vy_m_s", "wz_rad_s"),
                *("range_front_m", "range_left_m", "range_back_m", "range_right_m"),
            ],
            lambda t: [t["state"]["base"], t["state"]["base_twist"], t["state"]["ranges"]],
        ),
    }


def _write_events(session: Session, file: TextIO) -> None:
    rows = [(event.wall_ns / 1e9, event.level, event.code, event.text) for event in session.events()]
    csv.writer(file).writerows([("wall_s", "level", "code", "text"), *rows])
