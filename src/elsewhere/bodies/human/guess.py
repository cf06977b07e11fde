"""Annotations of a scan from its pose and geometry: how far the arms are from level, which way the elbow
bends, where the palm looks, how the fingers close.

All in the body frame: x forward, y left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.bodies.human.human import DIGITS, Finger
from elsewhere.bodies.human.make import CLOSED_RAD, FLEXION_SHARES, THUMB_SHARES
from elsewhere.bodies.human.mesh import Array
from elsewhere.errors import ModelError

T_POSE_DEG, A_POSE_DEG = 15.0, 65.0
"""Arms within the first angle of level are a T-pose, lowered by up to the second an A-pose."""
BENT_DEG = 8.0
"""An elbow bent by more than this shows its axis."""
FORWARD = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Guess:
    """Annotations of one arm, and in words where they come from."""

    elbow_axis: Array
    wrist_vector: Array
    elbow_how: str
    wrist_how: str


def levelness(at: dict[str, Array]) -> list[str]:
    """Notes on the pose; a pose that is neither T nor A is refused."""
    angles = []
    for sign, side in ((1.0, "left"), (-1.0, "right")):
        arm = at[f"{side}_hand"] - at[f"{side}_upper_arm"]
        out = np.array([0.0, sign, 0.0])
        angle = float(np.degrees(np.arctan2(np.linalg.norm(np.cross(out, arm)), out @ arm)))
        low = float(np.degrees(np.arctan2(-arm[2], np.hypot(arm[0], arm[1]))))
        if (
            angle > A_POSE_DEG
            or low < -T_POSE_DEG
            or (angle > T_POSE_DEG and abs(arm[0]) > 0.5 * np.linalg.norm(arm))
        ):
            raise ModelError(
                f"The {side} arm of the scan is {angle:.0f} degrees away from level, to the side. "
                "Scan and rig the person in a T-pose, or in an A-pose with the arms less lowered."
            )
        angles.append(angle)
    if max(angles) <= T_POSE_DEG:
        return [f"T-pose: the arms are {max(angles):.0f} degrees off level."]
    return [f"A-pose: the arms are lowered by {angles[0]:.0f} (left) and {angles[1]:.0f} (right) degrees."]


def guess_arm(at: dict[str, Array], vertices: Array, hand_weights: Array, side: str) -> Guess:
    """Elbow axis and wrist vector of one arm."""
    shoulder, elbow, wrist = (at[f"{side}_{n}"] for n in ("upper_arm", "forearm", "hand"))
    upper, fore = elbow - shoulder, wrist - elbow
    usual = np.cross(upper, FORWARD)  # the elbow flexes forwards in the T-pose
    shown = np.cross(upper, fore)
    bend = float(np.degrees(np.arctan2(np.linalg.norm(shown), upper @ fore)))
    if bend > BENT_DEG and shown @ usual > 0.3 * np.linalg.norm(shown) * np.linalg.norm(usual):
        axis, how = shown, f"from the elbow, bent by {bend:.0f} degrees"
    else:
        axis, how = usual, "the usual one: the elbow flexes forwards"
    palm, palm_how = _palm(at, vertices, hand_weights, side)
    return Guess(axis, palm, how, palm_how)


def hand_axis(at: dict[str, Array], side: str) -> Array:
    """Direction of the fingers: the middle finger's, that to its knuckle, or the forearm's."""
    hand, knuckle, last = (at.get(f"{side}_{n}") for n in ("hand", "middle_1", "middle_3"))
    for root, end in ((knuckle, last), (hand, knuckle)):
        if root is not None and end is not None and np.linalg.norm(end - root) > 1e-3:
            return end - root
    return at[f"{side}_hand"] - at[f"{side}_forearm"]


def _palm(at: dict[str, Array], vertices: Array, hand_weights: Array, side: str) -> tuple[Array, str]:
    along = hand_axis(at, side)
    sign = 1.0 if side == "left" else -1.0
    index, little = at.get(f"{side}_index_1"), at.get(f"{side}_little_1", at.get(f"{side}_ring_1"))
    if index is not None and little is not None:
        back = sign * np.cross(index - little, along)
        if np.linalg.norm(back) > 1e-6:
            return -back / np.linalg.norm(back), "from the knuckles"
    down = np.array([0.0, 0.0, -1.0])
    mine = vertices[hand_weights > 0.5]
    if len(mine) > 20:
        # A hand is thin across the palm.
        _, _, axes = np.linalg.svd(mine - mine.mean(axis=0), full_matrices=False)
        thin = axes[2] * (1.0 if axes[2] @ down >= 0.0 else -1.0)
        square = thin - (thin @ along) * along / (along @ along)
        if np.linalg.norm(square) > 0.5:
            return square / np.linalg.norm(square), "from the flat shape of the hand, taken to look down"
    square = down - (down @ along) * along / (along @ along)
    return square / np.linalg.norm(square), "taken to look down"


def guess_fingers(
    at: dict[str, Array], found: dict[str, int], arm: HumanArm, side: str
) -> tuple[Finger, ...]:
    """Hinges square to the digit and to the palm's normal; digits without three joints are left out."""
    sign = 1.0 if side == "left" else -1.0
    palm = arm.wrist_vector
    along = hand_axis(at, side)
    thumb_side = -sign * np.cross(palm, along / np.linalg.norm(along))
    fingers = []
    for digit in DIGITS:
        names = [f"{side}_{digit}_{k}" for k in (1, 2, 3)]
        if any(name not in at for name in names):
            continue
        points = np.array([at[name] for name in names])
        bones = np.diff(points, axis=0)
        if np.linalg.norm(bones, axis=1).min() < 1e-4:
            continue
        bones = np.vstack([bones, bones[1]])
        closing = 0.65 * palm - 0.75 * thumb_side if digit == "thumb" else palm
        axes = np.cross(bones, closing)
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        shares = THUMB_SHARES if digit == "thumb" else FLEXION_SHARES
        fingers.append(
            Finger(digit, tuple(found[name] for name in names), axes, shares, 0.0, CLOSED_RAD[digit])
        )
    return tuple(fingers)
