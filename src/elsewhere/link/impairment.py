"""A bad network, as an ordinary object: delay, jitter, loss and reordering from a seed.

The same seed and the same send times give the same arrivals, so that a test of a bad link is as
repeatable as any other. Time is virtual and passed in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

from elsewhere.errors import LinkError


@dataclass(frozen=True)
class Impairment:
    """What one direction of a link does to a message.

    The delay is `delay_ms` plus a jitter drawn evenly from 0 to `jitter_ms`. A message is lost with
    probability `loss`. With probability `reorder` it is held back by another `reorder_ms`, so that
    later ones overtake it.
    """

    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    loss: float = 0.0
    reorder: float = 0.0
    reorder_ms: float = 10.0

    def __post_init__(self) -> None:
        for name in ("delay_ms", "jitter_ms", "reorder_ms"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise LinkError(f"An impairment's {name} of {value} is refused: it must be 0 or more.")
        for name in ("loss", "reorder"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise LinkError(f"An impairment's {name} of {value} is refused: it must be from 0 to 1.")


class ImpairedPath:
    """One direction: decides for each message when it arrives, if at all."""

    def __init__(self, impairment: Impairment, seed: int) -> None:
        self.impairment = impairment
        self._random = Random(seed)

    def arrival(self, now_ns: int) -> int | None:
        """When a message sent now arrives, or None when it is lost."""
        # Always four draws, so that a message's fate does not depend on the fate of those before it.
        lost, jitter, held, _ = (self._random.random() for _ in range(4))
        model = self.impairment
        if lost < model.loss:
            return None
        delay_ms = model.delay_ms + jitter * model.jitter_ms
        if held < model.reorder:
            delay_ms += model.reorder_ms
        return now_ns + round(delay_ms * 1e6)

    def certain_arrival(self, now_ns: int, retransmit_ms: float) -> int:
        """When a message that is sent again after each loss arrives."""
        for attempt in range(1000):
            due = self.arrival(now_ns + round(attempt * retransmit_ms * 1e6))
            if due is not None:
                return due
        return now_ns + round(1000 * retransmit_ms * 1e6)
