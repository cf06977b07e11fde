"""A logged session of the overlay: what the robot did and where the viewer looked from.

Inputs are logged, not outputs (ONIA, section IV-A): any solver replays on the same motion and the same
head. A session is kept as a small `.npz`; a recording of `elsewhere run` (`.mcap`) is read too. That one
holds no viewer, so a person has to be put before the robot (`watched`).
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import RecordingError
from elsewhere.lab.viewer import Viewer, looking
from elsewhere.record.reader import Session
from elsewhere.spatial._kernels import matrix_from_quat, quat_from_matrix, quat_multiply

Array = NDArray[np.float64]

RATE_HZ = 100
FORMAT = "elsewhere overlay session 1"
AHEAD, ABOVE = 1.6, 0.15
"""Where a frontal viewer's eye is [m]: so far before the middle of the robot's shoulders, and above it."""
STILL = 0.02  # rad/s, below this a joint stands
LEAST_STILL_S = 0.5
SPREAD = 12  # frames taken from a recording in which nothing stands still


@dataclass(frozen=True, eq=False)
class OverlaySession:
    """n frames. Poses are in the room; quaternions w, x, y, z; pairs are (left, right).

    `rig` is the text of the rig file; `q` (n, 2, joints) [rad]; `opening` (n, 2), 0 closed .. 1 open.
    `viewer_q` turns camera axes (x right, y down, z forward) into the room's; both viewer arrays are empty
    where nobody looked.
    """

    rig: str
    time: Array
    base_p: Array
    base_q: Array
    q: Array
    opening: Array
    viewer_p: Array
    viewer_q: Array
    fov_deg: float = 50.0
    width: int = 640
    height: int = 480

    def __len__(self) -> int:
        return len(self.time)

    def viewer(self, frame: int) -> Viewer:
        """The eye of one frame, in the robot's base frame."""
        R_room_base, R_room_eye = np.zeros((3, 3)), np.zeros((3, 3))
        matrix_from_quat(self.base_q[frame], R_room_base)
        matrix_from_quat(self.viewer_q[frame], R_room_eye)
        p = R_room_base.T @ (self.viewer_p[frame] - self.base_p[frame])
        return Viewer(R_room_base.T @ R_room_eye, p, self.fov_deg, self.width, self.height)

    def taken(self, frames: NDArray[np.integer] | slice) -> OverlaySession:
        """Some of the frames."""
        changed = {item.name: getattr(self, item.name) for item in fields(self)}
        changed |= {name: value[frames] for name, value in changed.items() if isinstance(value, np.ndarray)}
        return OverlaySession(**changed)

    def write(self, path: Path) -> None:
        """Write as `.npz`. Raises RecordingError where that is not possible."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        try:
            with path.open("wb") as file:
                np.savez_compressed(file, format=FORMAT, **values)
        except OSError as error:
            raise RecordingError(f"The session cannot be written to {path}: {error.strerror}.") from error


def session(
    rig: str,
    q: Array,
    opening: Array,
    viewer_p: Array | None = None,
    viewer_q: Array | None = None,
) -> OverlaySession:
    """A session at 100 Hz of a robot at the origin of the room; without a viewer if none is given."""
    n = len(q)
    still = np.tile((1.0, 0.0, 0.0, 0.0), (n, 1))
    time = np.arange(n) / RATE_HZ
    eye = np.zeros((0, 3)) if viewer_p is None else viewer_p
    turn = np.zeros((0, 4)) if viewer_q is None else viewer_q
    return OverlaySession(rig, time, np.zeros((n, 3)), still, q, opening, eye, turn)


def frontal(shoulders: Array) -> tuple[Array, Array]:
    """Position and quaternion of a viewer who faces the robot; `shoulders` (2, 3) in the base frame."""
    middle = np.mean(shoulders, axis=0)
    eye, quat = middle + np.array([AHEAD, 0.0, ABOVE]), np.zeros(4)
    quat_from_matrix(looking(eye, middle), quat)
    return eye, quat


def watched(session: OverlaySession, shoulders: Array) -> OverlaySession:
    """The session with a frontal viewer who stays where the robot's front was at first, if it has none."""
    if len(session.viewer_p):
        return session
    R, quat, count = np.zeros((3, 3)), np.zeros(4), len(session)
    eye, turn = frontal(shoulders)
    matrix_from_quat(session.base_q[0], R)
    quat_multiply(session.base_q[0], turn, quat)
    return replace(
        session,
        viewer_p=np.tile(session.base_p[0] + R @ eye, (count, 1)),
        viewer_q=np.tile(quat, (count, 1)),
    )


