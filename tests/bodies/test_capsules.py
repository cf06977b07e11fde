"""Capsules cover a body's collision shapes, and their distances are right."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.bodies import _capsule_kernels as kernels
from elsewhere.bodies.capsules import Capsules, scratch
from elsewhere.bodies.compose import compose
from elsewhere.rig import load_rig


@pytest.fixture(scope="module")
def capsules(body):
    return Capsules.from_body(body)


def random_joints(body, rng):
    q = np.zeros((2, 8))
    for side, arm in enumerate(body.arms):
        if arm:
            q[side, : arm.chain.n] = rng.uniform(arm.limits.lower, arm.limits.upper)
    return q


def put(body, data, q):
    """Put the arms in a MuJoCo state to joints q, the rest at home."""
    body.go_home(body.model, data)
    for side, arm in enumerate(body.arms):
        for joint, name in enumerate(arm.joints if arm else ()):
            data.qpos[body.model.joint(name).qposadr[0]] = q[side, joint]
    mujoco.mj_kinematics(body.model, data)


# --- the plain reference -----------------------------------------------------------------------------


def point_to_segment(point, segment):
    start, along = segment[0], segment[1] - segment[0]
    square = along @ along
    share = np.clip((point - start) @ along / square, 0.0, 1.0) if square > 0.0 else 0.0
    return np.linalg.norm(point - start - share * along)


def distance_reference(a, b):
    """Least of the four ends against the other segment, and of the two lines where both are inside."""
    least = min(
        *(point_to_segment(point, b) for point in a),
        *(point_to_segment(point, a) for point in b),
    )
    u, v = a[1] - a[0], b[1] - b[0]
    shares, *_ = np.linalg.lstsq(np.array([u, -v]).T, b[0] - a[0], rcond=None)
    if ((shares >= 0.0) & (shares <= 1.0)).all():
        least = min(least, np.linalg.norm(a[0] + shares[0] * u - b[0] - shares[1] * v))
    return least


def placed_reference(body, capsules, q):
    """End points of all capsules by MuJoCo's own kinematics."""
    data = mujoco.MjData(body.model)
    put(body, data, q)
    ends = capsules.ends.copy()
    for m, (side, link) in enumerate(zip(capsules.side, capsules.link, strict=True)):
        if link >= 0:
            joint = body.model.joint(body.arms[side].joints[link])
            frame = int(joint.bodyid[0])
            R = data.xmat[frame].reshape(3, 3)
            ends[m] = ends[m] @ R.T + data.xpos[frame] + R @ joint.pos
    return ends


# --- tests -------------------------------------------------------------------------------------------

coordinate = st.one_of(st.floats(-1.0, 1.0), st.sampled_from([0.0, 0.5, 1.0]))
segments = st.lists(coordinate, min_size=6, max_size=6).map(lambda x: np.array(x).reshape(2, 3))


@given(segments, segments)
def test_distance_of_segments_agrees_with_brute_force(a, b):
    s, t, distance = kernels.nearest(a, b)
    assert 0.0 <= s <= 1.0
    assert 0.0 <= t <= 1.0
    assert distance == pytest.approx(distance_reference(a, b), abs=1e-9)
    assert kernels.nearest(b, a)[2] == pytest.approx(distance, abs=1e-9)


@given(segments, st.floats(-1.5, 1.5), st.floats(0.0, 1.0), st.sampled_from([0.0, 1e-12, 1e-9, 1e-6]))
def test_distance_of_parallel_and_nearly_parallel_segments(a, along, aside, tilt):
    b = a + along * (a[1] - a[0]) + aside * np.array([0.3, -0.2, 0.5])
    b[1] += tilt * np.array([0.1, 0.7, -0.4])
    assert kernels.nearest(a, b)[2] == pytest.approx(distance_reference(a, b), abs=1e-9)


def test_a_point_is_a_segment():
    point, segment = np.array([[0.0, 0.0, 1.0]] * 2), np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    assert kernels.nearest(point, segment) == pytest.approx((0.0, 0.5, 1.0))
    assert kernels.nearest(segment, point) == pytest.approx((0.5, 0.0, 1.0))
    assert kernels.nearest(point, point)[2] == 0.0


def test_placing_and_least_gap_agree_with_the_reference(body, capsules):
    rng = np.random.default_rng(0)
    for _ in range(10):
        q = random_joints(body, rng)
        ends, expected = capsules.ends.copy(), placed_reference(body, capsules, q)
        kernels.place(capsules.arms, capsules.shapes, q, scratch(), ends)
        assert np.allclose(ends, expected, atol=1e-9)
        gaps = [
            distance_reference(expected[a], expected[b]) - capsules.radius[a] - capsules.radius[b]
            for a, b in capsules.pairs
        ]
        least, _ = capsules.least_gap(q)
        assert least == pytest.approx(min(gaps), abs=1e-9)


