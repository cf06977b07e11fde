"""Paths of a person's hand: made once from a seed, stored beside this file, and read back from there.

A and B stand for the two recordings of AVATRINA (Correia Marques et al., 2024, section 4.1.1), which
are not public. Both are minimum-jerk reaches (Flash and Hogan, 1985) of a right hand between places
at which a person works, with rests in between, in the base frame at 125 Hz. A stays in front. B also
leaves the workspace to the right, by reaches up to the 8 m/s of the paper, stays away and comes back.
The places follow the furniture of `world.room` and a person's pace; they know no arm and no solver,
and both paths were drawn before any solver ran. `make` takes other seeds: paths of the same kind that
nobody has looked at.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import RecordingError
from elsewhere.spatial._kernels import quat_from_yaw_pitch_roll
from elsewhere.spatial.minimum_jerk import Reach

Array = NDArray[np.float64]

RATE_HZ = 125
COLUMNS = ("t", "x", "y", "z", "qw", "qx", "qy", "qz")
SECONDS = 60.0
FOLDER = Path(__file__).parent / "paths"
SEEDS = {"A": 1, "B": 2}


@dataclass(frozen=True)
class HandPath:
    """Poses of one palm in the base frame. `t` (n,) [s], `p` (n, 3) [m], `q` (n, 4) unit."""

    name: str
    t: Array
    p: Array
    q: Array

    @property
    def dt(self) -> float:
        """The sampling period [s]."""
        return float(np.median(np.diff(self.t)))

    @property
    def top_speed(self) -> float:
        """The largest speed between two samples [m/s]."""
        return float(np.max(np.linalg.norm(np.diff(self.p, axis=0), axis=1) / np.diff(self.t)))

    @property
    def key(self) -> str:
        """A name for the content: equal for equal poses."""
        return hashlib.sha256(np.column_stack([self.t, self.p, self.q]).tobytes()).hexdigest()[:16]

    def mirrored(self) -> HandPath:
        """The same path for the other arm: reflected in the plane y = 0."""
        return HandPath(self.name, self.t, self.p * [1.0, -1.0, 1.0], self.q * [1.0, -1.0, 1.0, -1.0])


# --- places a person works at ---------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where a hand goes: palm position [m] with its spread, and yaw, pitch (down), roll [degrees]."""

    position: tuple[float, float, float]
    spread: tuple[float, float, float]
    angles_deg: tuple[float, float, float]
    angles_spread_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """One pose at this place."""
        p = np.array(self.position) + np.array(self.spread) * rng.uniform(-1.0, 1.0, 3)
        turned = np.array(self.angles_spread_deg) * rng.uniform(-1.0, 1.0, 3)
        q = np.zeros(4)
        quat_from_yaw_pitch_roll(np.radians(np.array(self.angles_deg) + turned), q)
        return p, q


READY = Place((0.50, -0.22, 1.00), (0.03, 0.03, 0.03), (0, 80, 0), (10, 10, 5))
ABOVE_TABLE = Place((0.52, -0.20, 0.92), (0.09, 0.16, 0.02), (0, 90, 0), (20, 0, 0))
TABLETOP = Place((0.52, -0.20, 0.775), (0.09, 0.16, 0.005), (0, 90, 0), (20, 0, 0))
CANISTER_SLOT = Place((0.58, -0.30, 0.86), (0.05, 0.06, 0.02), (0, 45, 0), (15, 10, 10))
SWITCH = Place((0.76, -0.38, 0.84), (0.02, 0.02, 0.02), (0, 45, 0), (10, 10, 5))
HANDSHAKE = Place((0.58, -0.15, 1.02), (0.04, 0.04, 0.04), (10, 15, 75), (10, 10, 10))
HANDING_OVER = Place((0.60, -0.10, 1.02), (0.04, 0.08, 0.04), (0, 30, 0), (10, 10, 15))
IN_FRONT = (READY, ABOVE_TABLE, TABLETOP, CANISTER_SLOT, SWITCH, HANDSHAKE, HANDING_OVER)

# A person who turns to the right for something: the hand leaves what an arm on a torso can reach.
OUT_RIGHT = Place((0.30, -1.55, 1.05), (0.15, 0.15, 0.15), (-70, 20, 30), (20, 20, 40))

PACE = (0.5, 1.5)  # m/s, peak speed of a reach at work; people keep to it whatever the distance
TURN = 2.5  # rad/s, peak turn of a hand at work
BRISK, BRISK_TURN = 2.0, 4.0  # m/s, rad/s: one reach in twelve is in a hurry
REST_S = (0.3, 1.0)  # what a hand does at a place
AWAY_S = (0.8, 2.2)  # how long it rests out there, at two places
FLING = (1.5, 8.0)  # m/s, peak speeds of the ways out and back
EXCURSIONS = 5
WAYS_S, LAST_S = 3.0, 5.0  # what the ways take besides, and work after the last one


