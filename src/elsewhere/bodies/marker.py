"""A fiducial plate on a robot: what a viewer's camera finds, and where it is on the base.

The tag is an AprilTag of the family 36h11 (Olson, "AprilTag: a robust and flexible visual fiducial
system", ICRA 2011), as OpenCV draws it. Its frame is OpenCV's: x to the right and y up as one looks at
it, z out of the plate.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.shapes import VISUAL_GROUP

DICTIONARY, ID, SIZE = "DICT_APRILTAG_36h11", 7, 0.12
CELLS = 8  # of the tag, its black border included
_PIXELS = 16  # of the texture, for one cell
MATERIAL = "marker"


@dataclass(frozen=True)
class Marker:
    """A tag: OpenCV's dictionary and number, edge of its black square [m], pose in the base frame."""

    dictionary: str
    id: int
    size: float
    R: NDArray[np.float64]
    p: NDArray[np.float64]


def add_marker(
    body: mujoco.MjsBody, spec: mujoco.MjSpec, R: NDArray[np.float64], p: NDArray[np.float64]
) -> Marker:
    """Screw the plate onto `body`: a white quiet zone of one cell around the tag, centre at `p`."""
    texture = spec.add_texture(name=MATERIAL, type=mujoco.mjtTexture.mjTEXTURE_2D)
    pixels = picture()
    texture.height, texture.width, texture.nchannel = pixels.shape
    texture.data = pixels.tobytes()
    material = spec.add_material(name=MATERIAL)
    roles = [""] * int(mujoco.mjtTextureRole.mjNTEXROLE)
    roles[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = MATERIAL
    material.textures, material.texrepeat = roles, (1.0, 1.0)
    # Paper does not shine, and a light of its own keeps it readable in a dim room.
    material.specular, material.shininess, material.emission = 0.0, 0.0, 0.25
    half, quat = 0.5 * SIZE * (CELLS + 2) / CELLS, np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(R).ravel())
    thick = 0.001
    body.add_geom(
        name="marker",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[half, half, thick],
        pos=list(p - thick * R[:, 2]),
        quat=quat.tolist(),
        material=MATERIAL,
        group=VISUAL_GROUP,
        contype=0,
        conaffinity=0,
        mass=0.0,
    )
    return Marker(DICTIONARY, ID, SIZE, R, p)


def picture() -> NDArray[np.uint8]:
    """The plate as an image of shape (n, n, 3), top row first."""
    import cv2  # here, since only a body with a plate needs it

    family = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    tag = cv2.aruco.generateImageMarker(family, ID, CELLS * _PIXELS)
    plate = np.pad(tag, _PIXELS, constant_values=255)
    return np.ascontiguousarray(np.repeat(plate[:, :, None], 3, axis=2))
