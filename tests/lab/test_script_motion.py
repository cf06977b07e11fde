"""Scripts as motion at 100 Hz, a viewer's head, and the frames at which a robot stands."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.bodies.compose import compose
from elsewhere.errors import ScriptError
from elsewhere.lab.overlay_session import frontal, session, standing
from elsewhere.lab.script_motion import motion_of
from elsewhere.lab.swaying_head import swaying_head
from elsewhere.motion.script import load_script
from elsewhere.rig import load_rig

SHOULDERS = np.array([[0.1, 0.15, 1.4], [0.1, -0.15, 1.4]])


@pytest.fixture(scope="module")
def robot():
    return compose(load_rig("overlay"))


def test_the_robot_is_at_each_pose_at_the_end_of_its_stay(robot):
    script = load_script("poses")
    home = np.array([arm.home for arm in robot.arms])
    motion = motion_of(script, robot, home)
    assert len(motion.stays) == 12
    assert len(motion.q) == motion.stays[-1] + 1
    for frame, waypoint in zip(motion.stays, script.waypoints, strict=True):
        assert np.allclose(motion.q[frame], waypoint.joints)
        assert np.allclose(motion.opening[frame], waypoint.opening)
    # It leaves its home without a step, and stays within the speeds of the arm.
    assert np.abs(motion.q[0] - home).max() < 1e-4
    speed = np.abs(np.diff(motion.q, axis=0)) * 100
    assert (speed <= robot.arms[0].limits.velocity).all()


def test_without_a_start_a_script_begins_in_its_first_pose(robot):
    script = load_script("therapy")
    motion = motion_of(script, robot)
    assert np.allclose(motion.q[0], script.waypoints[0].joints)


def test_another_robot_is_refused(body):
    with pytest.raises(ScriptError, match="yumi"):
        motion_of(load_script("poses"), body)


def test_poses_of_a_session_are_where_it_stands(robot):
    motion = motion_of(load_script("poses"), robot, np.array([arm.home for arm in robot.arms]))
    found = standing(session("", motion.q, motion.opening))
    assert len(found) == 12
    for frame, stay in zip(found, motion.stays, strict=True):
        assert stay - 150 < frame <= stay
    moving = session("", np.cumsum(np.full((300, 2, 7), 0.01), axis=0), np.zeros((300, 2)))
    assert standing(moving)[0] == 0
    assert standing(moving)[-1] == 299
    assert standing(moving.taken(slice(0, 1))) == [0]


def test_a_frame_that_was_read_twice_breaks_no_stay():
    still = session("", np.zeros((200, 2, 7)), np.zeros((200, 2)))
    still.time[50] = still.time[49]
    assert standing(still) == [99]


def test_a_head_moves_smoothly_and_the_same_for_the_same_seed():
    eye, turn = swaying_head(SHOULDERS, 500, 100, 4)
    again, _ = swaying_head(SHOULDERS, 500, 100, 4)
    other, _ = swaying_head(SHOULDERS, 500, 100, 5)
    assert np.array_equal(eye, again)
    assert not np.allclose(eye, other)
    assert np.abs(np.diff(eye, axis=0)).max() * 100 < 1.0  # m/s
    assert np.abs(eye - frontal(SHOULDERS)[0]).max() < 0.5
    assert np.abs(eye - eye[0]).max() > 0.02
    assert np.allclose(np.linalg.norm(turn, axis=1), 1.0)
