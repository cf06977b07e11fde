"""A fiducial (AprilTag 36h11) in a picture: found by OpenCV, its pose from its four corners.

The marker's frame is in the middle of its black square: x right and y up as one looks at it, z towards the
one who looks. Four corners of a square leave two poses that explain the picture about equally well, as
small or frontal markers have hardly any perspective (Collins and Bartoli, "Infinitesimal plane-based pose
estimation", IJCV 2014). Where the picture does not decide, the pose nearer to the expected one is it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians

import cv2
import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import RigError, UnknownNameError
from elsewhere.presence.tracking.camera import Camera
from elsewhere.presence.tracking.corners import refine_corners
from elsewhere.presence.tracking.pose import Pose

Array = NDArray[np.float64]

DICTIONARIES = {"DICT_APRILTAG_36h11": cv2.aruco.DICT_APRILTAG_36h11}
CELLS = 8
"""Cells along the black square: six of the code and its black border."""
CORNER_PX = 0.1
"""Standard deviation of a refined corner [px]: twice what rendered pictures show, for real lenses."""
COARSE_PX = 0.5
"""The same where an edge could not be followed (partly covered) and OpenCV's corner stands."""
AMBIGUOUS_PX = 0.25
"""Two poses whose errors differ by less than this are decided by what was expected."""


@dataclass(frozen=True, eq=False)
class Sighting:
    """T_camera_marker as `p` and `q`, and how sure it is.

    `error_px`: root mean square distance of the corners from where the pose puts them. `covariance` (6, 6)
    of position [m] and rotation [rad], in the camera's axes: far and frontal markers are uncertain in depth
    and tilt, hardly across. `ambiguous`: another pose explains the picture nearly as well.
    """

    p: Array
    q: Array
    error_px: float
    corners: Array
    covariance: Array
    ambiguous: bool = False

    @property
    def pose(self) -> Pose:
        """The pose."""
        return Pose(self.p, self.q)