def test_levers_bound_every_distance_to_a_joint(body, capsules):
    rng = np.random.default_rng(1)
    for _ in range(50):
        frames, ends = scratch(), capsules.ends.copy()
        kernels.place(capsules.arms, capsules.shapes, random_joints(body, rng), frames, ends)
        for m in np.flatnonzero(capsules.link >= 0):
            joints = slice(0, capsules.link[m] + 1)
            origins = frames[1][capsules.side[m], joints]
            far = np.linalg.norm(ends[m][:, None] - origins[None], axis=2).max(axis=0)
            assert (far <= capsules.lever[m, joints] + 1e-9).all()


def close_hands(body, data, share):
    """Bend every finger by a share of its range, coupled joints as they are coupled."""
    model = body.model
    for joint in range(model.njnt):
        if "_hand_" in model.joint(joint).name:
            low, high = model.jnt_range[joint]
            data.qpos[model.jnt_qposadr[joint]] = low + share * (high - low)
    for eq in np.flatnonzero(model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)):
        follower, leader = (model.jnt_qposadr[i] for i in (model.eq_obj1id[eq], model.eq_obj2id[eq]))
        data.qpos[follower] = np.polynomial.polynomial.polyval(data.qpos[leader], model.eq_data[eq, :5])
    mujoco.mj_kinematics(model, data)


@pytest.mark.parametrize("closed", [0.0, 0.3, 0.6, 1.0])
def test_wherever_physics_finds_a_contact_the_capsules_overlap(body, capsules, closed):
    rng, model = np.random.default_rng(2), body.model
    data, contacts = mujoco.MjData(model), 0
    for _ in range(1000):
        q = random_joints(body, rng)
        put(body, data, q)
        close_hands(body, data, closed)
        mujoco.mj_collision(model, data)
        if data.ncon:
            contacts += 1
            assert capsules.least_gap(q)[0] <= 1e-6
    assert contacts > 250


def test_nothing_is_near_at_home_or_in_the_neutral_pose(body, capsules):
    for pose in ("home", "neutral"):
        q = np.zeros((2, 8))
        for side, arm in enumerate(body.arms):
            q[side, :7] = getattr(arm, pose)
        assert capsules.least_gap(q)[0] > 0.1
    assert capsules.usual.min() > 0.1


def test_pairs_are_of_different_things(capsules):
    for a, b in capsules.pairs:
        assert not capsules.side[a] == capsules.side[b] == kernels.FIXED
        if capsules.side[a] == capsules.side[b]:
            assert abs(capsules.link[a] - capsules.link[b]) >= 3


def test_a_sliding_jaw_is_covered_open_and_closed(capsules):
    jaws = [i for i, name in enumerate(capsules.names) if name == "right_hand_finger1"]
    middles = capsules.ends[jaws].mean(axis=1)
    assert len(jaws) == 2
    assert np.linalg.norm(middles[1] - middles[0]) == pytest.approx(0.07, abs=1e-6)


def test_groups_and_blocks_hold_every_capsule_and_pair_once(capsules):
    covered = [m for first, last in capsules.groups for m in range(first, last)]
    assert covered == [*range(len(capsules.names))]
    pairs = [i for first, last, *_ in capsules.blocks for i in range(first, last)]
    assert pairs == [*range(len(capsules.pairs))]
    for first, last, a, b in capsules.blocks:
        for i in range(first, last):
            for member, group in zip(capsules.pairs[i], (a, b), strict=True):
                assert capsules.groups[group, 0] <= member < capsules.groups[group, 1]
    for (first, last), ball in zip(capsules.groups, capsules.ball, strict=True):
        ends = capsules.ends[first:last].reshape(-1, 3)
        far = np.linalg.norm(ends - ends.mean(axis=0), axis=1) + capsules.radius[first:last].repeat(2)
        assert far.max() <= ball + 1e-12


def test_a_rig_with_one_arm_has_pairs_of_that_arm_only():
    body = compose(load_rig("one-arm"))
    capsules = Capsules.from_body(body)
    assert set(capsules.side.tolist()) == {1, kernels.FIXED}
    assert len(capsules.pairs) > 50
    q = np.zeros((2, 8))
    q[1, :7] = body.arms[1].home
    assert capsules.least_gap(q)[0] > 0.1
