"""The inertia of an arm, in its joints and at its palm. For designing gains, not for loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import _kernels
from elsewhere.bodies.chain import Chain

Array = NDArray[np.float64]


def inertia_matrix(chain: Chain, q: Array) -> Array:
    """M(q) (n, n), rotors included: the sum over links of m Jv^T Jv + Jw^T I Jw [kg m^2, kg]."""
    n = chain.n
    matrix = np.diag(chain.armature).astype(float)
    R, p = np.eye(3), np.zeros(3)
    axes, origins = np.zeros((n, 3)), np.zeros((n, 3))
    for k in range(n):
        p = p + R @ chain.p[k]
        R = R @ chain.R[k]
        axes[k] = R @ chain.axis[k]
        if chain.kind[k] == 0:
            turn = np.empty((3, 3))
            _kernels.joint_rotation(chain.axis[k], float(q[k]), turn)
            R = R @ turn
        else:
            p = p + axes[k] * q[k]
        origins[k] = p
        centre = p + R @ chain.com[k]
        turning = (chain.kind[: k + 1] == 0)[:, None]
        linear = np.where(turning, np.cross(axes[: k + 1], centre - origins[: k + 1]), axes[: k + 1])
        angular = np.where(turning, axes[: k + 1], 0.0)
        tensor = R @ chain.inertia[k] @ R.T
        matrix[: k + 1, : k + 1] += chain.mass[k] * linear @ linear.T + angular @ tensor @ angular.T
    return matrix


def task_inertia(chain: Chain, q: Array) -> Array:
    """(J M^-1 J^T)^-1 (6, 6): what a force on the palm has to move. Damped, for singular poses."""
    J = chain.forward(q)[2]
    mobility = J @ np.linalg.solve(inertia_matrix(chain, q), J.T)
    return np.asarray(np.linalg.inv(mobility + 1e-3 * np.eye(6)))


def damping_for(inertia: Array, stiffness: Array, ratio: float) -> Array:
    """D (6, 6) = ratio (A K + K A), A = inertia^1/2, K = stiffness^1/2: each mode gets that damping ratio.

    Albu-Schaeffer, Ott, Frese, Hirzinger, "Cartesian impedance control of redundant robots" (2003).
    """
    values, vectors = np.linalg.eigh(inertia)
    A = vectors @ np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    K = np.diag(np.sqrt(stiffness))
    return np.asarray(ratio * (A @ K + K @ A))
