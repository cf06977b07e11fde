"""A robot state from one place to another on the same machine: our slot, and what Python brings."""

from __future__ import annotations

import multiprocessing
import tempfile
from pathlib import Path

import numpy as np

from bench.row import Row, compare
from elsewhere.records import ROBOT_STATE, zeros
from elsewhere.shared import Slot


def measure() -> list[Row]:
    state = zeros(ROBOT_STATE)
    receiver, sender = multiprocessing.Pipe(duplex=False)
    lock = multiprocessing.Lock()
    array = multiprocessing.RawArray("b", ROBOT_STATE.itemsize)
    view = memoryview(array).cast("B")

    def pickled() -> object:
        sender.send(state)
        return receiver.recv()

    def pipe() -> object:
        sender.send_bytes(state.tobytes())
        return np.frombuffer(receiver.recv_bytes(), ROBOT_STATE)

    def locked() -> object:
        with lock:
            view[:] = state.tobytes()
        with lock:
            return np.frombuffer(bytes(view), ROBOT_STATE)

    with tempfile.TemporaryDirectory() as folder:
        writer = Slot(Path(folder) / "state", ROBOT_STATE, create=True)
        reader = Slot(Path(folder) / "state", ROBOT_STATE)

        def slot() -> object:
            writer.write(state)
            return reader.read()

        return [
            compare(
                "write and read a robot state (one process, no waiting)",
                slot,
                {"Pipe.send (pickle)": pickled, "Pipe.send_bytes": pipe, "array with a Lock": locked},
            )
        ]
