"""Records a running avatar: a thread that reads the tap and never holds anyone up.

Every 50 ms it takes the new ticks from the ring, stores them whole (`/ticks`, for replay and metrics),
picks 50 of each second for the topics that people look at, and adds events and video packets that
other threads have queued. It only ever reads shared memory; queues are bounded, and what does not fit
is dropped and counted.

Log times are nanoseconds since 1970: the avatar's clock plus an offset that is taken once, at the
start, so that a correction of the wall clock does not tear the recording.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from elsewhere.messages import RecordingState
from elsewhere.record import cdr, delta
from elsewhere.record.container import CHUNK_BYTES, LIBRARY
from elsewhere.record.layout import dtype_text
from elsewhere.record.names import BodyNames
from elsewhere.record.topics import EVENTS, FIXED, SNAPSHOTS, STATUS, TICKS, VIDEO, Sheet
from elsewhere.record.writer import SessionWriter
from elsewhere.records import TAP
from elsewhere.rig import Rig
from elsewhere.shared import Ring
from elsewhere.status import STATUS_TEXT, Mode, Status

PERIOD_S = 0.05
BATCH = (CHUNK_BYTES - 1024) // TAP.itemsize  # ticks in one message: what fits into a chunk
TOPIC_EVERY = 20  # ticks: 50 Hz
STATUS_EVERY = 100
LEARN_EVERY = 32  # batches between two looks at which columns to difference
ROTATE_PATIENCE_NS = 2_000_000_000
VIDEO_BYTES = 16 << 20
EVENT_COUNT = 1024
FORMAT = "1"


def rig_text(rig: Rig) -> str:
    """The rig file as it was written, where it can be read; else empty."""
    try:
        return rig.path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""


class Recorder:
    """One recording of one run. `step` does the work of one period; `start` runs it in a thread.

    `slots` is the run's folder of shared memory, with the rings `tap` and (where `snapshot` gives its
    dtype, with a field `tick`) `snapshot`. `folder` is where files go; else the rig says.
    """

    def __init__(
        self,
        rig: Rig,
        names: BodyNames,
        slots: Path,
        *,
        snapshot: np.dtype[np.void] | None = None,
        folder: Path | None = None,
        toml: str | None = None,
        seed: int | None = None,
        tap_length: int = 4096,
        snapshot_length: int = 64,
        now_ns: int | None = None,
        wall_ns: int | None = None,
    ) -> None:
        now = time.monotonic_ns() if now_ns is None else now_ns
        wall = time.time_ns() if wall_ns is None else wall_ns
        self._offset_ns = wall - now
        self._tap = Ring(slots / "tap", TAP, tap_length)
        self._snapshots = Ring(slots / "snapshot", snapshot, snapshot_length) if snapshot else None
        self._sheet = Sheet(names, len(FIXED) + 1)
        self._metadata = self._describe(rig, names, toml, seed, snapshot, wall)
        self._writer = SessionWriter(
            folder or Path(rig.recording.folder),
            (*FIXED, *self._sheet.topics),
            self._segment_metadata,
            started_ns=wall,
            now_ns=now,
            limit_mb=rig.recording.limit_mb,
            segment_minutes=rig.recording.segment_minutes,
            library=f"{LIBRARY} {self._metadata['version']}",
        )
        self._next_tick = self._next_snapshot = 0
        self._first_tick: int | None = None
        self._held = np.zeros(0, TAP)
        self._orders = np.zeros(TAP.itemsize // 8, np.uint8)
        self._batches = 0
        self._due_ns = 0
        self._segment = 0
        self._keyed = False
        self._lock = threading.Lock()
        self._events: deque[tuple[int, str, str, str]] = deque()
        self._video: deque[tuple[bytes, bool, int, int]] = deque()
        self._video_bytes = 0
        self._needs_key = False
        self.dropped_events = self.dropped_packets = self.lost_ticks = 0
        self._reported_packets = 0
        self._fault = ""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    # --- called by any thread -------------------------------------------------------------------

    def start(self) -> None:
        """Record in a thread of its own until `stop`."""
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Record what is still waiting, write the index and close the file."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._guarded_step(time.monotonic_ns(), last=True)
        self._writer.close()

    def video(self, packet: bytes, keyframe: bool, sampled_ns: int, frame: int) -> None:
        """Queue one H.264 access unit (Annex B; a key frame carries its parameter sets).

        A packet is of use only after a key frame: those before the first one of a segment, and those
        after a dropped one, are left out until the next key frame. See `wants_keyframe`.
        """
        with self._lock:
            if self._video_bytes + len(packet) > VIDEO_BYTES or (self._needs_key and not keyframe):
                self.dropped_packets += 1
                self._needs_key = True
                return
            self._needs_key = False
            self._video_bytes += len(packet)
            self._video.append((packet, keyframe, sampled_ns, frame))

    def event(self, level: str, code: str, text: str) -> None:
        """Queue an event: `level` info, warning or fault."""
        with self._lock:
            if len(self._events) >= EVENT_COUNT:
                self.dropped_events += 1
            else:
                self._events.append((time.monotonic_ns(), level, code, text))

    @property
    def wants_keyframe(self) -> bool:
        """Whether video is left out until the encoder gives a key frame: ask it for one."""
        return not self._keyed or self._needs_key

    def status(self) -> RecordingState:
        """What the recorder does, for the operator's page."""
        writer = self._writer
        return RecordingState(
            active=writer.active and not self._stop.is_set(),
            file=writer.file,
            megabytes=round(writer.megabytes, 3),
            fault=writer.fault or self._fault,
        )

    # --- called by the recorder's own thread ----------------------------------------------------

    def _run(self) -> None:
        while not self._stop.wait(PERIOD_S):
            self._guarded_step(time.monotonic_ns())

    def _guarded_step(self, now_ns: int, last: bool = False) -> None:
        # A recorder that dies takes the pages with it, which share its process: it reports instead.
        try:
            self.step(now_ns, last=last)
            self._fault = ""
        except Exception as error:
            self._fault = f"Recording failed ({type(error).__name__}: {error}); it is tried again."

    def step(self, now_ns: int, *, last: bool = False) -> None:
        """Store what came since the last step; with `last`, also what does not fill a batch."""
        fresh = self._drain()
        snapshots = self._drain_snapshots()
        if not last:  # the end of a run begins no new file
            self._rotate(now_ns, fresh, snapshots)
        self._store_snapshots(snapshots, now_ns)
        self._store_ticks(fresh, last)
        self._store_topics(fresh)
        self._store_events()
        self._store_video()
        if not last:
            self._writer.poll(now_ns)

    def _drain(self) -> NDArray[np.void]:
        first, ticks = self._tap.since(self._next_tick)
        lost = first - self._next_tick
        if self._first_tick is None:
            lost = 0  # what was overwritten before the recorder came was not its to record
        self._next_tick = first + len(ticks)
        if len(ticks) and self._first_tick is None:
            self._first_tick = int(ticks["tick"][0])
        if lost > 0:
            self.lost_ticks += lost
            self.event("warning", "record.lost", f"{lost} ticks were not recorded: the recorder was late.")
        return ticks

    def _drain_snapshots(self) -> NDArray[np.void]:
        if self._snapshots is None or self._first_tick is None:
            return np.zeros(0, np.dtype([("tick", "u8")]))
        joining = self._next_snapshot == 0
        first, records = self._snapshots.since(self._next_snapshot)
        self._next_snapshot = first + len(records)
        # A snapshot of before the first stored tick starts nothing. Later ones are taken as they
        # come: a controller that was started again counts from zero.
        return records[records["tick"] >= self._first_tick] if joining else records

    def _rotate(self, now_ns: int, fresh: NDArray[np.void], snapshots: NDArray[np.void]) -> None:
        """Begin a new segment at a snapshot, so that it can be replayed from its start."""
        if not self._writer.due(now_ns):
            self._due_ns = 0
            return
        self._due_ns = self._due_ns or now_ns
        if len(snapshots) or now_ns - self._due_ns > ROTATE_PATIENCE_NS or self._snapshots is None:
            self._store_ticks(fresh[:0], last=True)
            self._writer.rotate(now_ns)
            self._due_ns = 0

    def _store_ticks(self, fresh: NDArray[np.void], last: bool) -> None:
        held = _joined(self._held, fresh)
        # A batch holds consecutive ticks only, so that its first tick and its length say all.
        breaks = (np.flatnonzero(np.diff(held["tick"].astype(np.int64)) != 1) + 1).tolist()
        at = 0
        for end in (*breaks, len(held)):
            while end - at >= BATCH or (at < end and (last or end < len(held))):
                self._store_batch(held[at : min(at + BATCH, end)])
                at = min(at + BATCH, end)
        self._held = held[at:]

    def _store_batch(self, batch: NDArray[np.void]) -> None:
        if self._batches % LEARN_EVERY == 0 and len(batch) > delta.MAX_ORDER:
            self._orders = delta.choose_orders(batch)
        self._batches += 1
        data = delta.encode(batch, self._orders)
        first = int(batch["tick"][0])
        message = cdr.tick_batch(first, len(batch), TAP.itemsize, "delta", data)
        self._writer.write(
            TICKS, int(batch["now_ns"][-1]) + self._offset_ns, message, sequence=self._batches
        )

    def _store_snapshots(self, records: NDArray[np.void], now_ns: int) -> None:
        for record in records:
            tick = int(record["tick"])
            message = cdr.snapshot(tick, record.tobytes())
            self._writer.write(SNAPSHOTS, now_ns + self._offset_ns, message, sequence=tick)

    def _store_topics(self, fresh: NDArray[np.void]) -> None:
        shown = np.ascontiguousarray(fresh[fresh["tick"] % TOPIC_EVERY == 0])
        if not len(shown):
            return
        times = (shown["now_ns"] + self._offset_ns).tolist()
        numbers = shown["tick"].tolist()
        for row, messages in enumerate(self._sheet.fill(shown, self._offset_ns)):
            if numbers[row] % STATUS_EVERY == 0:
                messages.append((STATUS, cdr.string(status_json(shown[row]))))
            self._writer.write_row(messages, times[row], sequence=numbers[row])

    def _store_events(self) -> None:
        with self._lock:
            waiting = list(self._events)
            self._events.clear()
            dropped = self.dropped_packets - self._reported_packets
            self._reported_packets = self.dropped_packets
        if dropped:
            text = f"{dropped} video packets were not recorded: too many waited, or no key frame came."
            waiting.append((time.monotonic_ns(), "warning", "record.video", text))
        for at, level, code, text in waiting:
            wall = at + self._offset_ns
            self._writer.write(EVENTS, wall, cdr.log(wall, level, code, text))

    def _store_video(self) -> None:
        if self._writer.segment != self._segment:
            self._segment, self._keyed = self._writer.segment, False
        with self._lock:
            waiting = list(self._video)
            self._video.clear()
            self._video_bytes = 0
        for packet, keyframe, sampled_ns, frame in waiting:
            self._keyed = self._keyed or keyframe
            if self._keyed:
                wall = sampled_ns + self._offset_ns
                message = cdr.compressed_video(wall, "head", packet)
                self._writer.write(VIDEO, wall, message, sequence=frame)

    # --- metadata -------------------------------------------------------------------------------

    def _describe(
        self,
        rig: Rig,
        names: BodyNames,
        toml: str | None,
        seed: int | None,
        snapshot: np.dtype[np.void] | None,
        wall_ns: int,
    ) -> dict[str, str]:
        try:
            release = version("elsewhere")
        except PackageNotFoundError:
            release = "unknown"
        return {
            "format": FORMAT,
            "version": release,
            "rig": rig.name,
            "rig_toml": rig_text(rig) if toml is None else toml,
            "rig_json": msgspec.json.encode(rig, enc_hook=str).decode(),
            "seed": str(rig.world.seed if seed is None else seed),
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(wall_ns // cdr.NANO)),
            "clock_offset_ns": str(self._offset_ns),
            "joints": json.dumps(names.joints),
            "motors": json.dumps(names.motors),
            "head_position_m": json.dumps(names.head_position),
            "tick_rate_hz": str(rig.control.rate_hz),
            "tick_dtype": dtype_text(TAP),
            "snapshot_dtype": dtype_text(snapshot) if snapshot else "",
            "delta_encoding": delta.DESCRIPTION,
        }

    def _segment_metadata(self, segment: int) -> dict[str, dict[str, str]]:
        return {"elsewhere": {**self._metadata, "segment": str(segment)}}


def _joined(first: NDArray[np.void], second: NDArray[np.void]) -> NDArray[np.void]:
    """Both arrays in a row. By bytes, because NumPy joins structured arrays field by field."""
    if not len(first):
        return second
    size = first.dtype.itemsize
    parts = [part.view(np.uint8).reshape(-1, size) for part in (first, second)]
    return np.concatenate(parts).view(first.dtype)[:, 0]


def status_json(tick: np.void) -> str:
    """What the loop is doing, for a person: mode and reason in words, times in microseconds."""
    mode, status = int(tick["mode"]), int(tick["status"])
    return json.dumps(
        {
            "tick": int(tick["tick"]),
            "mode": Mode(mode).name.lower() if mode in Mode._value2member_map_ else mode,
            "reason": STATUS_TEXT[Status(status)] if status in Status._value2member_map_ else status,
            "fade": round(float(tick["fade"]), 3),
            "frame_seq": int(tick["frame"]["seq"]),
            "frame_age_ms": round((int(tick["now_ns"]) - int(tick["frame"]["sampled_ns"])) / 1e6, 3),
            "period_us": round(float(tick["period_us"]), 1),
            "compute_us": round(float(tick["compute_us"]), 1),
        }
    )
