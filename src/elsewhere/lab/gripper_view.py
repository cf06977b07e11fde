"""How much of a gripper the avatar's eyes see behind its own arm: AVATRINA's M_vis (eq. 2).

    v(gripper and arm) / v(gripper alone),  v = pixels in which the gripper is nearest

One camera midway between the eyes, head level and forward, with the field of view of the paper's
cameras (about 120 by 100 degrees). Drawn by the processor (`world.raster`), at a low resolution.
"""

from __future__ import annotations

from math import radians, tan

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.status import SIDES
from elsewhere.world import _raster_kernels as kernels
from elsewhere.world.tessellate import Triangles, tessellate

Array = NDArray[np.float64]

FOV_DEG = (120.0, 100.0)
HEIGHT = 120
WIDTH = round(HEIGHT * tan(radians(FOV_DEG[0] / 2)) / tan(radians(FOV_DEG[1] / 2)))
NEAR = 0.02


class GripperView:
    """The gripper and the arm of one side, seen from between the eyes. Everything else is left out."""

    def __init__(self, body: Body, side: int) -> None:
        arm = body.arms[side]
        assert arm is not None, "only arms that exist are looked at"
        model = body.model
        self._model, self._data = model, mujoco.MjData(model)
        self._places = [int(model.joint(name).qposadr[0]) for name in arm.joints]
        self._shape, self._own = _pick(model, SIDES[side])
        self._reach = np.where(model.geom_rbound > 0.0, model.geom_rbound, np.inf)
        self._view, self._eye = _between_eyes(model, self._data)
        room = 2 * self._shape.count + 4
        self._seen = np.zeros((len(self._shape.points), kernels.VERTEX), np.float32)
        self._rows, self._paint = np.zeros((room, kernels.COLUMNS), np.float32), np.zeros(room, np.int32)
        self._nearest, self._which = np.zeros(HEIGHT * WIDTH, np.int32), np.zeros(HEIGHT * WIDTH, np.int32)
        self._scratch = np.zeros((40, 3))
        geoms = len(self._shape.geoms)
        self._plain = np.full(geoms, -1, np.int32), np.zeros((geoms, 3)), np.zeros((geoms, 3))
        self._sun, self._lights = np.array([0.0, 0.0, 1.0]), np.zeros((4, 3))

    def pixels(self, q: Array) -> tuple[int, int]:
        """Pixels of the gripper with the arm and without it, for joints q of the arm."""
        self._data.qpos[self._places] = q
        mujoco.mj_kinematics(self._model, self._data)
        gripper = self._draw(self._own)
        alone = int(np.count_nonzero(self._which >= 0))
        if alone == 0:
            return 0, 0
        # Drawn first, the gripper's triangles have the same numbers again; the arm's come after them.
        self._draw(len(self._shape.geoms))
        behind = int(np.count_nonzero((self._which >= 0) & (self._which < gripper)))
        return behind, alone

    def _draw(self, geoms: int) -> int:
        """Draw the first `geoms` geoms; `_which` tells the triangle of each pixel. How many there are."""
        shape, data = self._shape, self._data
        textures, colours, gloss = self._plain
        return kernels.draw(
            self._view,
            self._eye,
            0.5 * HEIGHT / tan(radians(FOV_DEG[1] / 2)),
            NEAR,
            data.geom_xpos,
            data.geom_xmat,
            self._reach,
            shape.geoms[:geoms],
            shape.first_point[: geoms + 1],
            shape.first_face[: geoms + 1],
            shape.points,
            shape.normals,
            shape.uv,
            shape.faces,
            textures,
            colours,
            gloss,
            self._sun,
            self._lights,
            self._seen,
            self._rows,
            self._paint,
            WIDTH,
            HEIGHT,
            self._nearest,
            self._which,
            self._scratch,
        )


def visibility(view: GripperView, joints: Array) -> tuple[float, float]:
    """M_vis over postures (n, joints), and the share of them in which no gripper is in view at all.

    A posture without a gripper in view says nothing about the arm and is left out of the mean.
    """
    shares = []
    for q in joints:
        behind, alone = view.pixels(q)
        if alone:
            shares.append(behind / alone)
    skipped = 1.0 - len(shares) / len(joints)
    return (float(np.mean(shares)) if shares else float("nan")), skipped


def _pick(model: mujoco.MjModel, side: str) -> tuple[Triangles, int]:
    """The triangles of one side, the gripper's geoms before the arm's; how many are the gripper's."""
    shape = tessellate(model)
    owners = [model.body(int(model.geom_bodyid[geom])).name for geom in shape.geoms]
    gripper = [k for k, name in enumerate(owners) if name.startswith(f"{side}_hand_")]
    arm = [k for k, name in enumerate(owners) if name.startswith((f"{side}_arm_", f"{side}_flange"))]
    order = [*gripper, *arm]
    points = [slice(shape.first_point[k], shape.first_point[k + 1]) for k in order]
    faces = [slice(shape.first_face[k], shape.first_face[k + 1]) for k in order]
    first_point = np.cumsum([0, *(s.stop - s.start for s in points)])
    first_face = np.cumsum([0, *(s.stop - s.start for s in faces)])
    moved = [
        shape.faces[own] - shape.first_point[k] + new
        for k, own, new in zip(order, faces, first_point, strict=False)
    ]
    picked = Triangles(
        geoms=shape.geoms[order],
        points=np.concatenate([shape.points[s] for s in points]),
        normals=np.concatenate([shape.normals[s] for s in points]),
        uv=np.concatenate([shape.uv[s] for s in points]),
        faces=np.concatenate(moved).astype(np.int32),
        first_point=first_point.astype(np.int32),
        first_face=first_face.astype(np.int32),
    )
    return picked, len(gripper)


def _between_eyes(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Array, Array]:
    """Rotation from the base to a camera (x right, y down, z forward) and its place, head forward."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)
    eyes = [model.camera(f"eye_{side}").id for side in SIDES]
    # MuJoCo's cameras look along -z with y up.
    view = data.cam_xmat[eyes[0]].reshape(3, 3).T * np.array([[1.0], [-1.0], [-1.0]])
    return np.ascontiguousarray(view), data.cam_xpos[eyes].mean(axis=0)
