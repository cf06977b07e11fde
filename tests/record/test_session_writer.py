"""Killed, full, too large: what was written stays readable, and nothing is ever raised."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from mcap.reader import make_reader
from rosbags.highlevel import AnyReader

from elsewhere.record.folder import locked, recordings, segments
from elsewhere.record.reader import Session
from elsewhere.record.recover import recover
from elsewhere.records import TAP
from elsewhere.shared import Ring


def test_killed_recorder_loses_at_most_a_second(tmp_path: Path, slots: Path) -> None:
    folder = tmp_path / "recordings"
    script = Path(__file__).with_name("killed.py")
    child = subprocess.Popen([sys.executable, str(script), str(folder), str(slots)])
    try:
        deadline = time.monotonic() + 30
        tap = None
        while time.monotonic() < deadline and (tap is None or tap.head < 4321):
            time.sleep(0.01)
            if tap is None and (slots / "snapshot").exists():
                tap = Ring(slots / "tap", TAP, 4096)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert tap is not None
    head = tap.head
    assert head >= 4321
    (path,) = recordings(folder)
    with Session.open(path) as session:
        assert not session.complete
        numbers = session.ticks()["tick"]
        counts = {topic.name: topic.count for topic in session.topics()}
    np.testing.assert_array_equal(numbers, np.arange(len(numbers)))
    assert head - 1000 <= len(numbers) <= head
    assert counts["/joint_states"] >= (head - 1000) // 20
    check_recovery(path, len(numbers), counts)


def check_recovery(path: Path, ticks: int, counts: dict[str, int]) -> None:
    assert recover(path).changed
    assert not recover(path).changed
    with path.open("rb") as file:
        summary = make_reader(file, validate_crcs=True).get_summary()
    assert summary.statistics.message_count == sum(counts.values())
    with AnyReader([path]) as reader:
        assert {topic: info.msgcount for topic, info in reader.topics.items()} == counts
        assert sum(1 for _ in reader.messages()) == summary.statistics.message_count
    with Session.open(path) as session:
        assert session.complete
        assert len(session.ticks()) == ticks


def test_file_cut_anywhere_is_readable(run, ticks, tmp_path: Path) -> None:
    run.advance(ticks(1500))
    run.recorder.stop()
    (path,) = recordings(Path(run.rig.recording.folder))
    whole = path.read_bytes()
    with Session.open(path) as session:
        total = len(session.ticks())
    random = np.random.default_rng(1)
    before = 0
    head = whole.index(b"/ranges/right") + 200
    for size in sorted(int(size) for size in random.integers(head, len(whole), 12)):
        cut = tmp_path / path.name
        cut.write_bytes(whole[:size])
        with Session.open(cut) as session:
            assert not session.complete
            stored = len(session.ticks())
        assert before <= stored <= total
        before = stored
        recover(cut)
        with Session.open(cut) as session:
            assert session.complete
            assert len(session.ticks()) == stored
        with cut.open("rb") as file:
            make_reader(file, validate_crcs=True).get_summary()
    assert before > 0


def test_new_recorder_recovers_what_the_last_one_left(make_run, ticks, tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.advance(ticks(1000))
    path = tmp_path / run.recorder.status().file
    run.recorder.stop()
    path.write_bytes(path.read_bytes()[:-5000])
    second = make_run(tmp_path)
    with Session.open(path) as session:
        assert session.complete
    assert second.recorder.status().file != path.name
    second.recorder.stop()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
    """A folder with room for about 1.5 MB: functions that make it tight, and that make room again."""
    folder.mkdir()
    filler = folder / "filler"
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if os.geteuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0:
        try:
            yield lambda: filler.write_bytes(bytes(2_500_000)) and None, filler.unlink
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        return
    # Without the right to mount: the kernel refuses to let any file grow beyond the limit.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield (
            lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, hard)),
            lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard)),
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_full_disk(make_run, ticks, tmp_path: Path) -> None:
    sent = ticks(30_000, noise=0.01)
    folder = tmp_path / "disk"
    with small_disk(folder) as (tighten, make_room):
        run = make_run(folder)
        tighten()
        at = 0
        while run.recorder.status().active and at < 15_000:
            run.advance(sent[at : at + 100])
            at += 100
        state = run.recorder.status()
        assert not state.active
        assert "no room left" in state.fault
        assert state.fault.count(".") == 1 + str(folder).count(".")
        full = folder / state.file
        with Session.open(full) as session:
            numbers = session.ticks()["tick"]
        np.testing.assert_array_equal(numbers, np.arange(len(numbers)))
        assert len(numbers) >= at - 1000
        run.advance(sent[at : at + 2000])  # nothing is raised, and no file is made meanwhile
        make_room()
        assert len(recordings(folder)) == 1
        run.advance(sent[at + 2000 : at + 12_000])
        state = run.recorder.status()
        run.recorder.stop()
        files = recordings(folder)
        assert len(files) >= 2
        with Session.open(full) as session:
            assert session.complete  # it got its index when there was room
        with Session.open(files[1]) as session:
            assert session.metadata["segment"] == "2"
            assert len(session.ticks()) > 1000
            assert session.snapshots()


def test_file_limit(make_run, ticks, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    run = make_run(tmp_path / "a")
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, hard))
    try:
        sent = ticks(4000, noise=0.01)
        run.advance(sent)
        assert "no room left" in run.recorder.status().fault
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    run.recorder.stop()
    (path,) = recordings(tmp_path / "a")
    with Session.open(path) as session:
        assert len(session.ticks()) > 500


def test_folder_that_cannot_be_made_is_a_fault_not_an_exception(make_run, ticks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    run = make_run(tmp_path / "file" / "recordings")
    run.advance(ticks(200))
    assert not run.recorder.status().active
    assert "cannot be written" in run.recorder.status().fault
    (tmp_path / "file").unlink()
    run.advance(ticks(6000, first=200))
    assert run.recorder.status().active
    assert run.recorder.status().fault == ""
    run.recorder.stop()


def test_removed_folder_is_noticed(make_run, ticks, tmp_path: Path) -> None:
    run = make_run(tmp_path / "a")
    run.advance(ticks(500))
    shutil.rmtree(tmp_path / "a")
    run.advance(ticks(2000, first=500))
    assert "removed" in run.recorder.status().fault
    run.advance(ticks(6000, first=2500))
    assert run.recorder.status().active
    assert (tmp_path / "a" / run.recorder.status().file).exists()
    run.recorder.stop()


def test_folder_keeps_its_bound(make_run, ticks, tmp_path: Path) -> None:
    foreign = tmp_path / "holiday.mcap"
    foreign.write_bytes(bytes(4_000_000))
    disguised = tmp_path / "elsewhere-20200101-000000-001.mcap"
    disguised.write_bytes(b"not ours")
    run = make_run(tmp_path, limit_mb=3)
    for first in range(0, 24_000, 1000):
        run.advance(ticks(1000, first, noise=0.01))
        assert sum(path.stat().st_size for path in recordings(tmp_path)) <= 3_000_000
        assert locked(tmp_path / run.recorder.status().file)
    run.recorder.stop()
    files = recordings(tmp_path)
    assert foreign.exists()
    assert disguised.exists()
    assert len(files) >= 3
    assert not (tmp_path / files[0].name.replace(files[0].stem[-3:], "001")).exists()
    assert [path for path in segments(files[-1]) if path != disguised] == files
    following = None
    for path in files:
        with Session.open(path) as session:
            (span,) = session.spans()
            shots = session.snapshots()
        # Segments follow without a gap, and each can be replayed from its start.
        assert following in (None, span[0])
        assert span[0] - 1 <= shots[0].tick <= span[0] + 50
        following = span[1] + 1


def test_segments_by_time(make_run, ticks, tmp_path: Path) -> None:
    run = make_run(tmp_path, minutes=0.05)
    run.advance(ticks(10_000))
    run.recorder.stop()
    assert len(recordings(tmp_path)) == 4
