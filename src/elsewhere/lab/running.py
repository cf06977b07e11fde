"""A whole avatar, started exactly as a person starts it: `elsewhere run`, in processes of its own.

It records, as it does by default, into a folder that is removed at the end.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from elsewhere.errors import LinkError
from elsewhere.lab.watch import family, open_tap

START_S = 240.0
END_S = 10.0
CONTROL = "elsewhere.avatar.control"


class RunningAvatar:
    """`elsewhere run` as a child process. `url` is its page, `folder` the slots of its run."""

    def __init__(self, rig: str, *, seed: int = 0, arguments: tuple[str, ...] = ()) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/"
        self.folder = Path()
        # The avatar runs elsewhere than we do, so a rig given as a file needs its whole path.
        named = str(Path(rig).resolve()) if rig.endswith(".toml") else rig
        self._command = [sys.executable, "-m", "elsewhere.cli", "run", named, "--port", str(port)]
        self._command += ["--seed", str(seed), *arguments]

    def __enter__(self) -> Self:
        self._home = tempfile.TemporaryDirectory(prefix="elsewhere-lab-")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._home.name,
            )
        try:
            self._await(self._answers, "its page did not answer")
            self._await(self._ticks, "its control loop did not tick")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def processes(self) -> list[int]:
        """All processes of the avatar."""
        return family(self._process.pid)

    def close(self) -> None:
        """Stop it as Ctrl+C does, and wait until it has gone."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        with contextlib.suppress(OSError):
            self._home.cleanup()

    @property
    def _log(self) -> Path:
        return Path(self._home.name) / "run.log"

    def _await(self, ready: Callable[[], bool], otherwise: str) -> None:
        deadline = time.monotonic() + START_S
        while not ready():
            if self._process.poll() is not None:
                raise LinkError(f"The avatar did not start: {self._last_words()}")
            if time.monotonic() > deadline:
                raise LinkError(f"The avatar did not start: {otherwise} within {START_S:.0f} s.")
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}api/info", timeout=2):
                return True
        except OSError:
            return False

    def _ticks(self) -> bool:
        """Find the run's folder by the command line of its control process, and look at its tap."""
        for process in self.processes:
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")
                found = [Path(word) for word in words if (Path(word) / "tap").is_file()]
                if found and CONTROL in words:
                    self.folder = found[0]
                    with open_tap(self.folder) as tap:
                        return tap.head > 0
        return False

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}."


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
