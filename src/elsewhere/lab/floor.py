"""What no solver could follow: the poses of a path that no joint configuration reaches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.lab._floor_kernels import find_reachable
from elsewhere.lab.hand_path import HandPath
from elsewhere.motion.ik.base import NO_RESERVE
from elsewhere.motion.ik.scout import Scout

OFF, TURNED = 0.05, 0.3
"""Tolerances of AVATRINA, eq. 1 [m, rad]: a hand further off counts as not tracking."""

SEEDS = 40
"""Starts of the search for one pose. On B, 40 and 150 give the same floor; 8 miss poses in reach."""


def reachable(arm: Arm, path: HandPath, seeds: int = SEEDS) -> NDArray[np.bool_]:
    """Which poses are within tolerance of some configuration in the joint ranges, (n,).

    A search can miss a configuration, never invent one: the floor `1 - mean` is an upper bound.
    """
    packed = Scout(arm, path.dt, reserve=NO_RESERVE).packed
    found = np.zeros(len(path.t))
    find_reachable(packed, path.p, path.q, OFF, TURNED, seeds, found)
    return found > 0.0
