"""Starts the processes of one avatar, watches them, and starts again what died.

    world    (only when simulated) physics and firmware: outlives its controller
    control  the tick

Both talk through slots in one folder (see `elsewhere.shared`), which the supervisor makes first and
removes last.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from elsewhere.avatar.control import SNAPSHOT_LENGTH, TAP_LENGTH
from elsewhere.avatar.drivers.registry import find_driver
from elsewhere.avatar.tick import SNAPSHOT
from elsewhere.errors import ElsewhereError
from elsewhere.motion.torque.base import check_terms
from elsewhere.motion.torque.registry import find_torque_law
from elsewhere.records import COMMAND, FRAME, REQUEST, ROBOT_STATE, TAP, scene_record
from elsewhere.rig import Rig
from elsewhere.shared import Ring, Slot, run_folder

Notify = Callable[[str, str, str], None]
"""Called with level, code and text when something happened that a person should know."""

START_SECONDS = 240.0
"""The first start after a change compiles the control loop, which takes a minute on a slow machine."""
RESTARTS = 5


class Supervisor:
    """The processes of one avatar. Use as a context manager; `folder` holds the slots."""

    def __init__(self, rig: Rig, *, nq: int, seed: int = 0, notify: Notify | None = None) -> None:
        # Here, where a person reads it: the control process would only die of it.
        find_torque_law(rig.control.torque)
        check_terms(rig.control.torque_terms_off)
        self.folder = run_folder()
        name = str(rig.path)
        self._notify = notify or (lambda level, code, text: None)
        here = self.folder
        self.state = Slot(here / "state", ROBOT_STATE, create=True)
        self.command = Slot(here / "command", COMMAND, create=True)
        self.frame = Slot(here / "frame", FRAME, create=True)
        self.request = Slot(here / "request", REQUEST, create=True)
        self.scene = Slot(here / "scene", scene_record(nq), create=True)
        self.tap = Ring(here / "tap", TAP, TAP_LENGTH, create=True)
        self.snapshot = Ring(here / "snapshot", SNAPSHOT, SNAPSHOT_LENGTH, create=True)
        self._commands = {
            "world": [sys.executable, "-m", "elsewhere.world.process", name, str(here), str(seed)],
            "control": [sys.executable, "-m", "elsewhere.avatar.control", name, str(here)],
        }
        if not find_driver(rig.driver).simulated:
            del self._commands["world"]
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._restarts = dict.fromkeys(self._commands, 0)
        self._ending = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def start(self) -> None:
        """Start the processes and wait for the first tick. Raises ElsewhereError when none comes."""
        try:
            for name in self._commands:
                self._start(name)
            self._await_first_tick()
        except BaseException:
            self.close()
            raise
        self._watcher.start()

    def notices(self) -> list[str]:
        """What the processes could not have and a person should know, one sentence each."""
        texts = [self.folder / f"{name}.txt" for name in self._commands]
        return [path.read_text() for path in texts if path.is_file() and path.stat().st_size]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the controller, then the robot, then remove the slots."""
        self._ending.set()
        for name in ("control", "world"):
            process = self.processes.get(name)
            if process and process.poll() is None:
                process.terminate()
                try:
                    process.wait(3.0)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, name: str) -> None:
        environment = {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        log = (self.folder / f"{name}.log").open("ab")
        self.processes[name] = subprocess.Popen(
            self._commands[name], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
        )
        log.close()

    def _await_first_tick(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self.tap.head == 0:
            for name, process in self.processes.items():
                if process.poll() is not None:
                    raise ElsewhereError(f"The {name} process did not start: {self._last_words(name)}")
            if time.monotonic() > deadline:
                raise ElsewhereError(f"The avatar did not tick within {START_SECONDS:.0f} s of its start.")
            time.sleep(0.02)

    def _last_words(self, name: str) -> str:
        text = Path(self.folder / f"{name}.log").read_text(errors="replace").strip()
        return text.splitlines()[-1] if text else f"exit code {self.processes[name].returncode}."

    def _watch(self) -> None:
        while not self._ending.wait(0.05):
            for name, process in list(self.processes.items()):
                if process.poll() is None or self._ending.is_set():
                    continue
                self._restarts[name] += 1
                if self._restarts[name] > RESTARTS:
                    self._notify(
                        "fault",
                        f"{name}_lost",
                        f"The {name} process died too often: {self._last_words(name)}",
                    )
                    return
                self._notify(
                    "warning", f"{name}_restarted", f"The {name} process ended and is started again."
                )
                self._start(name)
