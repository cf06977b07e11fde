"""Compiled senses of one arm: where its palm is, and what presses on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._kernels import bias, forward, unpack
from elsewhere.kernel import kernel
from elsewhere.records import MAX_JOINTS
from elsewhere.spatial._kernels import quat_from_matrix
from elsewhere.spatial._transpose_kernels import transposed_inverse

Array = NDArray[np.float64]
Records = NDArray[np.void]

SCRATCH = np.dtype(
    [
        ("work", "f8", (96, 3)),  # at least bodies._kernels.WORK_ROWS
        ("R", "f8", (3, 3)),
        ("J", "f8", (6, MAX_JOINTS)),
        ("A", "f8", (6, 6)),
        ("still", "f8", (MAX_JOINTS,)),  # zero
        ("load", "f8", (MAX_JOINTS,)),
        ("wrench", "f8", (6,)),
    ]
)


@kernel
def sense_palm(
    chain: Records,
    q: Array,
    tau: Array,
    whole: bool,
    palm_p: Array,
    palm_q: Array,
    wrench: NDArray[np.float32],
    scratch: Records,
) -> None:
    """Palm pose, and if `whole` F = -(J^T)+ (tau - tau_g), in the base frame (AVATRINA, eq. 13).

    A force F on the palm changes the torque that keeps the arm at rest to tau = tau_g - J^T F.
    """
    w: Any = scratch[0]
    arrays = unpack(chain)
    n = arrays[0].shape[0]
    forward(arrays, q, w.R, palm_p, w.J, w.work)
    quat_from_matrix(w.R, palm_q)
    if not whole:
        return
    bias(arrays, q, w.still, w.load, w.work)
    for i in range(n):
        w.load[i] -= tau[i]
    transposed_inverse(w.J, n, w.load, w.A, w.wrench)
    for i in range(6):
        wrench[i] = w.wrench[i]
