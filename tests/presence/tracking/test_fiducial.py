from __future__ import annotations

import cv2
import numpy as np
import pytest

from elsewhere.errors import RigError, UnknownNameError
from elsewhere.lab.marked_stand import T_BASE_MARKER, at_rest, camera, head, looks, viewer
from elsewhere.presence.tracking.camera import Camera
from elsewhere.presence.tracking.fiducial import Fiducial
from elsewhere.presence.tracking.pose import Pose, inverse

LENS = Camera.from_focal(640, 480, 600.0)
FRONT = np.diag([1.0, -1.0, -1.0, 1.0])  # a marker that faces the camera upright


def at(distance: float, tilt_deg: float = 0.0) -> Pose:
    """T_camera_marker before the camera, turned about the vertical."""
    a = np.radians(tilt_deg)
    T = np.eye(4)
    T[:3, :3] = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]]) @ FRONT[:3, :3]
    T[2, 3] = distance
    return Pose.of(T)


def drawn(pose: Pose, number: int = 7, lens: Camera = LENS, cell: int = 20) -> np.ndarray:
    """A picture of the print at this pose, without a renderer: a homography of its image."""
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    sheet = np.pad(cv2.aruco.generateImageMarker(family, number, 8 * cell), cell, constant_values=255)
    points = (Fiducial().points @ pose.T[:3, :3].T + pose.p) @ lens.matrix.T
    here = np.array([(1, 1), (9, 1), (9, 9), (1, 9)]) * cell - 0.5
    there = 4 * (points[:, :2] / points[:, 2:] + 0.5) - 0.5
    H = cv2.getPerspectiveTransform(here.astype(np.float32), there.astype(np.float32))
    fine = cv2.warpPerspective(sheet, H, (4 * lens.width, 4 * lens.height), borderValue=200)
    return np.asarray(cv2.resize(fine, (lens.width, lens.height), interpolation=cv2.INTER_AREA))


@pytest.mark.parametrize(("distance", "tilt"), [(0.6, 0), (1.2, 30), (1.2, -55), (2.5, 40)])
def test_a_drawn_marker_is_found_at_its_pose(distance: float, tilt: float) -> None:
    truth = at(distance, tilt)
    seen = Fiducial().detect(drawn(truth), LENS)
    assert seen is not None
    metres, angle = seen.pose.distance(truth)
    assert metres < 0.004 * distance
    assert np.degrees(angle) < (3.0 if tilt == 0 else 1.0)
    assert seen.error_px < 0.3


@pytest.mark.parametrize("middle", [(0.0, 0.0), (0.1, 0.0), (0.3, -0.2)])
@pytest.mark.parametrize("roll", [0.0, 0.3, np.pi / 2])
def test_exact_corners_give_the_exact_pose(middle: tuple[float, float], roll: float) -> None:
    # Also in the middle of the picture, frontal or turned about one axis, where formulas divide by zero.
    fiducial = Fiducial()
    for tilt in range(-70, 71, 7):
        truth = at(1.2, tilt).plus(np.array([*middle, 0.0, 0.0, 0.0, roll]))
        points = (fiducial.points @ truth.T[:3, :3].T + truth.p) @ LENS.matrix.T
        (pose, error), *_ = fiducial._poses(points[:, :2] / points[:, 2:], LENS)
        assert error < 1e-4
        assert max(pose.distance(truth)) < 1e-5


def test_a_rendered_marker_is_found_at_its_pose() -> None:
    motion = head(1.2, 30, lively=0.0)
    (look,) = looks(motion, at_rest, 0.1, 10.0)
    seen = Fiducial().detect(look.image, camera())
    assert seen is not None
    metres, angle = seen.pose.distance(Pose.of(inverse(motion.at(0.0)) @ T_BASE_MARKER))
    assert metres < 0.003
    assert np.degrees(angle) < 1.0
    assert seen.p[2] == pytest.approx(1.2, abs=0.02)


