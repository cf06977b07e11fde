"""Rotations and profiles against SciPy and plain formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from elsewhere.spatial import _kernels as k
from elsewhere.spatial.profile import ramp

rng = np.random.default_rng(1)
SAMPLES = [rng.normal(size=4) / 1.0 for _ in range(200)]
SPECIAL = [
    np.array([1.0, 0, 0, 0]),
    np.array([0.0, 1, 0, 0]),
    np.array([0.0, 0, 0, -1]),
    np.array([1.0, 1e-9, 0, 0]),
    np.array([1e-9, 1, 0, 0]),
]


def unit(q):
    return q / np.linalg.norm(q)


def scipy_rotation(q):
    return Rotation.from_quat(q, scalar_first=True)


@pytest.mark.parametrize("q", [unit(q) for q in SAMPLES + SPECIAL])
def test_single_quaternion(q):
    reference = scipy_rotation(q)
    m, back, vector, again = np.zeros((3, 3)), np.zeros(4), np.zeros(3), np.zeros(4)
    k.matrix_from_quat(q, m)
    assert np.allclose(m, reference.as_matrix(), atol=1e-12)
    k.quat_from_matrix(m, back)
    assert abs(abs(back @ q) - 1.0) < 1e-12
    k.quat_log(q, vector)
    assert np.linalg.norm(vector) <= math.pi + 1e-12
    assert np.allclose(Rotation.from_rotvec(vector).as_matrix(), m, atol=1e-9)
    k.quat_exp(vector, again)
    assert abs(abs(again @ q) - 1.0) < 1e-12
    v, turned = rng.normal(size=3), np.zeros(3)
    k.quat_rotate(q, v, turned)
    assert np.allclose(turned, reference.apply(v), atol=1e-12)
    angles, made = np.zeros(3), np.zeros(4)
    k.quat_to_yaw_pitch_roll(q, angles)
    k.quat_from_yaw_pitch_roll(angles, made)
    assert abs(abs(made @ q) - 1.0) < 1e-9


def test_product():
    for a, b in zip(SAMPLES[::2], SAMPLES[1::2], strict=True):
        out = np.zeros(4)
        k.quat_multiply(unit(a), unit(b), out)
        expected = (scipy_rotation(unit(a)) * scipy_rotation(unit(b))).as_matrix()
        assert np.allclose(scipy_rotation(out).as_matrix(), expected, atol=1e-12)


def test_heading_is_undefined_only_when_looking_straight_up_or_down():
    for pitch in (-math.pi / 2, math.pi / 2):
        q = np.zeros(4)
        k.quat_from_yaw_pitch_roll(np.array([0.3, pitch, 0.0]), q)
        assert math.isnan(k.quat_heading(q))
    q = np.zeros(4)
    k.quat_from_yaw_pitch_roll(np.array([0.3, 1.2, 0.4]), q)
    assert k.quat_heading(q) == pytest.approx(0.3)


speeds = st.floats(-2.0, 2.0)


@settings(max_examples=300)
@given(speeds, speeds, st.floats(0.1, 3.0), st.floats(0.1, 3.0))
def test_ramp_is_bounded_and_never_overshoots(now, wanted, up, down):
    after = ramp(now, wanted, up, down, 0.01)
    assert abs(after - now) <= max(up, down) * 0.01 + 1e-12
    assert min(now, wanted) - 1e-12 <= after <= max(now, wanted) + 1e-12


def test_base_profile_of_avatrina():
    """From rest to 0.2 m/s in 0.4 s, and to rest again in 0.2 s (verification list, item i)."""
    v, steps = 0.0, 0
    while v < 0.2:
        v, steps = ramp(v, 0.2, 0.5, 1.0, 0.01), steps + 1
    assert steps == 40
    while v > 0.0:
        v, steps = ramp(v, 0.0, 0.5, 1.0, 0.01), steps + 1
    assert steps == 60


def test_approach_speed_can_always_stop():
    for distance in np.geomspace(1e-6, 3.0, 50):
        v = k.approach_speed(float(distance), 40.0, 1.5, 6.0)
        assert v <= 1.5
        assert v * v <= 2.0 * 6.0 * distance + 1e-12
