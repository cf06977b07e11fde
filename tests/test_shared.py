"""Slots and rings: whole records only, never a wait, and losses that are told."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from elsewhere.records import ROBOT_STATE, Views, zeros
from elsewhere.shared import Ring, Slot

PAIR = np.dtype([("a", "u8"), ("fill", "u8", (250,)), ("b", "u8")])

WRITER = """
import sys, numpy as np
from pathlib import Path
from elsewhere.shared import Slot
PAIR = np.dtype([("a", "u8"), ("fill", "u8", (250,)), ("b", "u8")])
slot, record = Slot(Path(sys.argv[1]), PAIR), np.zeros((), PAIR)
for number in range(1, 60_001):
    record["a"] = record["b"] = number
    record["fill"] = number
    slot.write(record)
"""


def test_a_slot_gives_what_was_written_last(tmp_path):
    writer = Slot(tmp_path / "state", ROBOT_STATE, create=True)
    reader = Slot(tmp_path / "state", ROBOT_STATE)
    assert reader.version == 0
    assert not reader.fresh
    record = zeros(ROBOT_STATE)
    record["q"][1, 3], record["seq"] = 0.5, 7
    writer.write(record)
    assert reader.fresh
    assert reader.read().tobytes() == record.tobytes()
    assert not reader.fresh


def test_a_record_is_never_torn_between_processes(tmp_path):
    slot = Slot(tmp_path / "pair", PAIR, create=True)
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "pair")])
    last, reads = 0, 0
    while process.poll() is None:
        record = slot.read()
        number = int(record["a"])
        assert number == int(record["b"])
        assert (record["fill"] == number).all()
        assert number >= last
        last, reads = number, reads + 1
    assert process.returncode == 0
    assert int(slot.read()["a"]) == 60_000
    assert reads > 100


def test_a_writer_killed_in_mid_write_leaves_the_record_before_it_and_a_new_one_goes_on(tmp_path):
    writer, reader = Slot(tmp_path / "pair", PAIR, create=True), Slot(tmp_path / "pair", PAIR)
    record = np.zeros((), PAIR)
    record["a"] = 1
    writer.write(record)
    assert int(reader.read()["a"]) == 1
    writer._counter[0] |= 1  # as far as a killed writer came
    writer._shared[:8] = bytes([99] * 8)
    assert int(reader.read()["a"]) == 1
    record["a"] = 2
    Slot(tmp_path / "pair", PAIR).write(record)
    assert int(reader.read()["a"]) == 2


def test_a_ring_numbers_its_records_and_tells_what_was_lost(tmp_path):
    ring = Ring(tmp_path / "ring", PAIR, 16, create=True)
    assert ring.last() is None
    record = np.zeros((), PAIR)
    for number in range(40):
        record["a"] = number
        ring.append(record)
    first, records = ring.since(0)
    assert first == 25  # the oldest place may be in the writer's hands
    assert records["a"].tolist() == list(range(25, 40))
    assert int(ring.last()["a"]) == 39
    assert ring.column("a", 3).tolist() == [37, 38, 39]
    assert len(ring.since(40)[1]) == 0


def test_views_share_the_memory_of_their_record():
    record = zeros(ROBOT_STATE)
    views = Views(record)
    views.q[0, 2], views.seq[0] = 1.5, 9
    assert record["q"][0, 2] == 1.5
    assert record["seq"] == 9
    with pytest.raises(AttributeError, match="no field 'elbow'"):
        _ = views.elbow
