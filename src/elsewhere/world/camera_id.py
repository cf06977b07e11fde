"""Cameras of a model by name."""

from __future__ import annotations

import mujoco

from elsewhere.errors import UnknownNameError


def camera_id(model: mujoco.MjModel, name: str) -> int:
    """The number of a camera. Raises UnknownNameError with the names that exist."""
    found = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, name)
    if found < 0:
        raise UnknownNameError("camera", name, [model.camera(i).name for i in range(model.ncam)])
    return int(found)
