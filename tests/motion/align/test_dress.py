"""Dressing: joints land where the pose says, rest comes back, and the skin neither collapses nor tears."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from elsewhere.bodies.human.human import Human
from elsewhere.bodies.human.make import make_human
from elsewhere.bodies.human.mesh import signed_volume
from elsewhere.bodies.human.skin import skinned
from elsewhere.motion.align.dress import dress, posed_points

Array = NDArray[np.float64]
EYE = np.eye(4)


@dataclass(frozen=True)
class Pose:
    R_shoulder: Array
    R_elbow: Array
    R_wrist: Array
    stretch_upper: float = 1.0
    stretch_fore: float = 1.0


REST = Pose(np.eye(3), np.eye(3), np.eye(3))


@cache
def human() -> Human:
    return make_human(1.75)


def about(axis, angle: float) -> Array:
    axis = np.asarray(axis, float)
    return Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()


def arm_pose(side: int, swing: Array, flexion: float, twist: float = 0.0, **stretch: float) -> Pose:
    """A pose as ONIA gives it: the wrist is turned by `twist`, the forearm by 0.4 of it."""
    arm = human().arms[side]
    elbow = swing @ about(arm.elbow_axis, flexion)
    along = elbow @ arm.fore
    return Pose(swing, about(along, 0.4 * twist) @ elbow, about(along, twist) @ elbow, **stretch)


def placed(matrices: Array, joint: str) -> Array:
    i = human().joint(joint)
    return matrices[i, :3, :3] @ human().rest[i] + matrices[i, :3, 3]


def body(seed: int) -> Array:
    T = np.eye(4)
    T[:3, :3] = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    T[:3, 3] = (0.3, -0.2, 0.9)
    return T


def test_identity_gives_the_rest_mesh_back():
    vertices, normals = skinned(human(), dress(human(), EYE, (REST, REST)))
    np.testing.assert_allclose(vertices, human().mesh.vertices, atol=1e-9)
    np.testing.assert_allclose(normals, human().mesh.normals, atol=1e-9)


def test_a_placed_body_moves_rigidly():
    T = body(1)
    matrices = dress(human(), T, (REST, REST))
    np.testing.assert_allclose(matrices, np.broadcast_to(T, matrices.shape), atol=1e-12)


rotations = st.integers(0, 2**32 - 1).map(
    lambda seed: Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
)


@settings(max_examples=40, deadline=None)
@given(R=st.tuples(rotations, rotations, rotations), S=st.tuples(st.floats(0.6, 1.6), st.floats(0.6, 1.6)),
       side=st.integers(0, 1), seed=st.integers(0, 9))  # fmt: skip
def test_joints_land_where_any_pose_says(R, S, side, seed):
    """Eq. 21 and 22 for every rotation; all is finite; helpers agree with their bone on its axis."""
    T, pose = body(seed), Pose(*R, *S)
    poses = (pose, REST) if side == 0 else (REST, pose)
    matrices = dress(human(), T, poses)
    assert np.isfinite(matrices).all()
    arm = human().arms[side].moved(T[:3, :3], T[:3, 3])
    elbow = arm.shoulder + R[0] @ (S[0] * arm.upper)
    wrist = elbow + R[1] @ (S[1] * arm.fore)
    name = ("left", "right")[side]
    np.testing.assert_allclose(placed(matrices, f"{name}_upper_arm"), arm.shoulder, atol=1e-12)
    np.testing.assert_allclose(placed(matrices, f"{name}_forearm"), elbow, atol=1e-12)
    np.testing.assert_allclose(placed(matrices, f"{name}_hand"), wrist, atol=1e-12)
    np.testing.assert_allclose(
        posed_points(human().arms[side], T, pose), (arm.shoulder, elbow, wrist), atol=1e-12
    )
    # The hand turns as told and is not stretched.
    hand = matrices[human().joint(f"{name}_hand"), :3, :3]
    np.testing.assert_allclose(hand, R[2] @ T[:3, :3], atol=1e-12)
    for helper in human().helpers:
        if helper.side == side and helper.kind == "twist":
            ends = (arm.shoulder, elbow) if helper.bone == "upper_arm" else (elbow, wrist)
            expected = ends[0] + helper.share * (ends[1] - ends[0])
            np.testing.assert_allclose(
                placed(matrices, human().joints[helper.joint].name), expected, atol=1e-12
            )
    # The other arm, the trunk and the legs do not notice.
    other = ("right", "left")[side]
    for joint in ("hips", "head", f"{other}_hand", f"{other}_upper_arm_twist_1", "left_foot"):
        np.testing.assert_allclose(matrices[human().joint(joint)], T, atol=1e-12)


def test_the_skin_follows_its_joints():
    """The centre of the skin's ring at a joint stays at the joint, up to the roundness of a bent tube."""
    pose = arm_pose(0, about((1, 0, 0), -0.8), 1.2, twist=1.0, stretch_upper=1.2, stretch_fore=0.85)
    vertices, _ = skinned(human(), dress(human(), EYE, (pose, REST)))
    _, elbow, wrist = posed_points(human().arms[0], EYE, pose)
    rest, arm = human().mesh.vertices, human().arms[0]
    for joint, point, tolerance in ((arm.elbow, elbow, 0.025), (arm.wrist, wrist, 0.012)):
        ring = (np.abs(rest[:, 1] - joint[1]) < 0.012) & (rest[:, 1] > 0)
        before = rest[ring].mean(axis=0) - joint
        assert np.linalg.norm(vertices[ring].mean(axis=0) - point) < np.linalg.norm(before) + tolerance


