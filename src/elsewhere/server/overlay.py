"""The overlay's side of the server: relay, viewers, models and the motion of scripts.

GET  /api/overlay             a WebSocket: `OverlayWelcome`, then `OverlayFrame` 100 times a second
GET  /api/overlay/robot.glb   the robot's shape, one node for each link
GET  /api/overlay/human.glb   the human's
GET  /api/overlay/motion      what the motion server does, and which scripts there are
POST /api/overlay/motion      {"script": name}, or {"action": "stop", "resume" or "end"}
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from aiohttp import web

from elsewhere.bodies.body import Body
from elsewhere.errors import ElsewhereError, LinkError
from elsewhere.messages import encode
from elsewhere.presence.tracking.fiducial import Fiducial
from elsewhere.records import Record
from elsewhere.server.overlay_motion import MotionServer
from elsewhere.server.overlay_relay import RATE_HZ, Relay, check_overlay
from elsewhere.server.overlay_solving import OverlaySolving
from elsewhere.server.overlay_tracking import ImageTracker
from elsewhere.server.overlay_viewer import Track, Viewer
from elsewhere.world.robot_glb import robot_glb

GLB = "model/gltf-binary"
ACTIONS = ("stop", "resume", "end")


class Overlay:
    """All that viewers of one avatar's overlay get. `newest` gives the newest tick, or None."""

    def __init__(
        self,
        body: Body,
        newest: Callable[[], Record | None],
        motion: MotionServer,
        *,
        solving: Callable[[], OverlaySolving] = OverlaySolving.ready,
        track: Callable[[], Track | None] | None = None,
    ) -> None:
        """`solving` and `track` make what lays the human over the robot, and what finds the marker."""
        self.body, self.motion, self.viewers = body, motion, set[Viewer]()
        self.relay: Relay | None = None
        self._newest, self._make_solving, self._make_track = newest, solving, track or self._tracker
        self._pool: ThreadPoolExecutor | None = None
        self._welcome = b""
        self._frame: bytes | None = None
        self._models: dict[str, bytes] = {}
        self._task: asyncio.Task[None] | None = None
        self._making = asyncio.Lock()

    @property
    def possible(self) -> bool:
        """Whether a person can be drawn over this robot."""
        try:
            check_overlay(self.body)
        except ElsewhereError:
            return False
        return True

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Serve the overlay's part of the API."""
        router.add_get("/api/overlay", self._view)
        router.add_get("/api/overlay/robot.glb", self._robot)
        router.add_get("/api/overlay/human.glb", self._human)
        router.add_get("/api/overlay/motion", self._motion_status)
        router.add_post("/api/overlay/motion", self._move)

    async def stop(self) -> None:
        """Let all viewers go, and end a script."""
        await self.motion.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await asyncio.gather(*(viewer.close() for viewer in list(self.viewers)))
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    async def ready(self) -> Relay:
        """The relay, made when the first viewer comes: the human and the solvers take a moment to load."""
        async with self._making:
            if self.relay is None:
                check_overlay(self.body)
                self.relay = await asyncio.to_thread(lambda: Relay(self.body, self._make_solving()))
                self._welcome = encode(self.relay.welcome())
                self._task = asyncio.ensure_future(self._relay(self.relay))
        return self.relay

    async def _relay(self, relay: Relay) -> None:
        """The newest pose to all viewers, at the relay's rate. Without viewers nothing is solved."""
        period_s = 1.0 / RATE_HZ
        due_s = time.monotonic()
        while True:
            if self.viewers:
                self._next_frame(relay)
                if self._frame is not None:
                    for viewer in self.viewers:
                        viewer.show(self._frame)
            due_s = max(due_s + period_s, time.monotonic())
            # Also when late: what was shown must have time to leave before the next comes.
            await asyncio.sleep(max(0.2 * period_s, due_s - time.monotonic()))

    def _next_frame(self, relay: Relay) -> None:
        tap = self._newest()
        now_ns = time.monotonic_ns()
        if tap is not None:
            relay.hear_tick(tap, now_ns)
        frame = relay.frame(now_ns)
        if frame is not None:
            self._frame = encode(frame)

    async def _view(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Upgrade", "").lower() != "websocket":
            raise LinkError("The overlay is a WebSocket. Open /overlay.html in a browser to see it.")
        relay = await self.ready()
        if not self.viewers:
            self._next_frame(relay)  # who comes first shall not be shown what was long ago
        viewer = Viewer(request, self._make_track())
        first = [self._welcome] if self._frame is None else [self._welcome, self._frame]
        self.viewers.add(viewer)
        try:
            return await viewer.serve(first)
        finally:
            self.viewers.discard(viewer)

    def _tracker(self) -> Track | None:
        """Finds the robot's base in one viewer's pictures."""
        marker = self.body.marker
        if marker is None:
            return None
        self._pool = self._pool or ThreadPoolExecutor(1, "tracking")
        T_base_marker = np.eye(4)
        T_base_marker[:3, :3], T_base_marker[:3, 3] = marker.R, marker.p
        fiducial = Fiducial(marker.id, marker.size, marker.dictionary)
        return ImageTracker(fiducial, T_base_marker, self._pool).answer

    async def _robot(self, request: web.Request) -> web.Response:
        return await self._model("robot", lambda: robot_glb(self.body))

    async def _human(self, request: web.Request) -> web.Response:
        relay = await self.ready()
        return await self._model("human", relay.solving.human_glb)

    async def _model(self, name: str, make: Callable[[], bytes]) -> web.Response:
        if name not in self._models:
            self._models[name] = await asyncio.to_thread(make)
        return web.Response(
            body=self._models[name], content_type=GLB, headers={"Cache-Control": "no-cache"}
        )

    async def _motion_status(self, request: web.Request) -> web.Response:
        return web.json_response(self.motion.status())

    async def _move(self, request: web.Request) -> web.Response:
        try:
            body = await request.json()
        except ValueError as error:
            raise LinkError("The body is not JSON.") from error
        match body:
            case {"script": str(name)}:
                self.motion.play_named(name)
            case {"action": ("stop" | "resume" | "end") as action}:
                getattr(self.motion, action)()
            case _:
                raise LinkError(
                    f'The body must be {{"script": name}} or {{"action": one of {", ".join(ACTIONS)}}}.'
                )
        return web.json_response(self.motion.status())
