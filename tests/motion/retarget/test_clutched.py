"""The clutched mapping: AVATRINA's verification list, items a to e, and jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from elsewhere.motion.retarget.clutched import Clutched
from elsewhere.records import FRAME, Views, zeros

MS = 1_000_000


def quat(rotation):
    return rotation.as_quat(scalar_first=True)


class Bench:
    def __init__(self, scale=1.0):
        self.map = Clutched(scale)
        self.record = np.zeros((), Clutched.STATE)
        self.state = Views(self.record)
        self.frame = Views(zeros(FRAME))
        self.moving = np.zeros(2, np.int64)
        self.palm_p, self.palm_q = np.zeros((2, 3)), np.zeros((2, 4))
        self.palm_q[:, 0] = 1.0
        self.state.target_p[:] = [[0.5, 0.2, 1.0], [0.5, -0.2, 1.0]]
        self.state.target_q[:] = quat(Rotation.from_euler("xyz", [0.3, 1.2, -0.4]))
        self.frame.tracked[:] = 1
        self.t = 0

    def step(self, valid=True, gain=1.0, fresh=True):
        if fresh:
            self.t += 10
            self.frame.seq[0] += np.uint64(1)
            self.frame.sampled_ns[0] = self.t * MS
        self.map.step(self.state, self.frame, valid, gain, self.moving, self.palm_p, self.palm_q)

    def face(self, yaw, pitch=0.0):
        self.frame.head_q[:] = quat(Rotation.from_euler("ZY", [yaw, pitch]))

    def press(self, on=1):
        self.frame.clutch[:] = on
        self.step()


@pytest.fixture
def bench():
    return Bench()


def test_released_hand_moves_nothing_and_pressing_moves_nothing(bench):
    before = bench.record["target_p"].copy(), bench.record["target_q"].copy()
    for i in range(20):
        bench.frame.hand_p[:] += 0.01 * i
        bench.step()
    bench.press()
    assert np.array_equal(bench.record["target_p"], before[0])
    assert np.array_equal(bench.record["target_q"], before[1])


def test_hand_away_from_the_chest_moves_forward_whichever_way_one_faces(bench):
    bench.face(math.pi / 2)
    bench.press()
    start = bench.record["target_p"].copy()
    bench.frame.hand_p[:, 1] += 0.05  # facing +y of the room: away from the chest
    bench.step()
    assert np.allclose(bench.record["target_p"] - start, [0.05, 0.0, 0.0], atol=1e-12)


def test_turning_the_head_while_clutched_changes_nothing(bench):
    bench.press()
    start = bench.record["target_p"].copy()
    bench.face(1.0)
    bench.frame.hand_p[:, 0] += 0.05
    bench.step()
    assert np.allclose(bench.record["target_p"] - start, [0.05, 0.0, 0.0], atol=1e-12)


def test_yaw_of_the_hand_turns_about_base_z_whatever_the_tool_orientation(bench):
    bench.press()
    start = Rotation.from_quat(bench.record["target_q"][1], scalar_first=True)
    bench.frame.hand_q[:] = quat(Rotation.from_euler("z", 0.2))
    bench.step()
    now = Rotation.from_quat(bench.record["target_q"][1], scalar_first=True)
    assert np.allclose((now * start.inv()).as_rotvec(), [0.0, 0.0, 0.2], atol=1e-12)


def test_idle_hand_leaves_the_target_to_1e_9(bench):
    bench.face(0.7)
    bench.frame.hand_q[:] = quat(Rotation.from_euler("xyz", [0.4, -0.2, 1.0]))
    bench.press()
    before = bench.record["target_p"].copy(), bench.record["target_q"].copy()
    for _ in range(1000):
        bench.step()
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
    bench.step()
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
    bench.step()
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
    bench.step(gain=0.25)
    assert np.allclose(bench.record["target_p"] - start, [0.01, 0, 0], atol=1e-12)
