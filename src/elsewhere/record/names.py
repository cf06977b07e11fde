"""The names of a body that a recording needs: joints, motors and where the head is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from numpy.typing import NDArray

from elsewhere.records import MAX_JOINTS, MAX_MOTORS
from elsewhere.status import SIDES

Names = tuple[str, ...]


class _Arm(Protocol):
    @property
    def joints(self) -> Names: ...


class _Hand(Protocol):
    @property
    def motors(self) -> Names: ...


class _Head(Protocol):
    @property
    def position(self) -> NDArray: ...


class BodyLike(Protocol):
    """What `BodyNames.of` reads: `elsewhere.bodies.Body` has it."""

    @property
    def arms(self) -> Sequence[_Arm | None]:
        """Left and right, or None."""
        ...

    @property
    def hands(self) -> Sequence[_Hand | None]:
        """Left and right, or None."""
        ...

    @property
    def head(self) -> _Head:
        """The head."""
        ...


@dataclass(frozen=True)
class BodyNames:
    """Joint and motor names of the left and the right side (empty: no such part).

    `head_position` [m] is where the head's axes meet, in the base frame.
    """

    joints: tuple[Names, Names]
    motors: tuple[Names, Names]
    head: Names = ("head_yaw", "head_pitch", "head_roll")
    head_position: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @classmethod
    def of(cls, body: BodyLike) -> BodyNames:
        """The names of a composed body."""
        joints = [arm.joints if arm else () for arm in body.arms]
        motors = [hand.motors if hand else () for hand in body.hands]
        x, y, z = (float(value) for value in body.head.position)
        return cls((joints[0], joints[1]), (motors[0], motors[1]), head_position=(x, y, z))

    @classmethod
    def plain(cls, joints: int = 7, motors: int = 6) -> BodyNames:
        """Names as the conventions give them, for two equal sides."""

        def both(form: str, count: int) -> tuple[Names, Names]:
            left, right = (tuple(form.format(side, i + 1) for i in range(count)) for side in SIDES)
            return left, right

        return cls(
            both("{}_arm_joint{}", min(joints, MAX_JOINTS)),
            both("{}_hand_motor{}", min(motors, MAX_MOTORS)),
        )

    @property
    def sides(self) -> tuple[int, ...]:
        """The sides that have an arm."""
        return tuple(side for side in range(2) if self.joints[side])
