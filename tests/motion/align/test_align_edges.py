"""Every edge case of ONIA's table: a finite pose, a status, and the stated choice."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from align_cases import LEFT, perpendicular, random_references, rotation, unit

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.errors import ModelError
from elsewhere.motion.align import AlignStatus, ArmReference, Onia, check_annotation, make_align_solver

SOLVER = Onia()
BENT = np.array([0.3, 0.4, -0.2])


def reference(u, f, hand=None):
    elbow = LEFT.shoulder + np.asarray(u, float)
    return ArmReference(elbow, elbow + np.asarray(f, float), np.eye(3) if hand is None else hand)


def solved(u, f, arm=LEFT, hand=None):
    """The pose, after checking that it is a pose at all and lies on the reference."""
    wanted = reference(u, f, hand)
    pose = SOLVER.solve(arm, wanted)
    assert np.isfinite(pose.packed).all()
    for R in (pose.R_shoulder, pose.R_elbow):
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-9
        assert np.linalg.det(R) > 0
    assert np.abs(pose.elbow(arm) - wanted.elbow).max() < 1e-9
    assert np.abs(pose.wrist(arm) - wanted.wrist).max() < 1e-9
    return pose


@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-9, 1e-7, 1e-4])
def test_antiparallel_upper_arm_turns_about_the_elbow_axis(off):
    # Straight, so that no twist hides the swing.
    u = np.array([off, -0.3, 0.0])
    pose = solved(u, 0.8 * u)
    assert pose.status == AlignStatus.STRAIGHT
    if off < 1e-9:  # undetermined: the axis is a^h, so it stays where it is
        assert pose.R_shoulder @ LEFT.elbow_axis == pytest.approx(LEFT.elbow_axis, abs=1e-9)
    # Bent, the elbow axis is the robot's, whatever the swing.
    pose = solved(u, BENT)
    axis = unit(np.cross(u, BENT))
    assert pose.R_shoulder @ LEFT.elbow_axis == pytest.approx(axis, abs=1e-9)
    assert pose.status == AlignStatus.OK


@pytest.mark.parametrize("off", [0.0, 1e-9, -1e-9, 1e-3])
def test_antiparallel_elbow_axes_turn_about_the_upper_arm(off):
    # The robot's elbow bends the other way round: half a turn about the upper arm, about no other axis.
    u = np.array([0.0, 0.3, 0.0])
    pose = solved(u, np.array([-0.2, 0.1, off]))
    assert pose.R_shoulder @ unit(LEFT.upper) == pytest.approx(unit(u), abs=1e-9)
    assert (pose.R_shoulder @ LEFT.elbow_axis) @ LEFT.elbow_axis < -0.999


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_straight_and_folded_arms_are_not_twisted(sign):
    u = np.array([0.2, 0.2, -0.1])
    pose = solved(u, sign * 0.7 * u)
    assert pose.status == (AlignStatus.STRAIGHT if sign > 0 else AlignStatus.FOLDED)
    swing = rotation(np.cross(LEFT.upper, u), np.arccos(unit(LEFT.upper) @ unit(u)))
    assert np.abs(pose.R_shoulder - swing).max() < 1e-9


def test_the_twist_fades_near_the_straight_arm():
    u, side = np.array([0.2, 0.2, -0.1]), np.array([0.3, -0.2, 0.5])
    side = perpendicular(side, u)
    bends = [1e-7, 1e-4, 2e-3, 5e-3, 9e-3, 2e-2]
    axes = [solved(u, u + bend * unit(side) * 0.3).R_shoulder @ LEFT.elbow_axis for bend in bends]
    wanted = unit(np.cross(u, side))
    angles = [np.arctan2(np.linalg.norm(np.cross(a, wanted)), a @ wanted) for a in axes]
    assert all(b <= a + 1e-12 for a, b in pairwise(angles))
    assert angles[0] > 0.1
    assert angles[-1] < 1e-9


def test_an_elbow_axis_along_the_upper_arm_gives_no_twist_and_a_warning():
    arm = HumanArm(LEFT.shoulder, LEFT.elbow, LEFT.wrist, unit(LEFT.upper), LEFT.wrist_vector)
    u = np.array([0.2, 0.2, -0.1])
    pose = solved(u, BENT, arm)
    swing = rotation(np.cross(LEFT.upper, u), np.arccos(unit(LEFT.upper) @ unit(u)))
    assert np.abs(pose.R_shoulder - swing).max() < 1e-9
    with pytest.warns(UserWarning, match="lies along the upper arm"):
        assert not check_annotation(arm)
    assert check_annotation(LEFT)
    solved(-LEFT.upper, BENT, arm)  # nothing left to choose the axis by: the fixed rule


@pytest.mark.parametrize("name", ["onia", "dls", "fabrik", "bounded"])
@pytest.mark.parametrize(
    ("u", "f"),
    [
        ((0, 0, 0), BENT),
        (BENT, (0, 0, 0)),
        ((0, 0, 0), (0, 0, 0)),
        ((1e-5, 0, 0), BENT),
        ((np.inf, 0, 0), BENT),
    ],
)
def test_a_segment_without_length_gives_the_default_pose(name, u, f):
    solver = make_align_solver(name)
    state = solver.init(LEFT)
    before = state.copy()
    pose = solver.solve(LEFT, reference(u, f), state)
    assert pose.status == AlignStatus.DEGENERATE
    assert np.array_equal(pose.R_shoulder, np.eye(3))
    assert np.array_equal(pose.R_elbow, np.eye(3))
    assert (pose.stretch_upper, pose.stretch_fore) == (1.0, 1.0)
    assert np.array_equal(state, before)  # a bad frame does not spoil the next


def test_a_model_without_length_is_refused():
    with pytest.raises(ModelError, match="forearm"):
        HumanArm(LEFT.shoulder, LEFT.elbow, LEFT.elbow, LEFT.elbow_axis, LEFT.wrist_vector)
    packed = LEFT.packed.copy()
    packed[6:9] = packed[3:6]  # past the check: still no NaN
    out = np.empty(30)
    SOLVER.solve_into(packed, reference(BENT, BENT[::-1]).packed, out)
    assert out[29] == AlignStatus.DEGENERATE
    assert np.isfinite(out).all()


@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-8, 1e-6])
def test_a_forearm_that_points_the_other_way_turns_about_the_elbow_axis(off):
    # R_s d_f^h is along the upper arm for a T-pose model: the folded robot is antiparallel to it.
    u = np.array([0.0, 0.0, -0.3])
    pose = solved(u, np.array([off, 0.0, 0.25]))
    assert pose.status == AlignStatus.FOLDED
    axis = pose.R_shoulder @ LEFT.elbow_axis
    if off < 1e-9:
        # alpha 0, so that the forearm's own twist does not hide the swing
        pose = Onia(alpha=0.0).solve(LEFT, reference(u, (off, 0.0, 0.25)))
        assert pose.R_elbow @ LEFT.elbow_axis == pytest.approx(axis, abs=1e-9)
    # A model whose default forearm is bent back: antiparallel while the robot's own axis is well defined.
    u, f = np.array([0.3, 0.0, 0.0]), np.array([0.15, 0.0, -0.2])
    a = unit(np.cross(u, f))
    arm = HumanArm(LEFT.shoulder, LEFT.shoulder + u, LEFT.shoulder + u - f, a, a)
    wanted = ArmReference(arm.shoulder + u, arm.shoulder + u + f, np.eye(3))
    pose = Onia(alpha=0.0).solve(arm, wanted)
    assert pose.R_elbow @ a == pytest.approx(a, abs=1e-9)
    assert pose.R_elbow @ arm.fore == pytest.approx(f, abs=1e-9)


def test_a_wrist_bent_by_a_right_angle_does_not_twist_the_forearm():
    f = unit(np.array([0.3, 0.1, -0.2]))
    for off in (0.0, 1e-9):
        # The palm normal is turned onto the forearm: no twist is to be seen.
        hand = rotation(np.cross(LEFT.wrist_vector, f), np.arccos(LEFT.wrist_vector @ f) + off)
        pose = solved(BENT, 0.3 * f, hand=hand)
        none = Onia(alpha=0.0).solve(LEFT, reference(BENT, 0.3 * f, hand))
        assert np.abs(pose.R_elbow - none.R_elbow).max() < 1e-6
    # Through the fade the forearm turns on, without a jump.
    side = perpendicular(np.array([0.1, 0.9, 0.3]), f)
    turned = []
    for lift in np.linspace(-0.08, 0.08, 801):
        normal = unit(f + lift * unit(side))
        hand = rotation(np.cross(LEFT.wrist_vector, normal), np.arccos(LEFT.wrist_vector @ normal))
        turned.append(solved(BENT, 0.3 * f, hand=hand).R_elbow.copy())
    steps = np.linalg.norm(np.diff(turned, axis=0), axis=(1, 2))
    assert steps.max() < 0.02


def test_the_forearm_jumps_only_where_the_wrist_is_half_a_turn_round():
    f = np.array([0.2, 0.1, -0.2])
    base = Onia(alpha=0.0).solve(LEFT, reference(BENT, f)).R_elbow
    by = {}
    for degrees in (170.0, 179.9, 180.1, 190.0):
        hand = rotation(f, np.radians(degrees)) @ base
        pose = solved(BENT, f, hand=hand)
        turned = pose.R_elbow @ base.T
        twice_sine = [turned[i, j] - turned[j, i] for i, j in ((2, 1), (0, 2), (1, 0))]
        by[degrees] = np.degrees(np.arctan2(unit(f) @ twice_sine, np.trace(turned) - 1.0))
    assert by[170.0] == pytest.approx(68.0, abs=1e-6)
    assert by[179.9] == pytest.approx(71.96, abs=1e-6)
    assert by[180.1] == pytest.approx(-71.96, abs=1e-6)  # stated: 0.4 of the shorter way round
    assert by[190.0] == pytest.approx(-68.0, abs=1e-6)


@pytest.mark.parametrize("name", ["onia", "dls", "fabrik", "bounded"])
def test_nothing_that_is_not_a_number_comes_out(name):
    solver = make_align_solver(name)
    state = solver.init(LEFT)
    good = random_references(np.random.default_rng(0), 1)[0]
    for k in range(15):
        for value in (np.nan, np.inf, -np.inf):
            row = good.copy()
            row[k] = value
            pose = solver.solve(LEFT, ArmReference.unpack(row), state)
            assert pose.status == AlignStatus.DEGENERATE
            assert np.isfinite(pose.packed).all()
    assert solver.solve(LEFT, ArmReference.unpack(good), state).status == AlignStatus.OK


def test_a_hand_that_is_no_rotation_is_refused():
    for hand in (np.zeros((3, 3)), 2.0 * np.eye(3), np.diag([1.0, 1.0, -1.0]), np.ones((3, 3))):
        pose = SOLVER.solve(LEFT, reference(BENT, BENT[::-1], hand))
        assert pose.status == AlignStatus.DEGENERATE
        assert np.array_equal(pose.R_wrist, np.eye(3))


def test_references_of_a_wrong_shape_are_named():
    with pytest.raises(ModelError, match=r"hand .* shape \(3, 3\)"):
        ArmReference(np.zeros(3), np.zeros(3), np.zeros(4))
    assert ArmReference(np.zeros(3), np.zeros(3), np.eye(3)).shoulder is None
