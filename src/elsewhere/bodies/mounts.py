"""Where arms sit on shoulders and hands on flanges.

The five arm mounts and three hand mounts are those that AVATRINA compared (Correia Marques et al.,
2024, figures 3 and 5, tables 2 and 3). They are given for the right side; the left one is mirrored
in the plane y = 0. The paper shows directions, not numbers: the offsets are ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import UnknownNameError
from elsewhere.rig import Mount
from elsewhere.status import LEFT

Array = NDArray[np.float64]
Pose = tuple[Array, Array]
"""Rotation (3, 3) and position (3,) of a child in its parent."""

# z is the arm's first axis; x, towards which the second joint bends it, points outwards or ahead, so
# that the arms work near the middle of their first joint's range. Positions are from the shoulder
# point, which has the axes of the base.
ARM_MOUNTS: dict[str, Mount] = {
    # forward and 45 degrees down
    "45-down": Mount((0.0, 0.0, 0.0), (-135.0, 0.0, -90.0)),
    # straight ahead
    "forwards": Mount((0.0, 0.0, 0.0), (-90.0, 0.0, -90.0)),
    # straight to the side
    "sideways": Mount((-0.04, -0.02, 0.0), (90.0, 0.0, 0.0)),
    # level, half forward and half to the side
    "45-sideways": Mount((0.0, -0.02, 0.0), (-90.0, 0.0, -135.0)),
    # half forward and half to the side, and 45 degrees down
    "45+45": Mount((0.0, -0.02, 0.0), (-135.0, 0.0, -135.0)),
}
OWN_ARM_MOUNTS: dict[str, Mount] = {
    # on a YuMi's own trunk, as the URDF of Örebro University has it: -0.9795, -0.5682, -2.3155 rad
    "yumi": Mount((0.0, 0.0, 0.0), (-56.121, -32.555, -132.668)),
}
"""Mounts that belong to one robot and were not compared."""

HAND_MOUNTS = ("low", "high", "end")
OWN_HAND_MOUNTS = ("straight",)

_BACKSET = 0.035  # how far behind the flange's axis the hand's face sits when it is carried on its back
_PLATE = 0.012


def rotation(rpy_deg: tuple[float, float, float]) -> Array:
    """Roll about x, then pitch about y, then yaw about z, all fixed axes: Rz Ry Rx."""
    roll, pitch, yaw = np.radians(rpy_deg)
    cx, sx, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    cz, sz = np.cos(yaw), np.sin(yaw)
    Rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    Ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    Rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return np.asarray(Rz @ Ry @ Rx, float)


def mirrored(pose: Pose) -> Pose:
    """A pose reflected in the plane y = 0: M R M and M p with M = diag(1, -1, 1)."""
    M = np.diag([1.0, -1.0, 1.0])
    return M @ pose[0] @ M, M @ pose[1]


def arm_mount(mount: str | Mount, side: int) -> Pose:
    """Pose of an arm's root at the shoulder. A pose given in a rig is for the right side."""
    if isinstance(mount, str):
        name = "45-down" if mount == "default" else mount
        known = ARM_MOUNTS | OWN_ARM_MOUNTS
        if name not in known:
            raise UnknownNameError("arm mount", name, known)
        mount = known[name]
    pose = rotation(mount.rpy_deg), np.array(mount.position)
    return mirrored(pose) if side == LEFT else pose


def hand_mount(mount: str | Mount, side: int, depth: float) -> Pose:
    """Pose of a hand's root on the flange, whose z leaves the arm.

    low: the hand hangs below the wrist, on its back (its z is the flange's -z). high: it lies on top
    of the wrist, on its palm's side (z along the flange's z). end: it prolongs the wrist. straight: the
    same without a bracket, its fingers side by side along the flange's x, as a YuMi's gripper sits.
    `depth` is the hand's half thickness.
    """
    if isinstance(mount, Mount):
        pose = rotation(mount.rpy_deg), np.array(mount.position)
        return mirrored(pose) if side == LEFT else pose
    lift = np.array([0.0, 0.0, depth + _PLATE])
    # Turned about the flange so that the last joint works near the middle of its range.
    turned = rotation((0.0, 0.0, 90.0))
    back = turned @ np.array([-_BACKSET, 0.0, 0.0])
    end = rotation((0.0, 0.0, -135.0)) @ rotation((0.0, -90.0, 0.0))
    poses: dict[str, Pose] = {
        "low": (turned @ rotation((180.0, 0.0, 0.0)), back + lift),
        "high": (turned, back + lift),
        "end": (end, np.array([0.0, 0.0, _PLATE])),
        "straight": (rotation((0.0, -90.0, 0.0)) @ rotation((90.0, 0.0, 0.0)), np.zeros(3)),
    }
    name = "end" if mount == "default" else mount
    if name not in poses:
        raise UnknownNameError("hand mount", name, poses)
    return mirrored(poses[name]) if side == LEFT else poses[name]
