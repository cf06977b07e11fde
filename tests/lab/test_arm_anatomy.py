"""Joint angles of a person's arm from the rotations of its bones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.lab.arm_anatomy import anatomy


def turn(axis, angle):
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


ARM = HumanArm((0, 0.2, 1.4), (0, 0.5, 1.4), (0, 0.75, 1.4), (0, 0, -1), (0, 0, -1))
# The left arm points to y; about -z the forearm turns from y to x: forward.


@given(
    swing=st.floats(0.0, 3.0),
    towards=st.floats(0, 6.28),
    twist=st.floats(-3.0, 3.0),
    hinge=st.floats(-3, 3),
)
def test_angles_are_those_it_was_bent_by(swing, towards, twist, hinge):
    axis = (np.cos(towards), 0.0, np.sin(towards))
    R_s = turn(axis, swing) @ turn((0, 1, 0), twist)
    R_e = R_s @ turn(ARM.elbow_axis, hinge)
    found = anatomy(ARM, R_s, R_e)
    assert found.swing == pytest.approx(swing, abs=1e-6)
    assert found.twist == pytest.approx(twist, abs=1e-6)
    assert found.hinge == pytest.approx(hinge, abs=1e-6)


def test_what_is_beyond_the_limits_is_told_in_each():
    R_s = turn((1, 0, 0), np.radians(95.0)) @ turn((0, 1, 0), np.radians(-80.0))
    R_e = R_s @ turn(ARM.elbow_axis, np.radians(-20.0))
    assert np.degrees(anatomy(ARM, R_s, R_e).over) == pytest.approx([10.0, 5.0, 20.0])
    assert anatomy(ARM, R_s, R_e).broken == (True, True, True)
    assert np.degrees(
        anatomy(ARM, np.eye(3), turn(ARM.elbow_axis, np.radians(160.0))).over[2]
    ) == pytest.approx(10.0)
    assert anatomy(ARM, np.eye(3), np.eye(3)).over == (0.0, 0.0, 0.0)
    assert anatomy(ARM, R_s, R_e).over_deg == pytest.approx(20.0)


def test_a_moved_arm_has_the_same_angles():
    R = turn((1, 2, 3), 0.8)
    R_s, local = turn((0.3, 0, 1), 0.7) @ turn((0, 1, 0), 0.4), turn(ARM.elbow_axis, 1.1)
    first = anatomy(ARM, R_s, R_s @ local)
    moved = anatomy(ARM.moved(R, (1, 2, 3)), R @ R_s @ R.T, R @ R_s @ local @ R.T)
    assert (first.swing, first.twist, first.hinge) == pytest.approx((moved.swing, moved.twist, moved.hinge))
