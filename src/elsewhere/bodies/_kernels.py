"""Compiled kinematics and dynamics of a serial chain of revolute and prismatic joints.

A chain is a tuple of arrays (see `bodies.chain.Chain.arrays`): kind (n), axis (n, 3), R (n+1, 3, 3)
and p (n+1, 3) from each joint's frame to the next one's (the last leads to the tip), mass (n),
com (n, 3), inertia (n, 3, 3) about the com, gravity (3). Everything is in the joints' own frames;
gravity and results are in the root frame. Loops pass it as one record of `CHAIN`, which costs a third
of eight arrays, and `unpack` it in compiled code.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel
from elsewhere.spatial._kernels import quat_from_matrix

Array = NDArray[np.float64]
ChainArrays = tuple[NDArray[np.int64], Array, Array, Array, Array, Array, Array, Array]

MAX = 8  # joints in a chain; keep equal to records.MAX_JOINTS
ROTATIONS = 6 * MAX + 12  # first row of the rotations between links in the scratch array of `bias`
WORK_ROWS = ROTATIONS + 3 * MAX  # rows of three that any kernel here needs as scratch

CHAIN = np.dtype(
    [
        ("n", "i8"),  # how many joints; places beyond them stay zero
        ("kind", "i8", (MAX,)),
        ("axis", "f8", (MAX, 3)),
        ("R", "f8", (MAX + 1, 3, 3)),
        ("p", "f8", (MAX + 1, 3)),
        ("mass", "f8", (MAX,)),
        ("com", "f8", (MAX, 3)),
        ("inertia", "f8", (MAX, 3, 3)),
        ("gravity", "f8", (3,)),
    ]
)


@kernel
def unpack(chain: NDArray[np.void]) -> ChainArrays:
    """The arrays of a chain in a record of `CHAIN`, in the same memory."""
    c: Any = chain[0]
    return (c.kind[: c.n], c.axis, c.R, c.p, c.mass, c.com, c.inertia, c.gravity)


@kernel
def joint_rotation(axis: Array, angle: float, out: Array) -> None:
    """Rotation matrix about a unit axis (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    k = 1.0 - c
    x, y, z = axis[0], axis[1], axis[2]
    out[0, 0] = c + x * x * k
    out[0, 1] = x * y * k - z * s
    out[0, 2] = x * z * k + y * s
    out[1, 0] = y * x * k + z * s
    out[1, 1] = c + y * y * k
    out[1, 2] = y * z * k - x * s
    out[2, 0] = z * x * k - y * s
    out[2, 1] = z * y * k + x * s
    out[2, 2] = c + z * z * k


@kernel
def matmul3(a: Array, b: Array, out: Array) -> None:
    """out = a b for 3x3 matrices. `out` may be neither."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@kernel
def apply3(m: Array, v: Array, out: Array) -> None:
    """out = m v. `out` may not be v."""
    for i in range(3):
        out[i] = m[i, 0] * v[0] + m[i, 1] * v[1] + m[i, 2] * v[2]


@kernel
def apply3_transposed(m: Array, v: Array, out: Array) -> None:
    """out = m^T v. `out` may not be v."""
    for i in range(3):
        out[i] = m[0, i] * v[0] + m[1, i] * v[1] + m[2, i] * v[2]


@kernel
def forward(chain: ChainArrays, q: Array, R_tip: Array, p_tip: Array, jacobian: Array, work: Array) -> None:
    """Tip pose in the root frame, and the geometric Jacobian at the tip, linear rows first.

    `jacobian` has shape (6, n); `work` is scratch of shape (WORK_ROWS, 3): its first MAX rows become the
    joints' axes, the next MAX rows where the joints are.
    """
    kind, axis, R, p = chain[0], chain[1], chain[2], chain[3]
    n = kind.shape[0]
    axes, origins = work[:MAX], work[MAX : 2 * MAX]
    Rj, Rn = work[2 * MAX : 2 * MAX + 3], work[2 * MAX + 3 : 2 * MAX + 6]
    for i in range(3):
        p_tip[i] = p[0, i]
        for j in range(3):
            R_tip[i, j] = R[0, i, j]
    for k in range(n):
        apply3(R_tip, axis[k], axes[k])
        if kind[k] == 0:
            joint_rotation(axis[k], q[k], Rj)
            matmul3(R_tip, Rj, Rn)
            R_tip[:, :] = Rn
        else:
            for i in range(3):
                p_tip[i] += axes[k, i] * q[k]
        for i in range(3):
            origins[k, i] = p_tip[i]
        for i in range(3):
            p_tip[i] += R_tip[i, 0] * p[k + 1, 0] + R_tip[i, 1] * p[k + 1, 1] + R_tip[i, 2] * p[k + 1, 2]
        matmul3(R_tip, R[k + 1], Rn)
        R_tip[:, :] = Rn
    for k in range(n):
        a = axes[k]
        if kind[k] == 0:
            rx, ry, rz = p_tip[0] - origins[k, 0], p_tip[1] - origins[k, 1], p_tip[2] - origins[k, 2]
            jacobian[0, k] = a[1] * rz - a[2] * ry
            jacobian[1, k] = a[2] * rx - a[0] * rz
            jacobian[2, k] = a[0] * ry - a[1] * rx
            for i in range(3):
                jacobian[3 + i, k] = a[i]
        else:
            for i in range(3):
                jacobian[i, k] = a[i]
                jacobian[3 + i, k] = 0.0


@kernel
def tip_pose(
    chain: NDArray[np.void],
    q: Array,
    p_tip: Array,
    q_tip: Array,
    R_tip: Array,
    jacobian: Array,
    work: Array,
) -> None:
    """Tip position and quaternion in the root frame. `R_tip`, `jacobian`, `work`: as in `forward`."""
    forward(unpack(chain), q, R_tip, p_tip, jacobian, work)
    quat_from_matrix(R_tip, q_tip)


@kernel
def cross_add(a: Array, b: Array, out: Array) -> None:
    """out += a x b. `out` may be neither."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@kernel
def bias(chain: ChainArrays, q: Array, dq: Array, tau: Array, work: Array) -> None:
    """Gravity and Coriolis torques: tau = C(q, dq) dq + g(q), by recursive Newton-Euler.

    The torque that keeps joint accelerations zero; what the motors must give beside M ddq.
    `work` is scratch of shape (WORK_ROWS, 3).
    """
    kind, axis, R, p, mass, com, inertia, gravity = chain
    n = kind.shape[0]
    w, dw, acc = work[:MAX], work[MAX : 2 * MAX], work[2 * MAX : 3 * MAX]
    force, moment = work[3 * MAX : 4 * MAX], work[4 * MAX : 5 * MAX]
    shift = work[5 * MAX : 6 * MAX]
    E = work[6 * MAX : ROTATIONS]  # scratch rows
    Rj, Rk = E[0:3], E[3:6]
    t0, t1, t2 = E[6], E[7], E[8]
    Rs = work[ROTATIONS:].reshape(-1, 3, 3)
    for k in range(n):
        if kind[k] == 0:
            joint_rotation(axis[k], q[k], Rj)
            matmul3(R[k], Rj, Rk)
            shift[k] = p[k]
        else:
            Rk[:, :] = R[k]
            apply3(R[k], axis[k], t0)
            for i in range(3):
                shift[k, i] = p[k, i] + t0[i] * q[k]
        Rs[k] = Rk
        # Velocities and accelerations of this frame, from the parent's, in this frame.
        if k == 0:
            for i in range(3):
                t0[i] = 0.0
                t1[i] = 0.0
                t2[i] = -gravity[i]
        else:
            for i in range(3):
                t0[i], t1[i], t2[i] = w[k - 1, i], dw[k - 1, i], acc[k - 1, i]
            E[9, :] = 0.0
            cross_add(t0, shift[k], E[9])  # w x r
            cross_add(t1, shift[k], t2)
            cross_add(t0, E[9], t2)
        apply3_transposed(Rk, t0, w[k])
        apply3_transposed(Rk, t1, dw[k])
        apply3_transposed(Rk, t2, acc[k])
        for i in range(3):
            t0[i] = axis[k, i] * dq[k]
        if kind[k] == 0:
            cross_add(w[k], t0, dw[k])
            for i in range(3):
                w[k, i] += t0[i]
        else:
            for i in range(3):
                t1[i] = 2.0 * w[k, i]
            cross_add(t1, t0, acc[k])
        # Force and moment (about this frame's origin) that move this link.
        for i in range(3):
            force[k, i] = acc[k, i]
            t0[i] = 0.0
        cross_add(dw[k], com[k], force[k])
        cross_add(w[k], com[k], t0)
        cross_add(w[k], t0, force[k])
        for i in range(3):
            force[k, i] *= mass[k]
        apply3(inertia[k], w[k], t1)
        apply3(inertia[k], dw[k], moment[k])
        cross_add(w[k], t1, moment[k])
        cross_add(com[k], force[k], moment[k])
    for k in range(n - 1, -1, -1):
        source = moment[k] if kind[k] == 0 else force[k]
        tau[k] = axis[k, 0] * source[0] + axis[k, 1] * source[1] + axis[k, 2] * source[2]
        if k > 0:
            apply3(Rs[k], force[k], t0)
            apply3(Rs[k], moment[k], t1)
            cross_add(shift[k], t0, t1)
            for i in range(3):
                force[k - 1, i] += t0[i]
                moment[k - 1, i] += t1[i]
