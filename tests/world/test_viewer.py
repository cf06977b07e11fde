from __future__ import annotations

import numpy as np
import pytest

from elsewhere.errors import UnknownNameError
from elsewhere.lab.marked_stand import camera, head, stand
from elsewhere.presence.tracking.fiducial import Fiducial
from elsewhere.world.simulation import Simulation
from elsewhere.world.viewer import HeadMotion, Sensor, Viewer, looking

HOME = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def test_an_eye_looks_where_it_should_with_the_head_upright() -> None:
    T = looking((1.0, 2.0, 1.5), (0.0, 0.0, 0.5))
    assert np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3))
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0)
    assert np.allclose(T[:3, 2], np.array([-1.0, -2.0, -1.0]) / np.sqrt(6))
    assert T[2, 0] == pytest.approx(0.0)  # right is level
    assert T[2, 1] < 0.0  # down is down
    rolled = looking((1.0, 2.0, 1.5), (0.0, 0.0, 0.5), roll=0.1)
    assert np.allclose(rolled[:3, 2], T[:3, 2])
    assert np.arccos(rolled[:3, 0] @ T[:3, 0]) == pytest.approx(0.1)


def test_head_motion_is_seeded_and_smooth() -> None:
    times = np.arange(0.0, 12.0, 0.01)
    poses = np.array([HeadMotion(seed=4).at(t) for t in times])
    assert np.array_equal(poses[700], HeadMotion(seed=4).at(times[700]))  # of time alone, in any order
    assert not np.allclose(poses[700], HeadMotion(seed=5).at(times[700]))
    speed = 100 * np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    assert 0.1 < speed.max() < 1.0  # m/s: a step aside, no leap
    turn = 100 * np.arccos(np.clip((poses[1:, :3, 2] * poses[:-1, :3, 2]).sum(axis=1), -1, 1))
    assert 0.05 < turn.max() < 2.0
    tripod = [HeadMotion(seed=4, lively=0.0).at(t) for t in (0.0, 3.3)]
    assert np.array_equal(*tripod)


def test_both_renderers_show_the_marker_at_the_same_place() -> None:
    T, seen = head(1.0, 25).at(0.4), []
    for renderer in ("processor", "opengl"):
        eye = Viewer(stand(), renderer=renderer)
        picture = eye.see(HOME, T)
        assert picture.shape == (480, 640, 3)
        seen.append(Fiducial().detect(picture, camera()))
        eye.close()
    assert all(one is not None for one in seen)
    assert np.abs(seen[0].corners - seen[1].corners).max() < 0.15


def test_the_scene_of_others_is_not_moved() -> None:
    model = stand()
    before = model.cam_pos.copy()
    Viewer(model, renderer="processor", width=64, height=48).see(HOME, head(1.0, 0).at(0.0))
    assert np.array_equal(model.cam_pos, before)


def test_a_scene_without_a_viewer_says_so(simulation: Simulation) -> None:
    with pytest.raises(UnknownNameError, match="viewer"):
        Viewer(simulation.model, renderer="processor")


def test_the_sensor_is_seeded_and_adds_what_it_says() -> None:
    grey = np.full((48, 64, 3), 128, np.uint8)
    sensor = Sensor(blur_px=0.0, noise=3.0, jpeg=0)
    once, again = (sensor.expose(grey, np.random.default_rng(1)) for _ in range(2))
    assert np.array_equal(once, again)
    assert once.std() == pytest.approx(3.0, rel=0.05)
    assert np.array_equal(Sensor(0.0, 0.0, 0).expose(grey, np.random.default_rng(1)), grey)
    compressed = Sensor(0.0, 0.0, 30).expose(once, np.random.default_rng(1))
    assert compressed.shape == grey.shape
    assert not np.array_equal(compressed, once)
