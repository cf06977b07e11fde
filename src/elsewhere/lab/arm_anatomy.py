"""How far an arm of the model is bent beyond what a person can: an extra measure beside the paper's five.

The limits are those that ONIA (section III-A) gives its two baselines, relative to the T-pose: swing of the
upper arm at most 85 degrees in any direction, its twist 75 degrees either way, the elbow 0 to 150 degrees
inward. ONIA itself keeps none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, atan2, degrees, pi, radians

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.motion.align.limits import ArmLimits

Array = NDArray[np.float64]

LIMITS = ArmLimits()
SLACK = radians(0.5)
"""An excess below this is rounding of a solver that stays on its limit."""


@dataclass(frozen=True)
class Anatomy:
    """Angles of one arm [rad]: swing >= 0, twist, hinge (negative: bent the wrong way)."""

    swing: float
    twist: float
    hinge: float

    @property
    def over(self) -> tuple[float, float, float]:
        """How far swing, twist and hinge are beyond their limits [rad]; 0 within."""
        least, most = LIMITS.hinge
        hinge = max(least - self.hinge, self.hinge - most, 0.0)
        return max(self.swing - LIMITS.swing, 0.0), max(abs(self.twist) - LIMITS.twist, 0.0), hinge

    @property
    def broken(self) -> tuple[bool, bool, bool]:
        """Whether swing, twist and hinge are beyond their limits."""
        swing, twist, hinge = (excess > SLACK for excess in self.over)
        return swing, twist, hinge

    @property
    def over_deg(self) -> float:
        """The largest excess in degrees."""
        return degrees(max(self.over))


def anatomy(arm: HumanArm, R_shoulder: Array, R_elbow: Array) -> Anatomy:
    """Swing and twist of the upper arm (R_s = R_swing R_twist, twist about the bone) and the elbow's angle.

    `arm` is the default pose in the same frame as the rotations. At a swing of 180 degrees the twist is
    undefined; there it is that of the turn about the elbow axis.
    """
    u = arm.upper / np.linalg.norm(arm.upper)
    f = arm.fore / np.linalg.norm(arm.fore)
    along = R_shoulder @ u
    swing = acos(float(np.clip(u @ along, -1.0, 1.0)))
    twist = _twist(R_shoulder, u)
    bent = R_shoulder.T @ (R_elbow @ f)
    a = arm.elbow_axis
    hinge = atan2(float(a @ np.cross(f, bent)), float(f @ bent))
    return Anatomy(swing, twist, hinge)


def _twist(R: Array, axis: Array) -> float:
    """Angle about `axis` of the twist in R = R_swing R_twist, within -pi .. pi.

    From the quaternion (w, v) of R: tan(angle / 2) = v.axis / w.
    """
    vector = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    scale = 1.0 + float(np.trace(R))
    if scale < 1e-9:
        return 0.0
    # v = vector / (4 w) and w^2 = scale / 4, so v.axis / w = vector.axis / scale.
    angle = 2.0 * atan2(float(vector @ axis), scale)
    return angle - 2 * pi if angle > pi else angle
