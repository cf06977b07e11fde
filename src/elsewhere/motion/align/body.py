"""The whole model laid over the robot, before its arms: shoulders on shoulders (ONIA, section II)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.motion.align.status import AlignStatus

Array = NDArray[np.float64]
BodyPose = tuple[Array, Array]
"""R (3, 3) and p (3,) [m]: a point x of the model in its default pose goes to R x + p."""

UP = (0.0, 0.0, 1.0)
COINCIDENT = 1e-2
"""Shoulders nearer than this [m] have no direction between them."""
VERTICAL = 0.05
"""Sine of the angle (3 degrees) between the shoulder line and the vertical below which there is no
front."""


def shoulder_frame(left: Array, right: Array, up: Array) -> Array | None:
    """Frame (3, 3) of a pair of shoulders: y from right to left, z upward, x forward; None if undefined."""
    y = left - right
    length = float(np.linalg.norm(y))
    if not COINCIDENT < length < np.inf:
        return None
    y = y / length
    z = up - (up @ y) * y
    height = float(np.linalg.norm(z))
    if not height > VERTICAL:
        return None
    z /= height
    return np.stack([np.cross(y, z), y, z], axis=1)


def align_body(
    human: ArrayLike,
    robot: ArrayLike,
    up: ArrayLike = UP,
    last: BodyPose | None = None,
    human_up: ArrayLike = UP,
) -> tuple[BodyPose, AlignStatus]:
    """The rigid motion that lays the shoulders `human` (2, 3) over `robot` (2, 3), left first [m].

    The midpoints coincide and so do the directions from one shoulder to the other; the turn that remains,
    about the shoulder line, brings the model's `human_up` as near to `up` as it can. Nothing is scaled:
    each shoulder is off by half the difference of the widths, along the line.

    Where shoulders coincide, stand above each other or are not finite, there is no such motion: then
    `last` is given again and HELD told, or without one the identity and DEGENERATE.
    """
    own, theirs = np.asarray(human, np.float64), np.asarray(robot, np.float64)
    from_frame = shoulder_frame(own[0], own[1], unit(human_up))
    to_frame = shoulder_frame(theirs[0], theirs[1], unit(up))
    if from_frame is None or to_frame is None:
        if last is not None:
            return last, AlignStatus.HELD
        return (np.eye(3), np.zeros(3)), AlignStatus.DEGENERATE
    R = to_frame @ from_frame.T
    return (R, theirs.mean(0) - R @ own.mean(0)), AlignStatus.OK


def unit(v: ArrayLike) -> Array:
    """`v` (3,) of unit length; NaN where it has none, which no comparison lets pass."""
    array = np.asarray(v, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = array / np.linalg.norm(array)
    return found
