"""Keeping a loop at its rate on an ordinary operating system.

Measured on two cores without a real-time kernel: sleeping until shortly before the deadline and
spinning the rest keeps a 1 kHz loop in its own process at a p99 period of 1.00-1.15 ms under
SCHED_FIFO; without it outliers reach 80 ms; a loop that only spins is throttled by the kernel.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time


class Pacer:
    """Deadlines at a fixed period. A late loop does not hurry: it goes on from now."""

    SPIN_NS = 15_000
    """How long before a deadline sleeping ends. Waking up takes 50 us under SCHED_FIFO, which adds less
    to the jitter than spinning it away would take from the cameras."""

    def __init__(self, period_ns: int, late_ns: int = 0) -> None:
        self.period_ns = period_ns
        self.late_ns = late_ns or 2 * period_ns
        """Lateness beyond which deadlines start anew instead of being caught up with."""
        self._next_ns = time.monotonic_ns() + period_ns

    def wait(self) -> int:
        """Return at the next deadline, with the time."""
        now = time.monotonic_ns()
        spare = self._next_ns - now - self.SPIN_NS
        if spare > 0:
            time.sleep(spare * 1e-9)
        while True:
            now = time.monotonic_ns()
            if now >= self._next_ns:
                break
        self._next_ns += self.period_ns
        if now - self._next_ns > self.late_ns:
            self._next_ns = now + self.period_ns
        return now


def become_realtime(priority: int) -> str:
    """Give this process a real-time schedule and stop the garbage collector.

    Returns an empty string, or the reason why the schedule was refused, in words for a person.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (AttributeError, PermissionError, OSError) as error:
        with contextlib.suppress(OSError, AttributeError):
            os.nice(-10)
        return (
            f"no real-time schedule ({error}): the control loop will be less even. "
            "Run as root, or allow it with 'ulimit -r 60'"
        )
    return ""


def answer_at_once(priority: int) -> None:
    """Let this thread run whenever it has something to do, where the system permits it (Linux, as root).

    For threads with little work that others wait for. A low real-time priority, below every control
    loop's: measured on two cores beside a browser, an event loop of 18 % load and nice -10 waited another
    55 % of the time for a processor, since ordinary threads are moved to a free one late, real-time ones
    at once. What the thread starts is ordinary again.
    """
    with contextlib.suppress(AttributeError, OSError):
        policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(threading.get_native_id(), policy, os.sched_param(priority))


def prefer_this_thread(niceness: int) -> None:
    """Let this thread run before ordinary ones, where the system permits it (Linux, as root)."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


class ParentWatch:
    """Tells a child process when the process that started it is gone."""

    def __init__(self) -> None:
        self._parent = os.getppid()

    def alive(self) -> bool:
        """Whether the parent still runs."""
        return os.getppid() == self._parent
