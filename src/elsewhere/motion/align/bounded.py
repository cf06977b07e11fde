"""Bounded: ONIA with bones that stretch only so far, in closed form (ours; the paper leaves it open)."""

from __future__ import annotations

from elsewhere.motion.align._bounded_kernels import bounded_batch, bounded_into
from elsewhere.motion.align.solver import ALPHA, BENT, STRAIGHT, Stateless

STRETCH = (0.8, 1.3)
"""Least and greatest stretch: the interval that ONIA's paper gives its baselines (section III-A)."""


class Bounded(Stateless):
    """The least deviation with both stretches in [low, high]: of the wrist first, then of the elbow.

    Criterion: of all poses within the bounds, those whose wrist is nearest to the robot's; of these, the
    one whose elbow is nearest to the robot's. The wrist comes first because the hand is what is looked at
    and touched, and because the hand's rotation is drawn there in any case. A weighted sum would give up
    some of the hand for the elbow even where the hand can be reached exactly.

    Invariants: stretches are never outside the bounds; no pose within them has a nearer wrist, nor, with
    that wrist, a nearer elbow (checked against brute force); where ONIA keeps the bounds the pose is
    ONIA's, bit for bit; and both points are continuous there, since a nearest point comes to lie on the
    robot's as that enters the set. Between two elbows that are equally near the choice jumps, as it must:
    the set has a hole.

    A wrist out of reach gives a straight arm at its longest, one too near the folded arm of least reach;
    elbow axis and twist are then still the robot's.
    """

    name = "bounded"

    def __init__(
        self,
        low: float = STRETCH[0],
        high: float = STRETCH[1],
        alpha: float = ALPHA,
        straight: float = STRAIGHT,
        bent: float = BENT,
    ) -> None:
        if not 0.0 < low <= high:
            raise ValueError(f"0 < low <= high is needed, not {low} and {high}.")
        self.low, self.high = low, high
        super().__init__(bounded_into, bounded_batch, alpha, straight, bent)

    def extra_settings(self) -> tuple[float, ...]:
        """The bounds."""
        return (self.low, self.high)