def test_stretch_is_along_the_bone_only():
    pose = replace(REST, stretch_upper=1.3, stretch_fore=0.8)
    vertices, _ = skinned(human(), dress(human(), EYE, (pose, REST)))
    rest, arm = human().mesh.vertices, human().arms[0]
    np.testing.assert_allclose(vertices[:, [0, 2]], rest[:, [0, 2]], atol=1e-9)
    middle = arm.elbow[1] + 0.5 * arm.fore[1]
    ring = np.abs(rest[:, 1] - middle) < 0.03
    expected = arm.shoulder[1] + 1.3 * arm.upper[1] + 0.8 * (rest[ring, 1] - arm.elbow[1])
    np.testing.assert_allclose(vertices[ring, 1], expected, atol=2e-3)
    hand = rest[:, 1] > arm.wrist[1] + 0.05
    shift = vertices[hand] - rest[hand]
    np.testing.assert_allclose(shift, np.broadcast_to(shift[0], shift.shape), atol=1e-9)


def tube(low: float, high: float) -> tuple[NDArray[np.int32], Array]:
    """Triangles of the left forearm between two shares of its length, and its rest vertices."""
    arm, mesh = human().arms[0], human().mesh
    share = (mesh.vertices - arm.elbow) @ arm.fore / (arm.fore @ arm.fore)
    inside = (share > low) & (share < high) & (mesh.vertices[:, 1] > 0)
    return mesh.triangles[inside[mesh.triangles].all(axis=1)], mesh.vertices


def closed_volume(vertices: Array, triangles: NDArray[np.int32]) -> float:
    """Volume of a tube whose two ends are closed by fans."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    present = {tuple(edge) for edge in edges}
    border = np.array([(b, a) for a, b in present if (b, a) not in present])
    assert len(border) == 40, "two rings of twenty edges"
    middle = human().mesh.vertices[border[:, 0], 1].mean()
    lids, points = [], [*vertices]
    for end in (
        human().mesh.vertices[border[:, 0], 1] < middle,
        human().mesh.vertices[border[:, 0], 1] > middle,
    ):
        points.append(vertices[border[end, 0]].mean(axis=0))
        lids += [(a, b, len(points) - 1) for a, b in border[end]]
    return signed_volume(np.array(points), np.concatenate([triangles, np.array(lids, np.int32)]))


VOLUME_KEPT = 0.90
"""Share of the forearm's volume that must stay at the strongest twist. A blend of two joints 36 degrees
apart keeps cos(18 deg)^2 = 0.904 of a cross-section at its middle, and all of it at its ends."""


@pytest.mark.parametrize("degrees", [-180.0, -90.0, 90.0, 180.0])
def test_a_twisted_forearm_keeps_its_volume(degrees):
    """The wrist turned by 180 degrees gives the forearm its +-72 (0.4 of it)."""
    triangles, rest = tube(0.02, 0.94)
    pose = arm_pose(0, np.eye(3), 0.0, twist=np.radians(degrees) * 0.999999)
    vertices, _ = skinned(human(), dress(human(), EYE, (pose, REST)))
    kept = closed_volume(vertices, triangles) / closed_volume(rest, triangles)
    assert VOLUME_KEPT < kept < 1.01
    # Without the helpers, which then follow the forearm, the skin at the wrist is wrung.
    bare = replace(human(), helpers=())
    wrung, _ = skinned(bare, dress(bare, EYE, (pose, REST)))
    thin = tube(0.80, 0.94)[0]
    volumes = [closed_volume(points, thin) for points in (rest, vertices, wrung)]
    assert volumes[1] > VOLUME_KEPT * volumes[0]
    if abs(degrees) > 100:
        assert volumes[2] < volumes[1]


def test_twist_grows_evenly_from_elbow_to_wrist():
    """With 0.4 of the wrist's twist in R_elbow, as ONIA has it, the skin at share s has s of it."""
    twist = 2.0
    matrices = dress(human(), EYE, (arm_pose(0, np.eye(3), 0.0, twist), REST))
    for helper in human().helpers:
        if helper.side == 0 and helper.bone == "forearm" and helper.kind == "twist":
            turned = Rotation.from_matrix(matrices[helper.joint, :3, :3]).as_rotvec()
            np.testing.assert_allclose(turned, (0.0, helper.share * twist, 0.0), atol=1e-9)


