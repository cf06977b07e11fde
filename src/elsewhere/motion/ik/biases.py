"""Postures towards which an arm with more joints than it needs is drawn, by name.

    neutral     the middle of the joint ranges (AVATRINA, section 4.2.1)
    home        the posture in which the arm waits
    shoulder    neutral, but the first joint follows the commanded hand (AVATRINA, eq. 15): with
                rotation vector r (no longer than pi) and height t_z of the target,
                right: q_1 = -(max(k_a (r_y + r_z), 0) + k_z (t_z - z_0))
                left:  q_1 = +(max(k_a (r_y - r_z), 0) + k_z (t_z - z_0))
    null-space  neutral, but only the part of the way that moves no hand: no steady error

The paper gives no values for k_a, k_z and z_0. Ours put the first joint near its home posture for a
hand that points down at the height of a table.
"""

from __future__ import annotations

from elsewhere.errors import UnknownNameError
from elsewhere.motion.ik import _kernels

BIASES = {
    "neutral": _kernels.NEUTRAL,
    "home": _kernels.HOME,
    "shoulder": _kernels.SHOULDER,
    "null-space": _kernels.NULL_SPACE,
}
SHOULDER_GAINS = (0.3, 1.0, 0.9)
"""k_a, k_z [rad/m], z_0 [m] of eq. 15."""


def find_bias(name: str) -> int:
    """The kernel's number of a bias. Raises UnknownNameError."""
    if name not in BIASES:
        raise UnknownNameError("bias", name, BIASES)
    return BIASES[name]
