"""The absolute mapping: the hand's pose is the palm's target, reached without a jump."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from retarget_bench import Bench, quat
from scipy.spatial.transform import Rotation

from elsewhere.motion.retarget.absolute import Absolute

HOME = np.array([[0.45, 0.25, 1.0], [0.45, -0.25, 1.0]])
FADE_S = 0.4


def bench(**settings):
    return Bench(mapping=Absolute, home_p=HOME, fade_s=FADE_S, **settings)


def finish(b):
    """Past the fade, with the hand at rest."""
    for _ in range(8):
        b.settle()


@given(
    hand=arrays(float, (2, 3), elements=st.floats(-2, 2)), turn=arrays(float, 3, elements=st.floats(-3, 3))
)
def test_engaging_jumps_nowhere_wherever_the_hand_is(hand, turn):
    b = bench()
    before = b.record["target_p"].copy(), b.record["target_q"].copy()
    b.step()
    b.frame.hand_p[:], b.frame.hand_q[:] = hand, quat(Rotation.from_rotvec(turn))
    b.press()
    assert np.array_equal(b.record["target_p"], before[0])
    assert np.array_equal(b.record["target_q"], before[1])
    last = before[0]
    for _ in range(60):
        b.now_ns += 4_000_000
        b.frame.sampled_ns[0] += 4_000_000
        b.frame.seq[0] += np.uint64(1)
        b.tick()
        # One tick is a hundredth of the fade: at most that share of the whole way.
        assert np.linalg.norm(b.record["target_p"] - last, axis=1).max() < 0.011 * 6.0
        last = b.record["target_p"].copy()


@pytest.mark.parametrize("yaw", [0.0, 1.2, -2.5])
def test_the_palms_are_where_the_hands_are_seen_from_home(yaw):
    b = bench()
    rng = np.random.default_rng(3)
    room = Rotation.from_euler("z", yaw)
    b.face(yaw)
    home = rng.normal(size=(2, 3))
    b.frame.hand_p[:] = home
    b.press()
    finish(b)
    hands = home + 0.1 * rng.normal(size=(2, 3))
    turns = Rotation.from_rotvec(rng.normal(size=(2, 3)))
    for share in np.linspace(0, 1, 30):
        b.frame.hand_p[:] = home + share * (hands - home)
        b.step()
    b.frame.hand_q[:] = quat(turns)
    finish(b)
    expected = HOME.mean(axis=0) + room.inv().apply(hands - home.mean(axis=0))
    assert np.allclose(b.record["target_p"], expected, atol=1e-9)
    got = Rotation.from_quat(b.record["target_q"], scalar_first=True)
    assert (got * (room.inv() * turns).inv()).magnitude().max() < 1e-9
    # Two hands keep their distance, so that what both hold fits.
    apart = np.linalg.norm(b.record["target_p"][0] - b.record["target_p"][1])
    assert apart == pytest.approx(np.linalg.norm(hands[0] - hands[1]), abs=1e-9)


def test_halfway_through_the_fade_the_target_is_halfway():
    b = bench()
    b.press()
    start_p = b.record["target_p"].copy()
    start_q = Rotation.from_quat(b.record["target_q"][1], scalar_first=True)
    for _ in range(round(0.5 * FADE_S / 0.004)):
        b.now_ns += 4_000_000
        b.tick()
    goal = np.array([HOME.mean(axis=0)] * 2)
    assert np.allclose(b.record["target_p"], 0.5 * (start_p + goal), atol=1e-9)
    now = Rotation.from_quat(b.record["target_q"][1], scalar_first=True)
    assert (now * start_q.inv()).magnitude() == pytest.approx(0.5 * start_q.magnitude(), abs=1e-9)


def test_lost_tracking_releases_and_coming_back_fades_again():
    b = bench()
    b.press()
    finish(b)
    held = b.record["target_p"].copy()
    b.frame.tracked[1] = 0
    b.step()
    assert b.record["engaged"].tolist() == [1, 0]
    b.frame.hand_p[1] += 0.5
    b.frame.tracked[1] = 1
    b.step()
    assert np.array_equal(b.record["target_p"][1], held[1])
    assert b.record["blend"][1] == 0.0
    b.step()
    assert np.linalg.norm(b.record["target_p"][1] - held[1]) < 0.02


def test_rehoming_fades_to_the_new_home():
    b = bench()
    b.press()
    finish(b)
    b.frame.hand_p[:] += [0.1, 0.0, 0.0]
    finish(b)
    moved = b.record["target_p"].copy()
    b.request.rehome[0] += np.uint64(1)
    b.step()
    assert np.array_equal(b.record["target_p"], moved)
    finish(b)
    assert np.allclose(b.record["target_p"], moved - [0.1, 0.0, 0.0], atol=1e-9)


def test_idle_hand_for_10_s_leaves_the_target_to_1e_9():
    b = bench()
    b.frame.hand_q[:] = quat(Rotation.from_euler("xyz", [0.4, -0.2, 1.0]))
    b.press()
    finish(b)
    before = b.record["target_p"].copy(), b.record["target_q"].copy()
    for _ in range(125):
        b.settle()
    assert np.allclose(b.record["target_p"], before[0], rtol=0.0, atol=1e-9)
    assert np.allclose(b.record["target_q"], before[1], rtol=0.0, atol=1e-9)