@dataclass(frozen=True)
class Fiducial:
    """One marker: its number, the side of its black square [m], and what a sighting must be to count."""

    number: int = 7
    size: float = 0.12
    dictionary: str = "DICT_APRILTAG_36h11"
    least_side_px: float = 14.0
    most_angle_deg: float = 75.0
    most_error_px: float = 1.5

    def __post_init__(self) -> None:
        if self.dictionary not in DICTIONARIES:
            raise UnknownNameError("dictionary of markers", self.dictionary, DICTIONARIES)
        known = cv2.aruco.getPredefinedDictionary(DICTIONARIES[self.dictionary])
        if not 0 <= self.number < len(known.bytesList):
            most = len(known.bytesList) - 1
            raise RigError(
                f"{self.dictionary} has no marker {self.number}. Take a number from 0 to {most}."
            )
        if not (np.isfinite(self.size) and self.size > 0.0):
            raise RigError(f"A marker of {self.size} m cannot be seen. Give the side of its black square.")
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        object.__setattr__(self, "_detector", cv2.aruco.ArucoDetector(known, parameters))

    @property
    def points(self) -> Array:
        """The corners in the marker's frame (4, 3), from the upper left one clockwise."""
        s = 0.5 * self.size
        return np.array([(-s, s, 0.0), (s, s, 0.0), (s, -s, 0.0), (-s, -s, 0.0)])

    def detect(self, image: NDArray[np.uint8], camera: Camera, near: Pose | None = None) -> Sighting | None:
        """The marker in a picture, grey or RGB, of the camera's size; None where it is not surely seen.

        `near` is the expected T_camera_marker.
        """
        if image.shape[:2] != (camera.height, camera.width):
            raise RigError(
                f"A picture of {image.shape[1]} x {image.shape[0]} is not from a camera of "
                f"{camera.width} x {camera.height}."
            )
        grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        corners, numbers, _ = self._detector.detectMarkers(grey)  # type: ignore[attr-defined]
        if numbers is None:
            return None
        seen = [
            self._sighting(grey, np.asarray(square, np.float64).reshape(4, 2), camera, near)
            for square, number in zip(corners, numbers.ravel(), strict=True)
            if number == self.number
        ]
        valid = [one for one in seen if one is not None]
        if near is not None:
            return min(valid, key=lambda one: one.pose.distance(near)[0], default=None)
        return min(valid, key=lambda one: one.p[2], default=None)

    def _sighting(
        self, grey: NDArray[np.uint8], rough: Array, camera: Camera, near: Pose | None
    ) -> Sighting | None:
        side = float(np.linalg.norm(np.roll(rough, -1, axis=0) - rough, axis=1).min())
        if side < self.least_side_px:
            return None
        fine = refine_corners(grey, rough, side / CELLS)
        corners = rough if fine is None else fine
        found = self._poses(corners, camera)
        if not found:
            return None
        ambiguous = len(found) > 1 and found[1][1] - found[0][1] < AMBIGUOUS_PX
        pose, error = found[0]
        if ambiguous and near is not None:
            pose, error = min(found, key=lambda one: one[0].distance(near)[1])
        # The marker's z must point at the camera, and not too much past it.
        towards = -float(pose.T[:3, 2] @ pose.p) / float(np.linalg.norm(pose.p))
        if error > self.most_error_px or towards < cos(radians(self.most_angle_deg)):
            return None
        sigma = max(CORNER_PX if fine is not None else COARSE_PX, error)
        covariance = self._covariance(pose, camera, sigma)
        return Sighting(pose.p, pose.q, error, corners, covariance, ambiguous)

    def _poses(self, corners: Array, camera: Camera) -> list[tuple[Pose, float]]:
        """Both poses that explain the corners, each brought to its least error, the better first."""
        distortion = np.array(camera.distortion) if camera.distortion else None
        first = self._first_pose(corners, camera, distortion)
        if first is None:
            return []
        found = []
        for start in (first, _other(first)):
            rvec, tvec = cv2.solvePnPRefineLM(
                self.points,
                corners,
                camera.matrix,
                distortion,
                cv2.Rodrigues(start[:3, :3])[0],
                start[:3, 3:].copy(),
            )
            where = cv2.projectPoints(self.points, rvec, tvec, camera.matrix, distortion)[0].reshape(4, 2)
            error = float(np.sqrt(((where - corners) ** 2).sum(axis=1).mean()))
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = cv2.Rodrigues(rvec)[0], tvec.ravel()
            if np.isfinite(error) and T[2, 3] > 0.0:
                found.append((Pose.of(T), error))
        return sorted(found, key=lambda one: one[1])

    def _first_pose(self, corners: Array, camera: Camera, distortion: Array | None) -> Array | None:
        """T_camera_marker from the homography of the square: exact where the corners are.

        Not by OpenCV's IPPE: that of version 5.0 is not a number where the marker's middle lies on the
        optical axis, and 1 to 2 px off where the marker is turned about its own y alone.
        """
        rays = cv2.undistortPoints(corners.reshape(4, 1, 2), camera.matrix, distortion).reshape(4, 2)
        H = cv2.getPerspectiveTransform(self.points[:, :2].astype(np.float32), rays.astype(np.float32))
        lengths = np.linalg.norm(H[:, :2], axis=0)
        if not np.isfinite(H).all() or lengths.min() < 1e-9:
            return None
        T = np.eye(4)
        T[:3, 3] = H[:, 2] / lengths.mean()
        x, y = (H[:, :2] / lengths).T
        U, _, Vt = np.linalg.svd(np.column_stack([x, y, np.cross(x, y)]))
        T[:3, :3] = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
        return T

    def _covariance(self, pose: Pose, camera: Camera, sigma_px: float) -> Array:
        """s^2 (J^T J)^-1, with J the change of the corners in the picture by the pose [px/m, px/rad]."""
        arms = self.points @ pose.T[:3, :3].T
        x, y, z = (arms + pose.p).T
        J = np.zeros((4, 2, 6))
        J[:, 0, 0], J[:, 0, 2] = camera.fx / z, -camera.fx * x / z**2
        J[:, 1, 1], J[:, 1, 2] = camera.fy / z, -camera.fy * y / z**2
        for i, arm in enumerate(arms):  # a turn w about the marker's middle moves a corner by w x arm
            J[i, :, 3:] = np.cross(arm, J[i, :, :3])
        flat = J.reshape(8, 6)
        return np.asarray(sigma_px**2 * np.linalg.inv(flat.T @ flat + 1e-9 * np.eye(6)))


def _other(T_camera_marker: Array) -> Array:
    """The pose that looks nearly the same from far: x and y mirrored across the line of sight."""
    sight = T_camera_marker[:3, 3] / np.linalg.norm(T_camera_marker[:3, 3])
    out = T_camera_marker.copy()
    for axis in (0, 1):
        out[:3, axis] -= 2.0 * (sight @ out[:3, axis]) * sight
    out[:3, 2] = np.cross(out[:3, 0], out[:3, 1])
    return out
