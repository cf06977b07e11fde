from __future__ import annotations

import numpy as np
import pytest

from elsewhere.errors import GraphicsError, UnknownNameError
from elsewhere.world import graphics
from elsewhere.world.cameras import DepthCamera, SceneCamera, StereoCamera
from elsewhere.world.simulation import Simulation


def test_stereo_pair_has_a_disparity_of_the_right_sign(simulation: Simulation) -> None:
    camera = StereoCamera(simulation.model, 160, 120, scene=simulation.scene)
    picture = camera.render(simulation.qpos)
    camera.close()
    assert picture.shape == (120, 320, 3)
    assert picture.dtype == np.uint8
    left, right = picture[:, :160].astype(int), picture[:, 160:].astype(int)
    assert left.std() > 20
    # What the left eye sees lies further right in its picture.
    misfit = {
        shift: np.abs(left[:, 20 + shift : 140 + shift] - right[:, 20:140]).mean() for shift in range(-8, 9)
    }
    assert 0 < min(misfit, key=misfit.__getitem__) < 8


def test_pictures_repeat_and_follow_the_state(simulation: Simulation) -> None:
    camera = SceneCamera(simulation.model, 160, 120, scene=simulation.scene)
    first = camera.render(simulation.qpos)
    assert np.array_equal(camera.render(simulation.qpos), first)
    moved = simulation.qpos
    moved[simulation.wiring.base_qpos[0]] -= 0.5
    assert np.abs(camera.render(moved).astype(int) - first).mean() > 1.0
    camera.close()


def test_depth_is_metres(simulation: Simulation) -> None:
    camera = DepthCamera(simulation.model, 64, 48)
    depth = camera.render(simulation.qpos)
    camera.close()
    assert depth.shape == (48, 64)
    assert depth.dtype == np.float32
    assert 0.01 < depth.min() < depth.max() < 12.1
    # From 1 m above the floor the wrist camera sees its hand near and the table some way off.
    assert 0.1 < float(np.median(depth)) < 1.5


def test_unknown_camera_is_named(simulation: Simulation) -> None:
    with pytest.raises(UnknownNameError, match="eye_left"):
        SceneCamera(simulation.model, 64, 48, camera="eye_lefft")


def test_no_graphics_names_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"no library for {name}")

    monkeypatch.setattr(graphics, "import_module", missing)
    with pytest.raises(GraphicsError, match="libegl1"):
        graphics.open_context(64, 48)
