"""Which joints a vertex of a made human follows, and by how much.

Weights change smoothly along each limb, are then averaged over neighbouring vertices, are made equal
left and right, and the four largest are kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.human import DIGITS, Joint
from elsewhere.bodies.human.mesh import Array, Integers
from elsewhere.bodies.human.skeleton import DIGIT_PART, Skeleton
from elsewhere.bodies.human.surface import Part, Whole, smooth_step

Mask = NDArray[np.bool_]

ROUNDS = 3  # of averaging over neighbours
INFLUENCES = 4


def skin_weights(whole: Whole, skeleton: Skeleton, joints: tuple[Joint, ...]) -> Array:
    """Weights of every joint at every vertex (n, joints); rows sum to one and mirror exactly."""
    index = {joint.name: i for i, joint in enumerate(joints)}
    table = np.zeros((len(whole.vertices), len(joints)))
    left = whole.vertices[:, 1] >= 0.0
    _trunk(table, whole, skeleton, index)
    for side, mine in (("left", left), ("right", ~left)):
        _arm(table, whole, skeleton, index, side, mine)
        _leg(table, whole, skeleton, index, side, mine)
        for digit in DIGITS:
            _digit(table, whole, skeleton, index, side, mine, digit)
    table[whole.parts == Part.HEAD] = 0.0
    _head(table, whole, skeleton, index)
    table = _averaged(table, whole)
    mirror = np.array([index[_other(joint.name)] for joint in joints])
    return 0.5 * (table + table[whole.twin][:, mirror])


def strongest(table: Array) -> tuple[Integers, Array]:
    """The four largest weights of each row, scaled to one, with their joints (n, 4).

    Weights below a thousandth are dropped, so that unused places hold joint 0 with weight 0.
    """
    order = np.argsort(-table, axis=1, kind="stable")[:, :INFLUENCES]
    weights = np.take_along_axis(table, order, axis=1)
    weights = np.where(weights < 1e-3, 0.0, weights)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.where(weights > 0.0, order, 0).astype(np.int32), weights


def _other(name: str) -> str:
    if name.startswith("left_"):
        return "right_" + name[5:]
    return "left_" + name[6:] if name.startswith("right_") else name


def _trunk(table: Array, whole: Whole, skeleton: Skeleton, index: dict[str, int]) -> None:
    """Up the spine; near the arm the clavicle and the upper arm take over, near the leg the thigh."""
    rows = whole.parts == Part.TRUNK
    y, z = whole.vertices[rows, 1:].T
    names = ("hips", "spine", "chest", "neck", "head")
    heights = [skeleton[name][2] for name in names]
    reach = (0.0, 0.05, 0.06, 0.022, 0.02)
    block = np.zeros((len(z), len(index)))
    above = np.ones(len(z))
    for k in range(len(names) - 1, 0, -1):
        share = above * smooth_step(z, heights[k] - reach[k], heights[k] + reach[k])
        block[:, index[names[k]]] = share
        above = above - share
    block[:, index["hips"]] = above
    for side, sign in (("left", 1.0), ("right", -1.0)):
        shoulder, thigh = skeleton[f"{side}_upper_arm"], skeleton[f"{side}_thigh"]
        out = sign * y
        # How far along the line from the breastbone to the shoulder joint, and how near its height.
        across = smooth_step(out, 0.25 * abs(shoulder[1]), 0.98 * abs(shoulder[1]))
        near = np.exp(-((np.maximum(0.0, shoulder[2] - 0.02 - z) / 0.085) ** 2))
        clavicle = 0.9 * across * near * (z < shoulder[2] + 0.10)
        arm = 0.55 * smooth_step(out, 0.74 * abs(shoulder[1]), 1.05 * abs(shoulder[1])) * near
        leg = smooth_step(thigh[2] - z, -0.045, 0.095) * smooth_step(out, -0.012, 0.045)
        block *= (1.0 - np.maximum(clavicle, leg))[:, None]
        block[:, index[f"{side}_shoulder"]] += clavicle * (1.0 - arm)
        block[:, index[f"{side}_upper_arm"]] += clavicle * arm
        block[:, index[f"{side}_thigh"]] += leg
    table[rows] = block / block.sum(axis=1, keepdims=True)


def _head(table: Array, whole: Whole, skeleton: Skeleton, index: dict[str, int]) -> None:
    """All of the head moves as one; the neck fades in below the jaw, towards the back."""
    rows = whole.parts == Part.HEAD
    height = skeleton["head"][2]
    jaw = whole.vertices[rows, 2] + 0.25 * np.maximum(0.0, whole.vertices[rows, 0])
    table[rows, index["head"]] = smooth_step(jaw, height - 0.045, height + 0.03)
    table[rows, index["neck"]] = 1.0 - table[rows, index["head"]]


def _arm(
    table: Array, whole: Whole, skeleton: Skeleton, index: dict[str, int], side: str, mine: Mask
) -> None:
    rows = (whole.parts == Part.ARM) & mine
    out = np.abs(whole.vertices[rows, 1])
    shoulder, elbow, wrist = (abs(skeleton[f"{side}_{n}"][1]) for n in ("upper_arm", "forearm", "hand"))
    hand = smooth_step(out, wrist - 0.028, wrist + 0.022)
    fore = (1.0 - hand) * smooth_step(out, elbow - 0.040, elbow + 0.040)
    rest = 1.0 - hand - fore
    # Above, the shoulder keeps more of the trunk's turn than the armpit does.
    clavicle = rest * 0.75 * (1.0 - smooth_step(out, shoulder - 0.045, shoulder + 0.055))
    table[rows, index[f"{side}_hand"]] = hand
    table[rows, index[f"{side}_forearm"]] = fore
    table[rows, index[f"{side}_upper_arm"]] = rest - clavicle
    table[rows, index[f"{side}_shoulder"]] = clavicle


def _leg(
    table: Array, whole: Whole, skeleton: Skeleton, index: dict[str, int], side: str, mine: Mask
) -> None:
    rows = (whole.parts == Part.LEG) & mine
    z = whole.vertices[rows, 2]
    hip, knee, ankle = (skeleton[f"{side}_{n}"][2] for n in ("thigh", "shin", "foot"))
    foot = smooth_step(ankle + 0.012 - z, -0.004, 0.030)
    shin = (1.0 - foot) * smooth_step(knee - z, -0.06, 0.06)
    hips = 0.35 * (1.0 - foot - shin) * smooth_step(z, hip - 0.14, hip)
    table[rows, index[f"{side}_foot"]] = foot
    table[rows, index[f"{side}_shin"]] = shin
    table[rows, index["hips"]] = hips
    table[rows, index[f"{side}_thigh"]] = 1.0 - foot - shin - hips


def _digit(
    table: Array, whole: Whole, skeleton: Skeleton, index: dict[str, int], side: str, mine: Mask, digit: str
) -> None:
    rows = (whole.parts == DIGIT_PART[digit]) & mine
    joints = skeleton.digits[digit].joints
    lengths = np.linalg.norm(np.diff(joints, axis=0), axis=1)
    second, third = lengths[0], lengths[0] + lengths[1]
    along, reach = whole.along[rows], 0.22 * lengths[1]
    tip = smooth_step(along, third - reach, third + reach)
    middle = (1.0 - tip) * smooth_step(along, second - reach, second + reach)
    table[rows, index[f"{side}_{digit}_3"]] = tip
    table[rows, index[f"{side}_{digit}_2"]] = middle
    first = 1.0 - tip - middle
    # The ball of the thumb stays in part with the palm, and the palm beside it goes along.
    palm = (
        0.5 * first * (1.0 - smooth_step(along, 0.55 * second, 0.95 * second)) if digit == "thumb" else 0.0
    )
    table[rows, index[f"{side}_{digit}_1"]] = first - palm
    table[rows, index[f"{side}_hand"]] = palm
    if digit == "thumb":
        _thenar(table, whole, skeleton, index, side, mine)


def _thenar(
    table: Array, whole: Whole, skeleton: Skeleton, index: dict[str, int], side: str, mine: Mask
) -> None:
    """The palm near the thumb's metacarpal follows it, up to a half."""
    root, end = skeleton[f"{side}_thumb_1"], skeleton[f"{side}_thumb_2"]
    rows = (whole.parts == Part.ARM) & mine & (np.abs(whole.vertices[:, 1]) > abs(root[1]) - 0.01)
    bone = end - root
    share = np.clip((whole.vertices[rows] - root) @ bone / (bone @ bone), 0.0, 1.0)
    distance = np.linalg.norm(whole.vertices[rows] - root - share[:, None] * bone, axis=1)
    follow = 0.5 * (1.0 - smooth_step(distance, 0.012, 0.030)) * smooth_step(share, 0.0, 0.6)
    table[rows] *= (1.0 - follow)[:, None]
    table[rows, index[f"{side}_thumb_1"]] += follow


def _averaged(table: Array, whole: Whole) -> Array:
    """Mean with the neighbours, a few rounds; the head's own parts stay rigid."""
    t = whole.triangles
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    degree = np.bincount(edges[:, 0], minlength=len(table))[:, None]
    rigid = (whole.parts == Part.HEAD)[:, None]
    for _ in range(ROUNDS):
        total = np.zeros_like(table)
        np.add.at(total, edges[:, 0], table[edges[:, 1]])
        table = np.where(rigid, table, 0.5 * table + 0.5 * total / degree)
    return np.asarray(table / table.sum(axis=1, keepdims=True))
