"""A viewer before the robot sees the tag, by either renderer, and finds where the base is."""

from __future__ import annotations

import cv2
import mujoco
import numpy as np
import pytest

from elsewhere.bodies.compose import compose
from elsewhere.rig import load_rig
from elsewhere.world.cameras import SceneCamera
from elsewhere.world.raster import RasterStereoCamera
from elsewhere.world.scenes import make_scene

WIDTH, HEIGHT, FOV = 640, 480, 50.0


def looking(spec, name, position, at):
    """A camera at `position` that looks to `at`, z up."""
    back = (np.array(position) - at) / np.linalg.norm(np.array(position) - at)
    right = np.cross([0, 0, 1], back)
    right /= np.linalg.norm(right)
    axes = [*right, *np.cross(back, right)]
    spec.worldbody.add_camera(name=name, pos=list(position), xyaxes=axes, fovy=FOV)


@pytest.mark.parametrize("eye", [(1.1, 0.0, 1.3), (1.9, 0.5, 1.55), (1.4, -0.7, 1.5)])
@pytest.mark.parametrize("renderer", ["processor", "opengl"])
def test_the_tag_is_found_and_tells_where_the_base_is(renderer, eye):
    body, scene = compose(load_rig("overlay")), make_scene("therapy")
    spec = body.spec.copy()
    scene.build(spec)
    looking(spec, "visitor", eye, body.marker.p)
    model = spec.compile()
    data = mujoco.MjData(model)
    body.go_home(model, data)
    if renderer == "processor":
        camera = RasterStereoCamera(model, WIDTH, HEIGHT, scene=scene, eyes=("visitor", "visitor"))
        image = camera.render(data.qpos)[:, :WIDTH]
    else:
        camera = SceneCamera(model, WIDTH, HEIGHT, camera="visitor", scene=scene)
        image = camera.render(data.qpos)
    camera.close()
    family = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, body.marker.dictionary))
    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
    corners, ids, _ = cv2.aruco.ArucoDetector(family).detectMarkers(grey)
    assert ids is not None
    assert ids.ravel().tolist() == [body.marker.id]
    half = 0.5 * body.marker.size
    square = np.array([(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)])
    focal = 0.5 * HEIGHT / np.tan(np.radians(0.5 * FOV))
    K = np.array([[focal, 0, 0.5 * WIDTH], [0, focal, 0.5 * HEIGHT], [0, 0, 1]])
    found, turn, shift = cv2.solvePnP(
        square, corners[0][0].astype(float), K, None, flags=cv2.SOLVEPNP_IPPE_SQUARE
    )
    assert found
    R_camera_marker = cv2.Rodrigues(turn)[0]
    # Where the eye is, by the tag alone.
    R_base_camera = body.marker.R @ R_camera_marker.T
    p = body.marker.p - R_base_camera @ shift.ravel()
    distance = np.linalg.norm(np.array(eye) - body.marker.p)
    assert abs(np.linalg.norm(shift) - distance) < 0.06 * distance
    assert np.linalg.norm(p - eye) < 0.2 * distance
