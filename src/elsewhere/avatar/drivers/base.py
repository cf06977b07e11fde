"""What every robot is to the tick: something that is read once a tick and written once a tick."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from elsewhere.bodies.body import Body
from elsewhere.records import Record


class Robot(ABC):
    """A driver. `read` and `write` take microseconds, never wait and never raise inside the loop.

    The control process makes it as `Driver(body, folder)`; `folder` holds the slots of the run. A real
    robot ignores it and opens its own interface.
    """

    simulated = False
    """Whether the world process must run beside it."""

    def __init__(self, body: Body, folder: Path) -> None:
        self.body, self.folder = body, folder

    @abstractmethod
    def read(self) -> Record:
        """The newest state (ROBOT_STATE); its `seq` is 0 until the first one has come."""

    @abstractmethod
    def write(self, command: Record) -> Record:
        """Send a COMMAND that the guard has released. Returns what was truly sent."""
