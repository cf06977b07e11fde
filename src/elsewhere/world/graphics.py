"""An OpenGL context without a window, and MuJoCo's renderer on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import mujoco

from elsewhere.errors import GraphicsError

_REMEDY = (
    "Install EGL with a software driver (Debian and Ubuntu: apt install libegl1 libgl1-mesa-dri) "
    "or set MUJOCO_GL to one of egl, osmesa, glfw that works here."
)
_CARDS = (("/dev/dri", "renderD*"), ("/dev", "nvidia[0-9]*"))
_ORDER = ("egl", "osmesa", "glfw")
# For Mesa's software driver alone; other drivers do not know the names. Plain texture look-ups look the
# same and cost a tenth less. On few cores, threads that wait for each other cost more than they give.
_SOFTWARE = {"LP_PERF": "no_mip_linear,no_linear"}
if (os.cpu_count() or 1) <= 2:
    _SOFTWARE["LP_NUM_THREADS"] = "0"


def has_graphics_card() -> bool:
    """Whether OpenGL is likely to be quicker than the processor itself."""
    if sys.platform != "linux":
        return True
    return any(next(Path(place).glob(name), None) for place, name in _CARDS)


def prepare() -> None:
    """Settle how Mesa's software driver draws. It looks once, at the first context of a process."""
    for name, value in _SOFTWARE.items():
        os.environ.setdefault(name, value)


def open_context(width: int, height: int) -> Any:
    """A new OpenGL context: by `MUJOCO_GL` if that is set, else the first that works."""
    prepare()
    wanted = os.environ.get("MUJOCO_GL", "").lower()
    reasons = []
    for name in (wanted,) if wanted in _ORDER else _ORDER:
        try:
            return import_module(f"mujoco.{name}").GLContext(width, height)
        except Exception as error:  # each backend fails with exceptions of its own libraries
            reasons.append(f"{name}: {error or type(error).__name__}")
    raise GraphicsError(f"No OpenGL context can be made ({'; '.join(reasons)}). {_REMEDY}")


class Graphics:
    """MuJoCo's renderer with an off-screen buffer of a fixed size.

    Round shapes are drawn with `slices` around and `stacks` along: the cost of a picture follows.

    One context can be used from one thread at a time.
    """

    def __init__(self, model: mujoco.MjModel, width: int, height: int, *, slices: int, stacks: int) -> None:
        self._context = open_context(width, height)
        self._context.make_current()
        quality = model.vis.quality
        quality.numslices, quality.numstacks = slices, stacks
        # The buffer is made as large as the model says, so say it.
        model.vis.global_.offwidth, model.vis.global_.offheight = width, height
        try:
            self.renderer = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
        except mujoco.FatalError as error:
            raise GraphicsError(f"OpenGL cannot draw the scene: {error}. {_REMEDY}") from error
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self.renderer)

    @contextmanager
    def current(self) -> Iterator[mujoco.MjrContext]:
        """Make the context current in this thread while drawing."""
        self._context.make_current()
        yield self.renderer

    def close(self) -> None:
        """Free the buffer and the context."""
        self._context.make_current()
        self.renderer.free()
        self._context.free()
