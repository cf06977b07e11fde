"""Compiled multi-start search for poses that no joint configuration reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.motion.ik._scout_kernels import ghost_step, plant

Array = NDArray[np.float64]

STEPS = 40
NEAR, NEARLY = 0.02, 0.1  # m, rad: a posture that reaches a pose with room to spare


@kernel
def reaches(arm: Any, ghost: Array, target_p: Array, target_q: Array, off: float, askew: float) -> bool:
    """Whether a ghost that starts here comes within the tolerances of a pose; it stays where it got to."""
    for _ in range(STEPS):
        distance, angle = ghost_step(arm, ghost, ghost, target_p, target_q, 0.0)
        if distance <= off and angle <= askew:
            return True
    return False


@kernel
def find_reachable(
    packed: NDArray[np.void], p: Array, q: Array, off: float, askew: float, seeds: int, out: Array
) -> None:
    """out[i] = 1 where some configuration brings the palm within tolerance of pose i, else 0.

    Each pose is tried from the configuration that reached the last one, then from `seeds` others.
    """
    arm = packed[0]
    ghost, last = np.zeros(8), np.zeros(8)
    plant(arm, last, 1, last)
    for i in range(p.shape[0]):
        if i > 0 and (p[i] == p[i - 1]).all() and (q[i] == q[i - 1]).all():
            out[i] = out[i - 1]
            continue
        out[i] = 0.0
        for seed in range(seeds + 1):
            if seed == 0:
                ghost[:] = last
            else:
                plant(arm, last, seed, ghost)
            if reaches(arm, ghost, p[i], q[i], off, askew):
                out[i] = 1.0
                last[:] = ghost
                break


@kernel
def postures(packed: NDArray[np.void], p: Array, q: Array, tries: int, out: Array) -> int:
    """Write the configurations (tries, 8) that bring the palm to a pose, from `tries` starts; how many."""
    arm = packed[0]
    count, ghost, zero = 0, np.zeros(8), np.zeros(8)
    for seed in range(1, tries + 1):
        plant(arm, zero, seed, ghost)
        if reaches(arm, ghost, p, q, NEAR, NEARLY):
            out[count] = ghost
            count += 1
    return count
