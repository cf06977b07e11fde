"""What people should know: from any thread to the log and to every session."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Literal

from elsewhere.messages import Event

Level = Literal["info", "warning", "fault"]
_LOG_LEVEL = {"info": logging.INFO, "warning": logging.WARNING, "fault": logging.ERROR}
logger = logging.getLogger(__name__)


class Notices:
    """The last hundred notices, and where new ones go."""

    def __init__(self, length: int = 100) -> None:
        self.recent: deque[Event] = deque(maxlen=length)
        self._listener: Callable[[Event], None] | None = None

    def listen(self, listener: Callable[[Event], None] | None) -> None:
        """Give every new notice to `listener`, which may be called from any thread."""
        self._listener = listener

    def notify(self, level: Level, code: str, text: str) -> Event:
        """Log the notice and pass it on. Safe from any thread."""
        event = Event(level, code, text, time.monotonic_ns())
        logger.log(_LOG_LEVEL[level], "%s: %s", code, text)
        self.recent.append(event)
        if self._listener is not None:
            self._listener(event)
        return event
