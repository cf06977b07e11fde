"""How well an arm of the model could be laid over the robot's."""

from __future__ import annotations

from enum import IntEnum


class AlignStatus(IntEnum):
    """Outcome of one arm. All but DEGENERATE and HELD are poses of this reference."""

    OK = 0
    STRAIGHT = 1
    """The arm is nearly straight: the elbow's axis fades to that of the untwisted shoulder."""
    FOLDED = 2
    """The forearm lies back on the upper arm: as STRAIGHT."""
    DEGENERATE = 3
    """No pose: not finite, a segment without a length, or a hand that is no rotation. The pose is the
    default one."""
    HELD = 4
    """No pose for this reference: the last good one is repeated (`Hold`)."""

    @property
    def text(self) -> str:
        """As it is told in messages: ok, straight, folded, degenerate, held."""
        return self.name.lower()
