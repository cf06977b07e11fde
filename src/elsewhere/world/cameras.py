"""The avatar's cameras in the simulator: a stereo pair in one picture, and depth at the wrist.

A camera has its own data: it is given positions, never the simulation. Software rendering pays by
the triangle, so there are no shadows and no multisampling, and collision shapes are hidden. Where
there is no graphics card, `stereo_camera` does without OpenGL (`elsewhere.world.raster`).
"""

from __future__ import annotations

from math import radians, tan

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import GraphicsError
from elsewhere.world.camera_id import camera_id
from elsewhere.world.graphics import Graphics, has_graphics_card
from elsewhere.world.raster import RasterStereoCamera
from elsewhere.world.scene import Scene

MAX_GEOMS = 1000
_HIDDEN = (3, 4, 5)  # groups: collision shapes, and sites


class _Camera:
    """What all cameras share: own data, a list of visible geoms, an off-screen buffer."""

    # Enough for what is seen through the avatar's eyes; 28 and 16 would cost twice the time.
    slices, stacks = 12, 4

    def __init__(
        self, model: mujoco.MjModel, names: tuple[str, ...], width: int, height: int, scene: Scene | None
    ):
        self.model, self.scene = model, scene
        self.width, self.height = width, height
        self._ids = [camera_id(model, name) for name in names]
        self._data = mujoco.MjData(model)
        self._viewport = mujoco.MjrRect(0, 0, width, height)
        self._upside_down = np.zeros((height, width, 3), np.uint8)
        self._graphics = Graphics(model, width, height, slices=self.slices, stacks=self.stacks)
        self._visible = mujoco.MjvScene(model, MAX_GEOMS)
        self._options = mujoco.MjvOption()
        for group in _HIDDEN:
            self._options.geomgroup[group] = 0
            self._options.sitegroup[group] = 0
        self._perturb = mujoco.MjvPerturb()
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._view.fixedcamid = self._ids[0]
        flags = self._visible.flags
        for flag in (
            mujoco.mjtRndFlag.mjRND_SHADOW,
            mujoco.mjtRndFlag.mjRND_REFLECTION,
            mujoco.mjtRndFlag.mjRND_HAZE,
            mujoco.mjtRndFlag.mjRND_SKYBOX,
        ):
            flags[flag] = 0

    def _update(self, qpos: ArrayLike) -> None:
        """Bring geoms and cameras to where these positions put them."""
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self._data)
        mujoco.mj_camlight(self.model, self._data)
        if self.scene is not None:
            self.scene.paint(self.model, self._data)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(
            self.model, self._data, self._options, self._perturb, self._view, everything, self._visible
        )

    def _draw(self) -> NDArray[np.uint8]:
        with self._graphics.current() as renderer:
            mujoco.mjr_render(self._viewport, self._visible, renderer)
            mujoco.mjr_readPixels(self._upside_down, None, self._viewport, renderer)
        return self._upside_down[::-1].copy()

    def close(self) -> None:
        """Free the graphics."""
        self._graphics.close()


class StereoCamera(_Camera):
    """The avatar's two eyes, side by side: the left eye is the left half.

    Both eyes are drawn in one pass and read back at once. `scene` lets things change colour.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        width: int,
        height: int,
        *,
        scene: Scene | None = None,
        eyes: tuple[str, str] = ("eye_left", "eye_right"),
    ) -> None:
        super().__init__(model, eyes, 2 * width, height, scene)
        self._visible.stereo = mujoco.mjtStereo.mjSTEREO_SIDEBYSIDE

    def render(self, qpos: ArrayLike) -> NDArray[np.uint8]:
        """A new picture of shape (height, 2 * width, 3)."""
        self._update(qpos)
        for eye, camera in zip(self._visible.camera, self._ids, strict=True):
            _aim(eye, self.model, self._data, camera)
        return self._draw()


class SceneCamera(_Camera):
    """Any one camera of the scene, for pictures from outside."""

    slices, stacks = 24, 12

    def __init__(
        self,
        model: mujoco.MjModel,
        width: int,
        height: int,
        *,
        camera: str = "room_view",
        scene: Scene | None = None,
    ) -> None:
        super().__init__(model, (camera,), width, height, scene)

    def render(self, qpos: ArrayLike) -> NDArray[np.uint8]:
        """A new picture of shape (height, width, 3)."""
        self._update(qpos)
        return self._draw()


class DepthCamera(_Camera):
    """Distance along the optical axis [m], as a depth camera at the wrist gives it."""

    def __init__(
        self, model: mujoco.MjModel, width: int, height: int, *, camera: str = "right_wrist_camera"
    ) -> None:
        super().__init__(model, (camera,), width, height, None)
        self._depth = np.zeros((height, width), np.float32)

    def render(self, qpos: ArrayLike) -> NDArray[np.float32]:
        """A new depth picture of shape (height, width); where nothing is, the far limit."""
        self._update(qpos)
        with self._graphics.current() as renderer:
            mujoco.mjr_render(self._viewport, self._visible, renderer)
            mujoco.mjr_readPixels(None, self._depth, self._viewport, renderer)
        near = self.model.vis.map.znear * self.model.stat.extent
        far = self.model.vis.map.zfar * self.model.stat.extent
        window = self._depth[::-1]  # 0 at the near plane, 1 at the far one
        if renderer.readDepthMap == mujoco.mjtDepthMap.mjDEPTH_ZEROFAR:
            window = 1.0 - window
        metres: NDArray[np.float32] = near * far / (far - window * (far - near))
        return metres.astype(np.float32)


def stereo_camera(
    model: mujoco.MjModel, width: int, height: int, *, scene: Scene | None = None, renderer: str = "auto"
) -> StereoCamera | RasterStereoCamera:
    """The avatar's eyes by the quickest way that works here, or as `renderer` says.

    "opengl", "processor", or "auto": OpenGL where there is a graphics card, else the processor.
    """
    if renderer == "processor" or (renderer == "auto" and not has_graphics_card()):
        return RasterStereoCamera(model, width, height, scene=scene)
    try:
        return StereoCamera(model, width, height, scene=scene)
    except GraphicsError:
        if renderer == "opengl":
            raise
        return RasterStereoCamera(model, width, height, scene=scene)


def _aim(eye: mujoco.MjvGLCamera, model: mujoco.MjModel, data: mujoco.MjData, camera: int) -> None:
    """Put one of the renderer's eyes where a camera of the model is."""
    R_room_camera = data.cam_xmat[camera].reshape(3, 3)
    eye.pos = data.cam_xpos[camera]
    eye.forward, eye.up = -R_room_camera[:, 2], R_room_camera[:, 1]
    near = model.vis.map.znear * model.stat.extent
    half = near * tan(0.5 * radians(model.cam_fovy[camera]))
    eye.frustum_bottom, eye.frustum_top = -half, half
    eye.frustum_center = eye.frustum_width = 0.0  # the width follows the viewport
    eye.frustum_near, eye.frustum_far = near, model.vis.map.zfar * model.stat.extent
