"""The clutched mapping: AVATRINA's verification list, items (a) to (e), and jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from retarget_bench import MS, Bench, quat
from scipy.spatial.transform import Rotation


@pytest.fixture
def bench():
    return Bench()


def test_verification_a_released_hand_moves_nothing_and_pressing_moves_nothing(bench):
    before = bench.record["target_p"].copy(), bench.record["target_q"].copy()
    for i in range(20):
        bench.frame.hand_p[:] += 0.01 * i
        bench.step()
    bench.press()
    assert np.array_equal(bench.record["target_p"], before[0])
    assert np.array_equal(bench.record["target_q"], before[1])


def test_verification_b_hand_away_from_the_chest_moves_forward_whichever_way_one_faces(bench):
    bench.face(math.pi / 2)
    bench.press()
    start = bench.record["target_p"].copy()
    bench.frame.hand_p[:, 1] += 0.05  # facing +y of the room: away from the chest
    bench.settle()
    assert np.allclose(bench.record["target_p"] - start, [0.05, 0.0, 0.0], atol=1e-12)


def test_verification_c_turning_the_head_while_clutched_changes_nothing(bench):
    bench.press()
    start = bench.record["target_p"].copy()
    bench.face(1.0)
    bench.frame.hand_p[:, 0] += 0.05
    bench.settle()
    assert np.allclose(bench.record["target_p"] - start, [0.05, 0.0, 0.0], atol=1e-12)


def test_verification_d_yaw_of_the_hand_turns_about_base_z_whatever_the_tool_orientation(bench):
    bench.press()
    start = Rotation.from_quat(bench.record["target_q"][1], scalar_first=True)
    bench.frame.hand_q[:] = quat(Rotation.from_euler("z", 0.2))
    bench.settle()
    now = Rotation.from_quat(bench.record["target_q"][1], scalar_first=True)
    assert np.allclose((now * start.inv()).as_rotvec(), [0.0, 0.0, 0.2], atol=1e-12)


def test_verification_e_idle_hand_for_10_s_leaves_the_target_to_1e_9(bench):
    bench.face(0.7)
    bench.frame.hand_q[:] = quat(Rotation.from_euler("xyz", [0.4, -0.2, 1.0]))
    bench.press()
    before = bench.record["target_p"].copy(), bench.record["target_q"].copy()
    for _ in range(1000):
        bench.step()
        for _ in range(2):
            bench.now_ns += 4 * MS
            bench.tick()
    assert np.allclose(bench.record["target_p"], before[0], atol=1e-9)
    assert np.allclose(bench.record["target_q"], before[1], atol=1e-9)


def test_looking_straight_down_keeps_the_last_heading(bench):
    bench.face(0.5)
    bench.press()
    bench.press(0)
    bench.face(1.5, math.pi / 2)
    bench.press()
    assert bench.record["yaw"] == pytest.approx([0.5, 0.5])


def test_scale_halves_way_and_angle():
    bench = Bench(0.5)
    bench.press()
    start_p = bench.record["target_p"].copy()
    start = Rotation.from_quat(bench.record["target_q"][0], scalar_first=True)
    bench.frame.hand_p[:, 2] += 0.04
    bench.frame.hand_q[:] = quat(Rotation.from_rotvec([0.0, 0.3, 0.0]))
    bench.settle()
    now = Rotation.from_quat(bench.record["target_q"][0], scalar_first=True)
    assert np.allclose(bench.record["target_p"] - start_p, [0, 0, 0.02])
    assert np.allclose((now * start.inv()).as_rotvec(), [0.0, 0.15, 0.0], atol=1e-12)


def test_a_jump_of_the_tracking_does_not_move_the_target(bench):
    bench.press()
    start = bench.record["target_p"].copy()
    bench.frame.hand_p[:] += 2.0
    bench.step()
    assert np.array_equal(bench.record["target_p"], start)
    bench.frame.hand_p[:, 0] += 0.01
    bench.settle()
    assert np.allclose(bench.record["target_p"] - start, [0.01, 0, 0], atol=1e-12)


def test_lost_tracking_is_a_release(bench):
    bench.press()
    bench.frame.tracked[1] = 0
    bench.step()
    assert bench.record["engaged"].tolist() == [1, 0]
    bench.frame.hand_p[:] += 0.05
    bench.frame.tracked[1] = 1
    start = bench.record["target_p"][1].copy()
    bench.step()
    assert np.array_equal(bench.record["target_p"][1], start)


def test_release_in_mid_motion_takes_the_target_along_until_the_arm_rests(bench):
    bench.press()
    bench.palm_p[:] = [[0.4, 0.1, 0.9], [0.4, -0.1, 0.9]]
    bench.moving[:] = 1
    bench.press(0)
    assert np.array_equal(bench.record["target_p"], bench.palm_p)
    bench.moving[:] = 0
    bench.palm_p[:] += 1.0
    bench.step()
    assert bench.record["target_p"][0].tolist() == [0.4, 0.1, 0.9]


def test_another_session_starts_from_its_own_hand_pose(bench):
    bench.press()
    start = bench.record["target_p"].copy()
    bench.frame.session[0] = 2
    bench.frame.hand_p[:] += 0.02
    bench.step()
    assert np.array_equal(bench.record["target_p"], start)
    assert bench.record["engaged"].tolist() == [1, 1]


def test_fading_in_counts_only_a_share(bench):
    bench.press()
    start = bench.record["target_p"].copy()
    bench.frame.hand_p[:, 0] += 0.04
    bench.settle(gain=0.25)
    assert np.allclose(bench.record["target_p"] - start, [0.01, 0, 0], atol=1e-12)


@given(
    hand=arrays(float, (2, 3), elements=st.floats(-2, 2)), turn=arrays(float, 3, elements=st.floats(-3, 3))
)
def test_engaging_moves_no_target_wherever_the_hand_is(hand, turn):
    bench = Bench()
    before = bench.record["target_p"].copy(), bench.record["target_q"].copy()
    bench.frame.hand_p[:], bench.frame.hand_q[:] = hand, quat(Rotation.from_rotvec(turn))
    bench.step()
    bench.press()
    bench.settle()
    assert np.allclose(bench.record["target_p"], before[0], rtol=0.0, atol=1e-12)
    assert np.allclose(bench.record["target_q"], before[1], rtol=0.0, atol=1e-12)


@given(seed=st.integers(0, 1000), yaw=st.floats(-3, 3), scale=st.sampled_from([0.3, 1.0, 2.0]))
def test_the_sum_of_increments_is_the_hands_way_in_the_body_frame(seed, yaw, scale):
    """The reference: the whole way at once, in plain NumPy."""
    rng = np.random.default_rng(seed)
    bench = Bench(scale)
    bench.face(yaw)
    bench.frame.hand_p[:] = rng.normal(size=(2, 3))
    bench.press()
    start, hand = bench.record["target_p"].copy(), bench.frame.hand_p.copy()
    for _ in range(20):
        bench.frame.hand_p[:] += 0.01 * rng.normal(size=(2, 3))
        bench.step()
    bench.settle()
    way = Rotation.from_euler("z", -yaw).apply(bench.frame.hand_p - hand)
    assert np.allclose(bench.record["target_p"], start + scale * way, rtol=0.0, atol=1e-9)


def test_one_clutch_for_both_hands():
    for clutches, engaged in ((1, [1, 1]), (2, [0, 1])):
        bench = Bench(clutches=clutches)
        bench.frame.clutch[1] = 1
        bench.step()
        assert bench.record["engaged"].tolist() == engaged
        bench.frame.tracked[0] = 0
        bench.step()
        assert bench.record["engaged"].tolist() == [0, 1]