def test_a_twisted_upper_arm_leaves_the_shoulder_s_skin():
    matrices = dress(human(), EYE, (arm_pose(0, about((0, 1, 0), 1.2), 0.0), REST))
    first = matrices[human().joint("left_upper_arm_twist_1")]
    np.testing.assert_allclose(first, EYE, atol=1e-9)
    second = Rotation.from_matrix(matrices[human().joint("left_upper_arm_twist_2"), :3, :3]).magnitude()
    assert second == pytest.approx(0.4)


@pytest.mark.parametrize("flexion", [0.5, 1.5, 2.4])
def test_a_bent_elbow_stays_thick(flexion):
    """No cross-section near the elbow flattens: the skin keeps its distance from the bones."""
    pose = arm_pose(0, np.eye(3), flexion)
    vertices, _ = skinned(human(), dress(human(), EYE, (pose, REST)))
    rest, arm = human().mesh.vertices, human().arms[0]
    near = (np.abs(rest[:, 1] - arm.elbow[1]) < 0.03) & (rest[:, 1] > 0)
    outside = near & (rest[:, 0] < arm.elbow[0] - 0.02)  # the point of the elbow
    distance = np.linalg.norm(vertices[outside] - arm.elbow, axis=1)
    assert distance.min() > 0.7 * np.linalg.norm(rest[outside] - arm.elbow, axis=1).min()
    assert distance.max() < 1.4 * np.linalg.norm(rest[outside] - arm.elbow, axis=1).max()


def test_mirrored_poses_give_a_mirrored_body():
    M = np.diag([1.0, -1.0, 1.0])
    left = arm_pose(0, about((0.3, 1.0, -0.5), 0.9), 1.1, 0.8, stretch_upper=1.1)
    right = Pose(M @ left.R_shoulder @ M, M @ left.R_elbow @ M, M @ left.R_wrist @ M, 1.1, 1.0)
    matrices = dress(human(), EYE, (left, right), ((0.3, 0.6, 0.9), (0.3, 0.6, 0.9)))
    for joint in human().joints:
        if joint.name.startswith("left_"):
            mine = matrices[human().joint(joint.name)]
            other = matrices[human().joint(joint.name.replace("left", "right"))]
            flip = np.diag([1.0, -1.0, 1.0, 1.0])
            np.testing.assert_allclose(flip @ mine @ flip, other, atol=1e-9)


def test_fingers_close_towards_the_palm():
    flat = dress(human(), EYE, (REST, REST))
    fist = dress(human(), EYE, (REST, REST), ((0.9, 2.4, 0.0), (0.0, 0.0, 2.4)))
    for side, digit, moves in (
        ("left", "index", True),
        ("left", "middle", False),
        ("right", "middle", True),
    ):
        name = f"{side}_{digit}_3"
        drop = placed(flat, name)[2] - placed(fist, name)[2]
        assert (drop > 0.02) == moves
    gap = [np.linalg.norm(placed(m, "left_thumb_3") - placed(m, "left_index_3")) for m in (flat, fist)]
    assert gap[1] < gap[0]
    # The first joint of a digit stays in the palm.
    np.testing.assert_allclose(placed(fist, "left_index_1"), placed(flat, "left_index_1"), atol=1e-12)


def test_folded_and_opposite_arms_are_finite():
    arm = human().arms[0]
    folded = Pose(np.eye(3), about(arm.elbow_axis, np.pi), about(arm.elbow_axis, np.pi))
    opposite = Pose(*[about((0, 0, 1), np.pi)] * 3)
    half = Pose(np.eye(3), np.eye(3), about(arm.fore, np.pi))
    for pose in (folded, opposite, half):
        matrices = dress(human(), EYE, (pose, REST))
        assert np.isfinite(matrices).all()
        np.testing.assert_allclose(np.abs(np.linalg.det(matrices[:, :3, :3])), 1.0, atol=1e-9)
