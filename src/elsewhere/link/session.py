"""Who may drive, and who looks on: one operator's seat and a few places for viewers.

Rules. The operator's seat holds one. It is refused while another has it, unless the newcomer asks to
take over, which ends the session of the other. A seat is free again when its holder leaves, is not
heard for `timeout_ms`, or does not finish connecting within `connect_ms`; one who has been connecting
for longer than `patience_ms` gives way to a newcomer without being asked. Session ids are random and
cannot be guessed. Time is passed in.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Literal

from elsewhere.errors import LinkError

Role = Literal["operator", "viewer"]
ROLES: tuple[Role, ...] = ("operator", "viewer")
VIEWERS = 4
TIMEOUT_MS = 1000.0
CONNECT_MS = 10_000.0
PATIENCE_MS = 2000.0


@dataclass
class Seat:
    """One session's place. `number` marks it in records: a later session has a larger one."""

    role: Role
    heard_ns: int
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    number: int = 0
    connected: bool = False

    @property
    def drives(self) -> bool:
        """Whether this is the operator's seat."""
        return self.role == "operator"


class SeatTakenError(LinkError):
    """The seat is taken, or all places are."""


class Seats:
    """All seats. Invariant: at most one operator and at most `viewers` viewers."""

    def __init__(
        self,
        viewers: int = VIEWERS,
        timeout_ms: float = TIMEOUT_MS,
        connect_ms: float = CONNECT_MS,
        patience_ms: float = PATIENCE_MS,
    ) -> None:
        self.viewers, self.timeout_ms = viewers, timeout_ms
        self.connect_ms, self.patience_ms = connect_ms, patience_ms
        self._seats: dict[str, Seat] = {}
        self._last = 0

    def claim(self, role: Role, now_ns: int, *, takeover: bool = False) -> tuple[Seat, Seat | None]:
        """A seat, and the one that had to leave for it. Raises SeatTakenError."""
        leaves: Seat | None = None
        if role == "operator":
            leaves = self.operator
            if leaves is not None and not takeover and not self._gives_way(leaves, now_ns):
                raise SeatTakenError(
                    "Another operator is driving. Ask to take over, or come in as a viewer."
                )
        elif sum(not seat.drives for seat in self._seats.values()) >= self.viewers:
            raise SeatTakenError(f"All {self.viewers} places for viewers are taken. Try again later.")
        if leaves is not None:
            self.release(leaves.id)
        seat = Seat(role, now_ns, number=max(now_ns, self._last + 1))
        self._last = seat.number
        self._seats[seat.id] = seat
        return seat, leaves

    def _gives_way(self, seat: Seat, now_ns: int) -> bool:
        return not seat.connected and now_ns - seat.heard_ns > self.patience_ms * 1e6

    def connected(self, id: str, now_ns: int) -> None:
        """The link of that session is open: from now on it must be heard."""
        if seat := self._seats.get(id):
            seat.connected, seat.heard_ns = True, now_ns

    def heard(self, id: str, now_ns: int) -> None:
        """A valid message came from that session."""
        if seat := self._seats.get(id):
            seat.heard_ns = now_ns

    def release(self, id: str) -> Seat | None:
        """Free the seat; None when it was free already."""
        return self._seats.pop(id, None)

    def expired(self, now_ns: int) -> list[Seat]:
        """Seats whose holders have been silent for too long (they are not released here)."""
        return [
            seat
            for seat in self._seats.values()
            if now_ns - seat.heard_ns > (self.timeout_ms if seat.connected else self.connect_ms) * 1e6
        ]

    @property
    def operator(self) -> Seat | None:
        """Who drives, or is about to."""
        return next((seat for seat in self._seats.values() if seat.drives), None)

    def __len__(self) -> int:
        return len(self._seats)

    def __contains__(self, id: str) -> bool:
        return id in self._seats
