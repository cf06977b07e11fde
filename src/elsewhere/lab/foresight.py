"""How much of what is lost after a return is the solver's fault, and how much that of finite speed.

A hand that comes back into reach faster than the arm can move is missed for a while by any solver. An
arm that knew where the hand comes back to could wait there in the best posture. That arm is tried here:
at each return it starts from whichever of many postures, found for the poses that follow, loses the
least. No solver that learns of the return only as it happens can count on being that lucky.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.lab._floor_kernels import postures
from elsewhere.lab.following import DEFAULT, follow, lost
from elsewhere.lab.hand_path import HandPath
from elsewhere.motion.ik.base import NO_RESERVE
from elsewhere.motion.ik.scout import Scout

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

AHEAD_S, EVERY_S = 0.96, 0.096
"""How long after a return poses are looked at for postures, and how often."""
TRIES, KEPT = 40, 14
"""Starts of the search for the postures of one pose, and how many of them are tried."""
UNTIL_S = 1.76
"""After this time every arm has caught up."""


def returns(reach: Flags) -> list[int]:
    """The samples at which the hand comes back into reach."""
    return [int(k) for k in np.flatnonzero(reach[1:] & ~reach[:-1]) + 1]


def excess(arm: Arm, path: HandPath, reach: Flags, missed: Flags, bias: str) -> float:
    """The share of a path in reach that is lost with foresight at each return.

    `missed`: what our solver loses. Where it does better than all that are tried, that counts.
    """
    gone = missed & reach
    rate = 1.0 / path.dt
    for begin in returns(reach):
        end = min(begin + int(UNTIL_S * rate), len(reach))
        part = HandPath(path.name, path.t[begin:end], path.p[begin:end], path.q[begin:end])
        least = gone[begin:end]
        for start in _postures(arm, part, reach[begin:end]):
            tried = lost(arm, part, follow(arm, part, start, DEFAULT, bias)) & reach[begin:end]
            if tried.sum() < least.sum():
                least = tried
        gone[begin:end] = least
    return float(gone.mean())


def _postures(arm: Arm, part: HandPath, reach: Flags) -> list[Array]:
    """Home, the middle of the ranges, and postures for the poses that follow."""
    packed = Scout(arm, part.dt, reserve=NO_RESERVE).packed
    found, room = [arm.home, arm.neutral], np.zeros((TRIES, 8))
    step, last = (max(1, round(seconds / part.dt)) for seconds in (EVERY_S, AHEAD_S))
    for k in range(0, min(last, len(part.p)), step):
        if reach[k]:
            count = postures(packed, part.p[k], part.q[k], TRIES, room)
            found += [one[: arm.chain.n].copy() for one in room[: min(count, KEPT)]]
    return found
