"""The size of a person over a robot."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.bodies.human.make import make_human
from elsewhere.errors import ModelError
from elsewhere.motion.align.fit import upper_arm_scale


def test_a_person_of_that_size_has_upper_arms_as_long_as_the_robots():
    human = make_human()
    robot = np.array([[[0, y, 1], [0.2, y, 1], [0.5, y, 1]] for y in (0.2, -0.2)])
    scale = upper_arm_scale(human.arms, robot)
    scaled = human.scaled(scale)
    assert [np.linalg.norm(arm.upper) for arm in scaled.arms] == pytest.approx([0.2, 0.2])
    assert scaled.height == pytest.approx(scale * human.height)
    assert scaled.rest == pytest.approx(scale * human.rest)


def test_a_robot_without_an_upper_arm_is_refused():
    with pytest.raises(ModelError, match="shoulder"):
        upper_arm_scale(make_human().arms, np.zeros((2, 3, 3)))