def test_what_is_not_the_marker_is_not_found() -> None:
    assert Fiducial().detect(drawn(at(1.0, 20), number=8), LENS) is None
    assert Fiducial().detect(np.full((480, 640), 90, np.uint8), LENS) is None
    noise = np.random.default_rng(0).integers(0, 255, (480, 640), np.uint8)
    assert Fiducial().detect(noise, LENS) is None


def test_a_small_or_slanted_marker_does_not_count() -> None:
    far = drawn(at(2.5, 20))
    assert Fiducial().detect(far, LENS) is not None
    assert Fiducial(least_side_px=40.0).detect(far, LENS) is None
    slanted = drawn(at(0.8, 60))
    assert Fiducial().detect(slanted, LENS) is not None
    assert Fiducial(most_angle_deg=50.0).detect(slanted, LENS) is None


def test_the_expected_pose_decides_where_the_picture_does_not() -> None:
    # Far away there is hardly any perspective: tilted to the left or to the right looks the same.
    left, right = at(3.0, -14), at(3.0, 14)
    for truth in (left, right):
        picture = drawn(truth)
        towards = {
            name: Fiducial().detect(picture, LENS, near) for name, near in (("l", left), ("r", right))
        }
        assert all(seen is not None and seen.ambiguous for seen in towards.values())
        assert towards["l"].pose.distance(left)[1] < np.radians(10)
        assert towards["r"].pose.distance(right)[1] < np.radians(10)


def test_a_clear_picture_wins_over_the_expectation() -> None:
    truth = at(0.6, 40)
    seen = Fiducial().detect(drawn(truth), LENS, at(0.6, -40))
    assert seen is not None
    assert not seen.ambiguous
    assert seen.pose.distance(truth)[1] < np.radians(1)


def test_of_two_markers_of_one_number_the_expected_one_is_it() -> None:
    picture = np.hstack([drawn(at(1.0, 30))[:, 160:480], drawn(at(1.4, 30))[:, 160:480]])
    near, far = (Pose(np.array([x, 0.0, z]), at(1.0, 30).q) for x, z in ((-0.27, 1.0), (0.37, 1.4)))
    for expected in (near, far):
        seen = Fiducial().detect(picture, LENS, expected)
        assert seen is not None
        assert seen.p[2] == pytest.approx(expected.p[2], abs=0.05)


def test_the_covariance_is_that_of_noisy_corners() -> None:
    fiducial, truth, sigma = Fiducial(), at(1.2, 35), 0.1
    points = (fiducial.points @ truth.T[:3, :3].T + truth.p) @ LENS.matrix.T
    corners = points[:, :2] / points[:, 2:]
    rng = np.random.default_rng(0)
    misses = []
    for _ in range(400):
        poses = fiducial._poses(corners + rng.normal(0.0, sigma, (4, 2)), LENS)
        misses.append(min((p.minus(truth) for p, _ in poses), key=lambda miss: np.abs(miss[3:]).max()))
    seen = np.sqrt(np.diag(np.cov(np.array(misses).T)))
    told = np.sqrt(np.diag(fiducial._covariance(truth, LENS, sigma)))
    assert np.allclose(seen, told, rtol=0.15)


def test_bad_markers_and_pictures_are_refused_in_words() -> None:
    with pytest.raises(UnknownNameError, match="DICT_APRILTAG_36h11"):
        Fiducial(dictionary="DICT_4X4_50")
    with pytest.raises(RigError, match="0 to 586"):
        Fiducial(number=587)
    with pytest.raises(RigError, match="side of its black square"):
        Fiducial(size=0.0)
    with pytest.raises(RigError, match="320 x 240"):
        Fiducial().detect(np.zeros((240, 320), np.uint8), LENS)


def test_the_viewer_s_camera_has_the_told_focal_length() -> None:
    assert camera().fx == pytest.approx(240.0 / np.tan(np.radians(0.5 * viewer().fov_deg)))
