"""How large a person should be drawn over a robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.errors import ModelError


def upper_arm_scale(arms: Sequence[HumanArm], robot: ArrayLike) -> float:
    """The size of a person, as a factor, at which the upper arms are as long as the robot's.

    `robot` (arms, 3, 3): shoulder, elbow and wrist of each of the robot's arms. ONIA's person was about
    that large: it stretched the upper arm less than any other solver, and the forearm more (section IV-B).
    """
    points = np.asarray(robot, np.float64)
    lengths = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
    own = np.array([np.linalg.norm(arm.upper) for arm in arms])
    if lengths.shape != own.shape or not (lengths > 1e-3).all():
        raise ModelError("The robot's shoulder and elbow must be apart to fit a person to them.")
    return float(np.exp(np.mean(np.log(lengths / own))))
