from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from elsewhere.presence.tracking.camera import from_graphics
from elsewhere.presence.tracking.pose import Pose, inverse

position = arrays(float, 3, elements=st.floats(-5.0, 5.0))
turn = arrays(float, 3, elements=st.floats(-1.7, 1.7))  # shorter than pi: one way round
HERE = Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


def pose(p: np.ndarray, w: np.ndarray) -> Pose:
    return HERE.plus(np.concatenate([p, w]))


@given(position, turn, position, turn)
def test_the_difference_of_two_poses_leads_from_one_to_the_other(p, w, other_p, other_w) -> None:
    one, two = pose(p, w), pose(other_p, other_w)
    assert np.allclose(one.plus(two.minus(one)).T, two.T, atol=1e-9)
    assert np.allclose(one.minus(one), 0.0, atol=1e-9)


@given(position, turn)
def test_matrix_and_pose_are_the_same(p, w) -> None:
    one = pose(p, w)
    assert np.allclose(Pose.of(one.T).T, one.T, atol=1e-12)
    assert np.allclose(inverse(one.T) @ one.T, np.eye(4), atol=1e-12)


def test_an_eye_of_graphics_looks_the_same_way() -> None:
    T_world_eye = pose(np.array([1.0, 2.0, 3.0]), np.array([0.3, -0.2, 0.5])).T
    T_world_camera = from_graphics(T_world_eye)
    assert np.allclose(T_world_camera[:3, 2], -T_world_eye[:3, 2])  # forward
    assert np.allclose(T_world_camera[:3, 1], -T_world_eye[:3, 1])  # down
    assert np.allclose(T_world_camera[:3, [0, 3]], T_world_eye[:3, [0, 3]])
    assert np.isclose(np.linalg.det(T_world_camera[:3, :3]), 1.0)
