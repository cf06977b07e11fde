"""A human made from measures: skeleton, surface, weights and annotations."""

from __future__ import annotations

import numpy as np

from elsewhere.bodies.human.anthropometry import Measures, measures
from elsewhere.bodies.human.arm import HumanArm
from elsewhere.bodies.human.arm_surface import build_arm
from elsewhere.bodies.human.head import build_head
from elsewhere.bodies.human.helpers import with_helpers
from elsewhere.bodies.human.human import DIGITS, SIDES, Finger, Human, Joint
from elsewhere.bodies.human.leg_surface import build_leg
from elsewhere.bodies.human.mesh import Array, Material, SkinnedMesh, vertex_normals
from elsewhere.bodies.human.palette import PLAIN, Palette
from elsewhere.bodies.human.skeleton import Skeleton
from elsewhere.bodies.human.surface import Surface, Whole, relax
from elsewhere.bodies.human.trunk import build_trunk
from elsewhere.bodies.human.weights import skin_weights, strongest

SMOOTHING = 6
FLEXION_SHARES = (0.34, 0.41, 0.25)
THUMB_SHARES = (0.40, 0.30, 0.30)
CLOSED_RAD = {"thumb": 1.2, "index": 3.2, "middle": 3.5, "ring": 3.5, "little": 3.5}
"""How far the fingertip turns from the straight hand to the fist; chosen by eye on the made hand."""


def make_human(
    stature: float = 1.75,
    sex: str = "neutral",
    build: float = 1.0,
    palette: Palette | None = None,
    name: str = "",
) -> Human:
    """A clothed adult of that stature [m]; `build` scales the girths (1 is the mean of ANSUR II).

    Closed, outward, symmetric to the last bit but for the four strongest weights' rounding.
    """
    m = measures(stature, sex, build)
    skeleton = Skeleton(m)
    whole = _surface(m, skeleton, palette or PLAIN)
    vertices = relax(whole.vertices, whole.triangles, whole.seam, SMOOTHING)
    vertices = 0.5 * (vertices + vertices[whole.twin] * (1.0, -1.0, 1.0))
    joints = skeleton.joints()
    arms = (_arm(skeleton, 0), _arm(skeleton, 1))
    table = skin_weights(whole, skeleton, joints)
    joints, table, helpers = with_helpers(joints, table, vertices, arms)
    skin_joints, weights = strongest(table)
    mesh = SkinnedMesh(
        vertices,
        vertex_normals(vertices, whole.triangles),
        whole.triangles,
        skin_joints,
        weights,
        whole.colours,
        materials=(Material(),),
    )
    return Human(
        name or f"{sex} adult, {stature:.2f} m",
        joints,
        mesh,
        arms,
        (hand_frame(arms[0]), hand_frame(arms[1])),
        (_fingers(skeleton, joints, 0), _fingers(skeleton, joints, 1)),
        helpers,
    )


def _surface(m: Measures, skeleton: Skeleton, palette: Palette) -> Whole:
    surface = Surface()
    trunk, neck = build_trunk(surface, m, palette)
    build_head(surface, m, palette, neck)
    build_arm(surface, m, skeleton, palette, trunk.hole)
    build_leg(surface, m, skeleton, palette, trunk.crotch)
    return surface.mirrored()


def _arm(skeleton: Skeleton, side: int) -> HumanArm:
    """In the T-pose with the palms down the elbows flex forwards: the axis is d_u x forward."""
    name = SIDES[side]
    shoulder, elbow, wrist = (skeleton[f"{name}_{n}"] for n in ("upper_arm", "forearm", "hand"))
    axis = np.cross(elbow - shoulder, (1.0, 0.0, 0.0))
    return HumanArm(shoulder, elbow, wrist, axis, np.array([0.0, 0.0, -1.0]))


def hand_frame(arm: HumanArm, fingertips: Array | None = None) -> Array:
    """The palm frame: x towards the fingertips (the forearm's direction if not given), z = -w."""
    z = -arm.wrist_vector
    x = arm.fore if fingertips is None else fingertips
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _fingers(skeleton: Skeleton, joints: tuple[Joint, ...], side: int) -> tuple[Finger, ...]:
    index = {joint.name: i for i, joint in enumerate(joints)}
    name = SIDES[side]
    palm = np.array([0.0, 0.0, -1.0])
    # What closes: fingers curl to the palm, the thumb comes across below it.
    across = np.array([-0.75, 0.15 * (1 - 2 * side), -0.65])
    fingers = []
    for digit in DIGITS:
        places = [index[f"{name}_{digit}_{k}"] for k in (1, 2, 3)]
        points = [skeleton[f"{name}_{digit}_{k}"] for k in (1, 2, 3)]
        tip = skeleton.digits[digit].tip * ((1.0, -1.0, 1.0) if side else (1.0, 1.0, 1.0))
        bones = np.diff(np.array([*points, tip]), axis=0)
        axes = np.cross(bones, across if digit == "thumb" else palm)
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        shares = THUMB_SHARES if digit == "thumb" else FLEXION_SHARES
        fingers.append(Finger(digit, tuple(places), axes, shares, 0.0, CLOSED_RAD[digit]))
    return tuple(fingers)
