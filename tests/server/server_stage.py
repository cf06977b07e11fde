"""A stage for tests of the server: slots as world and tick would write them."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.records import FRAME, REQUEST, TAP, scene_record, zeros
from elsewhere.rig import Rig
from elsewhere.server.server import TAP_LENGTH, AvatarServer
from elsewhere.shared import Ring, Slot, run_folder
from elsewhere.status import Mode, Status

RIG = {
    "name": "small",
    "title": "A small avatar",
    "arms": {"left": {"part": "panda"}, "right": {"part": "panda"}},
    "hands": {"left": {"part": "six-motor-hand"}, "right": {"part": "wide-gripper"}},
    "video": {"width": 320, "height": 48, "rate_hz": 30, "bitrate_kbps": 1000},
}


class Picture:
    """A source of pictures that need no graphics: a grey that follows the first position."""

    def render(self, qpos: NDArray[np.float64]) -> NDArray[np.uint8]:
        return np.full((48, 640, 3), 100 + int(qpos[0]) % 50, np.uint8)

    def close(self) -> None:
        pass


class Stage:
    """The slots of one run, written as world and tick would write them, and the server between."""

    def __init__(self, rig: Rig, body: Body, model: mujoco.MjModel) -> None:
        self.folder = run_folder()
        self.rig, self.body, self.model = rig, body, model
        self.frame = Slot(self.folder / "frame", FRAME, create=True)
        self.request = Slot(self.folder / "request", REQUEST, create=True)
        self.scene = Slot(self.folder / "scene", scene_record(model.nq), create=True)
        self.tap = Ring(self.folder / "tap", TAP, TAP_LENGTH, create=True)
        self.resets = self.ticks = self.seed = 0
        self.qpos = model.qpos0.copy()
        self.server = self.make_server()
        self._task: asyncio.Task[None] | None = None

    def make_server(self, **options: object) -> AvatarServer:
        options = {"port": 0, "camera": Picture, **options}
        return AvatarServer(self.rig, self.body, self.model, self.folder, **options)

    async def start(self) -> None:
        await self.server.start()
        self._task = asyncio.ensure_future(self._tick())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        await self.server.stop()
        shutil.rmtree(self.folder)

    async def _tick(self) -> None:
        while True:
            now_ns = time.monotonic_ns()
            tap, scene = zeros(TAP), zeros(self.scene.dtype)
            self.ticks += 1
            tap["tick"], tap["now_ns"] = self.ticks, now_ns
            tap["mode"], tap["status"], tap["fade"] = Mode.TRACK, Status.OK, 1.0
            tap["frame"], tap["request"] = self.frame.read(), self.request.read()
            tap["period_us"], tap["compute_us"] = 1000.0, 120.0
            self.tap.append(tap)
            scene["sampled_ns"], scene["resets"], scene["qpos"] = now_ns, self.resets, self.qpos
            scene["seed"] = self.seed
            self.scene.write(scene)
            await asyncio.sleep(0.004)


async def until(condition: Callable[[], object], seconds: float = 8.0) -> None:
    """Wait until the condition holds; fail when it never does."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)
