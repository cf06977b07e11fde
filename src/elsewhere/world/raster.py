"""The avatar's eyes without OpenGL: triangles drawn by the processor itself.

Mesa's software OpenGL takes 20 to 25 ms for a stereo pair of 1280 x 480 on one shared core; this takes
a third of that, with the same lights and textures, because it can do less: opaque triangles lit per
vertex, one sun and one light at the eyes, one texture.
"""

from __future__ import annotations

from math import radians, tan

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.world import _raster_kernels as kernels
from elsewhere.world.camera_id import camera_id
from elsewhere.world.scene import Scene
from elsewhere.world.tessellate import tessellate

BACKGROUND = (0, 0, 0)
SHININESS = 128.0  # OpenGL's largest exponent, as MuJoCo scales it
_DEFAULT_RGBA = np.array([0.5, 0.5, 0.5, 1.0], np.float32)
_UNKNOWN = -1


class RasterStereoCamera:
    """As `cameras.StereoCamera`, drawn by the processor: one picture for each of `eyes`, side by side.

    What is partly transparent is drawn opaque, or not at all below one half.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        width: int,
        height: int,
        *,
        scene: Scene | None = None,
        eyes: tuple[str, ...] = ("eye_left", "eye_right"),
    ) -> None:
        self.model, self.scene = model, scene
        self.width, self.height = len(eyes) * width, height
        self._eyes = [camera_id(model, name) for name in eyes]
        self._data = mujoco.MjData(model)
        self._shape = shape = tessellate(model)
        self._reach = np.where(model.geom_rbound > 0.0, model.geom_rbound, np.inf)
        self._seen = np.zeros((len(shape.points), kernels.VERTEX), np.float32)
        # Each triangle once, and once more for those that are cut at the near plane.
        room = 2 * shape.count + 4
        self._rows = np.zeros((room, kernels.COLUMNS), np.float32)
        self._paint = np.zeros(room, np.int32)
        # One eye: the bits of 1/z at each pixel, and the number of the triangle there.
        self._nearest = np.zeros(height * width, np.int32)
        self._which = np.zeros(height * width, np.int32)
        self._scratch = np.zeros((40, 3))
        self._colours = np.zeros((len(shape.geoms), 3))
        self._gloss, self._textures = self._surfaces()
        self._texels, self._levels = _textures(model)
        self._background = np.array(BACKGROUND, np.uint8)
        self._near = float(model.vis.map.znear * model.stat.extent)
        self._lights = _lights(model)

    def render(self, qpos: ArrayLike) -> NDArray[np.uint8]:
        """A new picture of shape (height, eyes * width, 3), the first eye leftmost."""
        model, data, shape = self.model, self._data, self._shape
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        if self.scene is not None:
            self.scene.paint(model, data)
        self._choose_colours()
        sun = -data.light_xdir[0] if model.nlight else np.array([0.0, 0.0, 1.0])
        picture = np.empty((self.height, self.width, 3), np.uint8)
        width, height = self.width // len(self._eyes), self.height
        for side, camera in enumerate(self._eyes):
            # MuJoCo's cameras look along -z with y up.
            view = data.cam_xmat[camera].reshape(3, 3).T * np.array([[1.0], [-1.0], [-1.0]])
            kernels.draw(
                view,
                data.cam_xpos[camera],
                0.5 * self.height / tan(0.5 * radians(model.cam_fovy[camera])),
                self._near,
                data.geom_xpos,
                data.geom_xmat,
                self._reach,
                shape.geoms,
                shape.first_point,
                shape.first_face,
                shape.points,
                shape.normals,
                shape.uv,
                shape.faces,
                self._textures,
                self._colours,
                self._gloss,
                sun,
                self._lights,
                self._seen,
                self._rows,
                self._paint,
                width,
                height,
                self._nearest,
                self._which,
                self._scratch,
            )
            kernels.shade(
                self._rows,
                self._paint,
                width,
                height,
                self._which,
                self._background,
                self._texels,
                self._levels,
                picture.reshape(-1),
                3 * side * width,
                3 * self.width,
            )
        return picture

    def close(self) -> None:
        """Nothing is held."""

    def _choose_colours(self) -> None:
        """A geom's own colour where it has one, else its material's. A scene may repaint its geoms."""
        model, geoms = self.model, self._shape.geoms
        own, material = model.geom_rgba[geoms], model.geom_matid[geoms]
        colours = np.where(
            (material >= 0)[:, None] & (own == _DEFAULT_RGBA).all(axis=1)[:, None],
            model.mat_rgba[material] if model.nmat else own,
            own,
        )
        self._colours[:] = colours[:, :3]

    def _surfaces(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Emission, specular reflection and its exponent, and the texture, of each geom."""
        model, geoms = self.model, self._shape.geoms
        gloss = np.tile((0.0, 0.5, 0.5 * SHININESS), (len(geoms), 1))  # MuJoCo's, without a material
        textures = np.full(len(geoms), _UNKNOWN, np.int32)
        for place, geom in enumerate(geoms):
            material = int(model.geom_matid[geom])
            if material < 0:
                continue
            gloss[place] = (
                model.mat_emission[material],
                model.mat_specular[material],
                model.mat_shininess[material] * SHININESS,
            )
            used = model.mat_texid[material, int(mujoco.mjtTextureRole.mjTEXROLE_RGB)]
            if used >= 0 and model.tex_type[used] == mujoco.mjtTexture.mjTEXTURE_2D:
                textures[place] = used
        return gloss, textures


def _lights(model: mujoco.MjModel) -> NDArray[np.float64]:
    """Ambient, head and sun colours and the sun's highlight, one row each."""
    head = model.vis.headlight
    on = float(bool(head.active))
    rows = np.zeros((4, 3))
    rows[0], rows[1] = on * np.array(head.ambient), on * np.array(head.diffuse)
    if model.nlight:
        rows[0] += model.light_ambient[0]
        rows[2], rows[3] = model.light_diffuse[0], model.light_specular[0]
    return rows


def _textures(model: mujoco.MjModel) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """All textures in all their sizes, each half of the one before, and where each starts."""
    deepest = max([1, *(int(side).bit_length() for side in [*model.tex_width, *model.tex_height])])
    levels = np.zeros((max(1, model.ntex), deepest, 3), np.int32)
    images: list[NDArray[np.uint8]] = [np.zeros((1, 4), np.uint8)]
    start = 1
    for texture in range(model.ntex):
        wide, high = int(model.tex_width[texture]), int(model.tex_height[texture])
        channels, address = int(model.tex_nchannel[texture]), int(model.tex_adr[texture])
        data = model.tex_data[address : address + wide * high * channels].reshape(high, wide, channels)
        image = np.zeros((high, wide, 4))
        image[..., :3] = data[..., :3] if channels >= 3 else data[..., :1]
        for step in range(deepest):
            high, wide = image.shape[:2]
            levels[texture, step] = start, wide, high
            images.append(np.round(image).astype(np.uint8).reshape(-1, 4))
            start += wide * high
            if wide > 1:
                image = 0.5 * (image[:, 0 : wide // 2 * 2 : 2] + image[:, 1 : wide // 2 * 2 : 2])
            if high > 1:
                image = 0.5 * (image[0 : high // 2 * 2 : 2] + image[1 : high // 2 * 2 : 2])
    return np.concatenate(images).reshape(-1), levels