def make(name: str, seed: int | None = None) -> HandPath:
    """The path A or B, from its own seed or from another."""
    rng = np.random.default_rng(SEEDS[name] if seed is None else seed)
    pen = _Pen(*READY.draw(rng))
    pen.rest(1.0)
    if name == "A":
        while pen.time < SECONDS:
            _work(pen, rng)
    else:
        speeds = rng.permutation(np.geomspace(*FLING, 2 * EXCURSIONS))
        for turn, (out, back) in enumerate(speeds.reshape(-1, 2)):
            away = rng.uniform(*AWAY_S)
            while pen.time < (SECONDS - LAST_S) * (turn + 1) / EXCURSIONS - away - WAYS_S:
                _work(pen, rng)
            _excursion(pen, rng, out, back, away)
        while pen.time < SECONDS:
            _work(pen, rng)
    return pen.path(name)


def _work(pen: _Pen, rng: np.random.Generator) -> None:
    """One reach to a place in front, and a rest there."""
    place = IN_FRONT[rng.integers(len(IN_FRONT))]
    brisk = rng.random() < 1 / 12
    speed, turn = (BRISK, BRISK_TURN) if brisk else (rng.uniform(*PACE), TURN)
    pen.reach(*place.draw(rng), speed, turn)
    pen.rest(rng.uniform(*REST_S))


def _excursion(pen: _Pen, rng: np.random.Generator, out: float, back: float, away: float) -> None:
    """Out to the right, a stay with one change of place, and back to where work is."""
    pen.reach(*OUT_RIGHT.draw(rng), out, 2.0 * out)
    pen.rest(0.5 * away)
    pen.reach(*OUT_RIGHT.draw(rng), rng.uniform(*PACE), TURN)
    pen.rest(0.5 * away)
    place = IN_FRONT[rng.integers(len(IN_FRONT))]
    pen.reach(*place.draw(rng), back, 2.0 * back)
    pen.rest(rng.uniform(*REST_S))


class _Pen:
    """Draws reaches and rests, sample by sample."""

    def __init__(self, p: Array, q: Array) -> None:
        self._p, self._q = [p], [q]

    @property
    def time(self) -> float:
        return (len(self._p) - 1) / RATE_HZ

    def rest(self, seconds: float) -> None:
        for _ in range(round(seconds * RATE_HZ)):
            self._p.append(self._p[-1])
            self._q.append(self._q[-1])

    def reach(self, p: Array, q: Array, speed: float, turn: float) -> None:
        """A minimum-jerk reach. A short one takes at least what a person needs for it."""
        way = Reach(self._p[-1], self._q[-1], p, q, speed, turn)
        for sample in range(1, round(way.duration * RATE_HZ) + 1):
            at = way.at(sample / RATE_HZ)
            self._p.append(at[0])
            self._q.append(at[1])

    def path(self, name: str) -> HandPath:
        count = round(SECONDS * RATE_HZ)
        return HandPath(
            name, np.arange(count) / RATE_HZ, np.array(self._p[:count]), np.array(self._q[:count])
        )


# --- files ----------------------------------------------------------------------------------------


def stored(name: str) -> HandPath:
    """The path A or B as it is stored with the experiment."""
    return read(FOLDER / f"{name}.csv.gz", name)


def write(path: HandPath, file: Path) -> None:
    """Write a path as compressed CSV, in hundredths of a millimetre. The same bytes each time."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for t, p, q in zip(path.t, path.p, path.q, strict=True):
        lines.writerow([f"{t:.3f}", *(f"{value:.5f}" for value in (*p, *q))])
    file.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def read(file: Path, name: str = "") -> HandPath:
    """A path from a CSV file with the columns of `COLUMNS`. Raises RecordingError."""
    try:
        raw = file.read_bytes()
        text = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise RecordingError(f"The path {file} cannot be read: {error}. Name a CSV file.") from error
    lines = list(csv.reader(io.StringIO(text)))
    if not lines or tuple(cell.strip() for cell in lines[0]) != COLUMNS:
        raise RecordingError(f"The first line of {file.name} must be: {','.join(COLUMNS)}.")
    rows = [line for line in lines[1:] if line]
    try:
        table = np.array([[float(cell) for cell in row] for row in rows]).reshape(len(rows), -1)
    except ValueError as error:
        raise RecordingError(
            f"{file.name}: every line must be {len(COLUMNS)} numbers ({error}). Remove what is not."
        ) from error
    return HandPath(name or file.stem, *_checked(table, file.name))


def _checked(table: Array, name: str) -> tuple[Array, Array, Array]:
    """Times, positions and unit quaternions of a table, or a RecordingError that says what is wrong."""
    if len(table) < 2 or table.shape[1] != len(COLUMNS):
        raise RecordingError(f"{name} must have at least 2 lines of {len(COLUMNS)} numbers.")
    bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if bad.size:
        raise RecordingError(f"{name}: line {bad[0] + 2} holds a value that is not finite. Remove it.")
    steps = np.diff(table[:, 0])
    if steps.min() <= 0.0 or steps.max() > 1.5 * np.median(steps) or steps.min() < 0.5 * np.median(steps):
        raise RecordingError(f"{name}: t must grow by equal steps, in seconds. Resample the path.")
    norm = np.linalg.norm(table[:, 4:], axis=1, keepdims=True)
    bad = np.flatnonzero(np.abs(norm[:, 0] - 1.0) > 0.01)
    if bad.size:
        raise RecordingError(
            f"{name}: the quaternion in line {bad[0] + 2} has length {norm[bad[0], 0]:.3f}. "
            "Give unit quaternions, w first."
        )
    return table[:, 0].copy(), table[:, 1:4].copy(), table[:, 4:] / norm
