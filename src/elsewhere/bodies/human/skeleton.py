"""Where the joints of a made human are, in the T-pose with the palms down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.bodies.human.anthropometry import Measures
from elsewhere.bodies.human.human import DIGITS, SIDES, Joint
from elsewhere.bodies.human.mesh import Array
from elsewhere.bodies.human.surface import Part

DIGIT_PART = dict(zip(DIGITS, (Part.THUMB, Part.INDEX, Part.MIDDLE, Part.RING, Part.LITTLE), strict=True))

# Knuckle of each finger: share of the hand's length from the wrist, place across the palm over half its
# breadth (the index finger's side is positive), direction away from the middle finger's [deg], radius [m].
_KNUCKLES = {
    "index": (0.500, 0.69, 1.5, 0.0099),
    "middle": (0.512, 0.235, 0.0, 0.0101),
    "ring": (0.485, -0.235, -1.5, 0.0097),
    "little": (0.445, -0.68, -3.5, 0.0086),
}
SHOULDER_BELOW = 0.014
"""The joint lies below the acromion, which is the landmark of the shoulder's height: share of the stature,
chosen for a level T-pose."""
SHOULDER_INSIDE = 0.90
"""Distance of the two shoulder joints over the distance of the acromia."""


@dataclass(frozen=True, eq=False)
class Digit:
    """A left digit: its three joints (3, 3), its tip and its radius [m]."""

    name: str
    joints: Array
    tip: Array
    radius: float


class Skeleton:
    """Joint centres of the left side and the middle by name, and the left digits."""

    def __init__(self, m: Measures) -> None:
        h = m.stature
        hip, foot = 0.049 * h, 0.049 * h
        shoulder = np.array(
            [
                -0.012,
                0.5 * SHOULDER_INSIDE * m.girths.biacromial_breadth,
                m.length("shoulder_height") - SHOULDER_BELOW * h,
            ]
        )
        along = np.array([0.0, 1.0, 0.0])
        elbow = shoulder + m.length("upper_arm") * along
        wrist = elbow + m.length("forearm") * along
        self._at: dict[str, Array] = {
            "hips": np.array([-0.005, 0.0, 0.545 * h]),
            "spine": np.array([-0.010, 0.0, 0.615 * h]),
            "chest": np.array([-0.015, 0.0, 0.700 * h]),
            "neck": np.array([-0.014, 0.0, 0.845 * h]),
            "head": np.array([0.004, 0.0, 0.890 * h]),
            "left_shoulder": np.array([0.0, 0.015 * h, shoulder[2] + 0.004 * h]),
            "left_upper_arm": shoulder,
            "left_forearm": elbow,
            "left_hand": wrist,
            "left_thigh": np.array([0.0, hip, m.length("hip_height")]),
            "left_shin": np.array([0.0, 0.5 * (hip + foot), m.length("knee_height")]),
            "left_foot": np.array([-0.022 * h / 1.75, foot, m.length("ankle_height")]),
        }
        self.digits = {name: _digit(m, wrist, name) for name in DIGITS}
        for name, digit in self.digits.items():
            for k in range(3):
                self._at[f"left_{name}_{k + 1}"] = digit.joints[k]

    def __getitem__(self, name: str) -> Array:
        if name.startswith("right_"):
            return self._at[name.replace("right_", "left_", 1)] * (1.0, -1.0, 1.0)
        return self._at[name]

    def joints(self) -> tuple[Joint, ...]:
        """All joints, parents first."""
        joints: list[Joint] = []
        index: dict[str, int] = {}

        def add(name: str, parent: str | None) -> None:
            index[name] = len(joints)
            joints.append(Joint(name, -1 if parent is None else index[parent], self[name]))

        for name, parent in (
            ("hips", None),
            ("spine", "hips"),
            ("chest", "spine"),
            ("neck", "chest"),
            ("head", "neck"),
        ):
            add(name, parent)
        for side in SIDES:
            parent = "chest"
            for name in ("shoulder", "upper_arm", "forearm", "hand"):
                add(f"{side}_{name}", parent)
                parent = f"{side}_{name}"
            for digit in DIGITS:
                for k in (1, 2, 3):
                    add(f"{side}_{digit}_{k}", f"{side}_{digit}_{k - 1}" if k > 1 else f"{side}_hand")
        for side in SIDES:
            for name, parent in (("thigh", "hips"), ("shin", f"{side}_thigh"), ("foot", f"{side}_shin")):
                add(f"{side}_{name}", parent)
        return tuple(joints)


def _digit(m: Measures, wrist: Array, name: str) -> Digit:
    long, wide = m.length("hand"), 0.5 * m.girths.hand_breadth
    scale = long / 0.189
    lengths = m.phalanges(name)
    if name == "thumb":
        directions = [_unit(0.66, 0.70, -0.28), _unit(0.50, 0.84, -0.22), _unit(0.40, 0.90, -0.18)]
        root = wrist + np.array([0.26 * wide, 0.115 * long, -0.10 * wide])
        radius, flesh = 0.0108 * scale, 0.006 * scale
    else:
        share, across, fan, radius = _KNUCKLES[name]
        angle = np.radians(fan)
        directions = [_unit(np.sin(angle), np.cos(angle), -0.02 * k) for k in (1, 2, 4)]
        root = wrist + np.array([across * wide, share * long, 0.002 * scale])
        radius, flesh = radius * scale, 0.0038 * scale
    joints = [root]
    for length, direction in zip(lengths, directions, strict=True):
        joints.append(joints[-1] + length * direction)
    return Digit(name, np.array(joints[:3]), joints[3] + flesh * directions[2], radius)


def _unit(*values: float) -> Array:
    v = np.array(values)
    return np.asarray(v / np.linalg.norm(v))
