"""What a scripted operator sees, in the frame of the avatar's base."""

from __future__ import annotations

import math

import numpy as np
import pytest

from elsewhere.errors import UnknownNameError
from elsewhere.messages import SceneDescription, ThingDescription
from elsewhere.operator.eyes import Eyes
from elsewhere.operator.scripted import ScriptedOperator
from elsewhere.operator.scripts.task import downward
from elsewhere.spatial.minimum_jerk import difference, turned

UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def thing(name, position, orientation=UPRIGHT):
    return ThingDescription(name, "block", position, orientation, (0.03, 0.02, 0.01))


@pytest.fixture
def eyes():
    return Eyes(
        SceneDescription("somewhere", 0, [thing("a", (1.0, 2.0, 0.5)), thing("b", (0.0, 0.0, 0.1))])
    )


def test_things_are_seen_from_where_the_avatar_stands(eyes):
    eyes.base_pose = (1.0, 1.0, 0.5 * math.pi)  # the thing is one metre straight ahead
    seen = eyes.find("a")
    assert seen.p == pytest.approx((1.0, 0.0, 0.5))
    assert seen.yaw == pytest.approx(-0.5 * math.pi)
    assert (seen.top, seen.bottom) == pytest.approx((0.51, 0.49))


def test_axes_are_those_of_the_orientation(eyes):
    rng = np.random.default_rng(4)
    for _ in range(20):
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        eyes.look([thing("a", (0.0, 0.0, 0.0), tuple(q))])
        seen = eyes.find("a")
        rotation = np.stack([seen.axis(i) for i in range(3)], axis=1)
        assert np.allclose(rotation.T @ rotation, np.eye(3))
        assert np.linalg.det(rotation) == pytest.approx(1.0)
        vector = difference(q, np.array(UPRIGHT))
        angle, axis = np.linalg.norm(vector), vector / np.linalg.norm(vector)
        assert np.allclose(rotation @ axis, axis)
        assert np.trace(rotation) == pytest.approx(1.0 + 2.0 * math.cos(angle))


def test_a_look_changes_only_what_was_seen(eyes):
    eyes.look([thing("a", (3.0, 0.0, 0.5))])
    assert eyes.find("a").p[0] == 3.0
    assert eyes.find("b").p[2] == 0.1


def test_a_scene_without_the_things_of_a_task_is_said(eyes):
    with pytest.raises(UnknownNameError, match=r"no thing in this scene 'c'.*a, b"):
        eyes.find("c")
    with pytest.raises(UnknownNameError, match="block_red"):
        ScriptedOperator(SceneDescription("somewhere", 0, [thing("a", (0.0, 0.0, 0.0))]))


def test_a_palm_points_down_by_the_shortest_turn():
    now = downward(np.array(UPRIGHT), 0.3)
    for quarter in range(4):
        near = turned(now, np.array((0.0, 0.0, 0.2 + 0.5 * math.pi * quarter)))
        down = downward(near, 0.3)
        assert np.linalg.norm(difference(down, near)) == pytest.approx(0.2)
