"""The robot as triangles: which are an arm, and that they go where the model goes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from elsewhere.bodies.compose import compose
from elsewhere.errors import RigError
from elsewhere.lab.overlay_ratio import LEFT_ARM, NO_ARM, RIGHT_ARM
from elsewhere.lab.overlay_stage import RobotMesh
from elsewhere.rig import load_rig


@pytest.fixture(scope="module")
def robot():
    return RobotMesh(compose(load_rig("overlay")))


def extent(mesh, label):
    points = mesh.points[np.unique(mesh.faces[mesh.labels == label])]
    return points.min(axis=0), points.max(axis=0)


def home(robot):
    return np.array([arm.home for arm in robot.arms])


def test_arms_are_on_their_sides_and_reach_to_the_palm(robot):
    q = home(robot)
    mesh = robot.posed(q, np.ones(2))
    for label, side, sign in ((LEFT_ARM, 0, 1.0), (RIGHT_ARM, 1, -1.0)):
        low, high = extent(mesh, label)
        assert sign * (low[1] + high[1]) > 0.1
        palm = robot.arms[side].palm(q[side])[1]
        assert (palm > low - 0.03).all()
        assert (palm < high + 0.03).all()
    assert (mesh.labels == NO_ARM).sum() > 100


def test_only_what_the_joints_move_is_an_arm(robot):
    still = robot.posed(home(robot), np.ones(2)).points.copy()
    mesh = robot.posed(home(robot) + 0.3, np.ones(2))
    moved = np.linalg.norm(mesh.points - still, axis=1) > 1e-6
    of_point = np.zeros(len(mesh.points), int)
    for k in range(3):
        of_point[mesh.faces[:, k]] = mesh.labels
    assert not moved[of_point == NO_ARM].any()
    assert (
        moved[(of_point == LEFT_ARM) | (of_point == RIGHT_ARM)].mean() > 0.98
    )  # but for a few on the first axis


def test_an_open_gripper_is_wider(robot):
    wide = robot.posed(home(robot), np.ones(2)).points.copy()
    shut = robot.posed(home(robot), np.zeros(2)).points
    way = np.linalg.norm(wide - shut, axis=1)
    assert way.max() == pytest.approx(0.025)  # half of 50 mm a finger
    assert (way > 0).mean() < 0.2


def test_points_are_where_mujoco_puts_them(robot):
    body = compose(load_rig("overlay"))
    data = mujoco.MjData(body.model)
    body.go_home(body.model, data)
    mujoco.mj_kinematics(body.model, data)
    mesh = robot.posed(home(robot), np.ones(2))
    # A link's points lie within its bounding sphere.
    at = 0
    for geom in robot._geoms:
        count = int((robot._owner == np.searchsorted(robot._geoms, geom)).sum())
        middle, radius = data.geom_xpos[geom], body.model.geom_rbound[geom]
        if radius > 0:
            assert (
                np.linalg.norm(mesh.points[at : at + count] - middle, axis=1).max() < 1.01 * radius + 1e-3
            )
        at += count


def test_a_robot_with_one_arm_is_refused():
    with pytest.raises(RigError, match="one arm"):
        RobotMesh(compose(load_rig("one-arm")))
