"""Compiled Cartesian impedance of one arm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies._kernels import forward, unpack
from elsewhere.kernel import kernel
from elsewhere.motion.torque._kernels import (
    DAMPING,
    NULL_SPACE,
    STIFFNESS,
    Array,
    Records,
    conclude,
    load,
    move,
)
from elsewhere.spatial._kernels import quat_from_matrix, quat_log, quat_multiply
from elsewhere.spatial._transpose_kernels import transposed_inverse


@kernel
def fade(state: Records, n: int, share: float, equilibrium: Array) -> None:
    """Where the spring rests: between the pose in which a fade began and the reference.

    NimbRo's (1 - s) tau_init + s tau_cmd is a spring to the interpolated pose. Without a share the pose
    goes along with the reference, as far behind it as it is. So it never jumps, also when a fade breaks.
    """
    s: Any = state[0]
    for i in range(n):
        if share <= 0.0:
            s.held[i] = s.reference[i] - s.lag[i]
        else:
            s.lag[i] = (1.0 - share) * (s.reference[i] - s.held[i])
        equilibrium[i] = s.reference[i] - s.lag[i]


@kernel
def impedance(
    chain: Records, law: Records, state: Records, q: Array, dq: Array, share: float, scratch: Records
) -> None:
    """J^T (-S dp), J^T (-D J de) and (I - J^T (J^T)+) (K (q_e - q) - N de), into the terms of `scratch`.

    dp is the palm's pose less the one at the equilibrium q_e, in the base frame; de = dq - dq_w.
    """
    c: Any = law[0]
    s: Any = state[0]
    w: Any = scratch[0]
    n, J = c.n, w.J[0]
    equilibrium, posture = w.joint[0], w.joint[1]
    error, rate, spring, damper = w.wrench[0], w.wrench[1], w.wrench[2], w.wrench[3]
    fade(state, n, share, equilibrium)
    arrays = unpack(chain)
    forward(arrays, equilibrium, w.R[1], w.p[1], w.J[1], w.work)
    forward(arrays, q, w.R[0], w.p[0], J, w.work)
    quat_from_matrix(w.R[0], w.quat[0])
    quat_from_matrix(w.R[1], w.quat[1])
    for i in range(1, 4):
        w.quat[1, i] = -w.quat[1, i]
    quat_multiply(w.quat[0], w.quat[1], w.quat[2])
    quat_log(w.quat[2], error[3:6])
    for i in range(3):
        error[i] = w.p[0, i] - w.p[1, i]
    for i in range(6):
        rate[i] = 0.0
        for k in range(n):
            rate[i] += J[i, k] * (dq[k] - s.dreference[k])
    for i in range(6):
        spring[i] = -c.task_stiffness[i] * error[i]
        damper[i] = 0.0
        for k in range(6):
            damper[i] -= c.task_damping[i, k] * rate[k]
    for k in range(n):
        stiff, damp = 0.0, 0.0
        for i in range(6):
            stiff += J[i, k] * spring[i]
            damp += J[i, k] * damper[i]
        w.terms[STIFFNESS, k], w.terms[DAMPING, k] = stiff, damp
        posture[k] = c.stiffness[k] * (equilibrium[k] - q[k]) - c.damping[k] * (dq[k] - s.dreference[k])
    transposed_inverse(J, n, posture, w.A, error)
    for k in range(n):
        felt = 0.0
        for i in range(6):
            felt += J[i, k] * error[i]
        w.terms[NULL_SPACE, k] = posture[k] - felt


@kernel
def impedance_step(
    chain: Records,
    law: Records,
    state: Records,
    q: Array,
    dq: Array,
    fresh: bool,
    giving: bool,
    log: bool,
    share: float,
    scratch: Records,
    tau: Array,
    logged: NDArray[np.float32],
) -> int:
    """One inner tick: `move`, then `impedance` with what carries and moves the arm, within the limits."""
    outcome = move(law, state, q, dq, fresh, giving)
    impedance(chain, law, state, q, dq, share, scratch)
    load(chain, law, state, q, dq, log, scratch)
    conclude(law, state, q, dq, scratch, log, tau, logged)
    return outcome
