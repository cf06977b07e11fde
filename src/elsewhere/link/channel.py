"""What a channel between operator and avatar is, whatever carries it.

Two kinds exist. *latest*: the newest wins; a message may be lost, late or out of order, and one that
cannot leave at once is dropped. *reliable*: in order, none lost. The real ones are in
`elsewhere.link.webrtc`, the ones in virtual time in `elsewhere.link.loopback`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

Kind = Literal["latest", "reliable"]
Receiver = Callable[[bytes], None]


class Channel(Protocol):
    """One end of a two-way pipe of whole messages. Nothing here raises or blocks."""

    @property
    def kind(self) -> Kind:
        """What the channel promises."""

    @property
    def open(self) -> bool:
        """Whether a message sent now has a chance to arrive."""

    def send(self, data: bytes, key: str = "") -> bool:
        """Hand a message over. False when it was dropped because the channel is not open.

        On a latest channel that is busy, the message waits and takes the place of a waiting one with
        the same key: of each key only the newest is ever sent.
        """

    def on_message(self, receiver: Receiver) -> None:
        """Call `receiver` with every message that arrives (one receiver at a time)."""