def standing(recorded: OverlaySession) -> list[int]:
    """The middle of each stretch in which both arms stand; where there is none, frames spread evenly."""
    n = len(recorded)
    if n < 2:
        return list(range(n))
    # A tick may have read the same state twice, so time may stand still.
    step = np.maximum(np.diff(recorded.time), 0.1 / RATE_HZ)
    speed = np.abs(np.diff(recorded.q, axis=0)).max(axis=(1, 2)) / step
    still = np.concatenate([[False], speed < STILL, [False]])
    edges = np.flatnonzero(np.diff(still.astype(int)))
    runs = zip(edges[::2], edges[1::2], strict=True)
    found = [int(a + b) // 2 for a, b in runs if recorded.time[b] - recorded.time[a] >= LEAST_STILL_S]
    return found or sorted({int(k) for k in np.linspace(0, n - 1, SPREAD)})


def read_session(path: str | Path) -> OverlaySession:
    """A session from an `.npz` or a recording. Raises RecordingError for anything else."""
    path = Path(path)
    if not path.is_file():
        raise RecordingError(f"There is no recording {path}.")
    with path.open("rb") as file:
        is_zip = file.read(2) == b"PK"
    return _stored(path) if is_zip else _recorded(path)


def _stored(path: Path) -> OverlaySession:
    try:
        with np.load(path, allow_pickle=False) as file:
            values = dict(file)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise RecordingError(f"{path} cannot be read: {error}.") from error
    wanted = {item.name for item in fields(OverlaySession)}
    if str(values.pop("format", "")) != FORMAT or set(values) != wanted:
        raise RecordingError(f"{path} is not a session of the overlay, nor a recording of Elsewhere.")
    n = len(values["time"])
    shapes = {"base_p": (n, 3), "base_q": (n, 4), "opening": (n, 2), "viewer_p": (n, 3), "viewer_q": (n, 4)}
    for name, value in values.items():
        if value.ndim and (len(value) != n or value.shape != shapes.get(name, value.shape)):
            raise RecordingError(f"{path}: '{name}' has the shape {value.shape}, which does not fit.")
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise RecordingError(f"{path}: '{name}' holds values that are not numbers.")
    if n == 0:
        raise RecordingError(f"{path} holds no frame.")
    plain = {name: value if value.ndim else value.item() for name, value in values.items()}
    return OverlaySession(**plain)


def _recorded(path: Path) -> OverlaySession:
    with Session.open(path) as recording:
        rig, joints = recording.metadata["rig_toml"], recording.joints
        parts = [_thinned(batch) for batch in recording.batches()]
    if not rig:
        raise RecordingError(f"{path} does not hold its rig file, so its robot cannot be built.")
    count = min(len(names) for names in joints)
    if count == 0:
        raise RecordingError(f"{path} was made by a robot without two arms: the overlay needs both.")
    time, q, motors, base = (np.concatenate(part) for part in zip(*parts, strict=True))
    n = len(time)
    if n == 0:
        raise RecordingError(f"{path} holds no tick.")
    base_p = np.column_stack([base[:, :2], np.zeros(n)])
    base_q = np.zeros((n, 4))
    base_q[:, 0], base_q[:, 3] = np.cos(0.5 * base[:, 2]), np.sin(0.5 * base[:, 2])
    # Motors say how closed a hand is.
    opening = np.clip(1.0 - motors[:, :, 0], 0.0, 1.0)
    nobody = np.zeros((0, 3)), np.zeros((0, 4))
    return OverlaySession(rig, (time - time[0]) / 1e9, base_p, base_q, q[:, :, :count], opening, *nobody)


def _thinned(ticks: NDArray[np.void]) -> tuple[Array, Array, Array, Array]:
    """Time [ns], joints, motors and base of every tenth tick: from 1 kHz to 100 Hz."""
    kept = ticks[ticks["tick"] % (1000 // RATE_HZ) == 0]
    state = kept["state"]
    time = state["sampled_ns"].astype(np.float64)
    return time, state["q"].copy(), state["motors"].copy(), state["base"].copy()
