"""The avatar's server: sessions, state, video and pages around the slots of one run.

    server = AvatarServer(rig, body, model, folder)
    await server.start()
    ...
    await server.stop()

It reads the slots `scene` and `tap` and writes `frame` and `request`; whoever made the folder runs
the world and the tick.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import secrets
import ssl
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import mujoco
import numpy as np
from aiohttp import web

from elsewhere.bodies.body import Body
from elsewhere.errors import LinkError
from elsewhere.link.session import Role, Seats
from elsewhere.link.track import PacketTrack
from elsewhere.link.webrtc import Peer
from elsewhere.messages import (
    AvatarState,
    Event,
    Quaternion,
    RecordingState,
    ReliableDown,
    SceneChanged,
    TaskState,
    ThingsMoved,
    Welcome,
    encode,
)
from elsewhere.records import FRAME, REQUEST, TAP, scene_record
from elsewhere.rig import Rig
from elsewhere.server.app import STATIC, make_app
from elsewhere.server.connection import Connection
from elsewhere.server.feedback import RATE_HZ, TapReader
from elsewhere.server.media import Media, PictureSource
from elsewhere.server.notices import Level, Notices
from elsewhere.server.overlay import Overlay
from elsewhere.server.overlay_motion import MotionServer
from elsewhere.server.place import Place
from elsewhere.server.requests import Requests
from elsewhere.shared import Ring, Slot
from elsewhere.spatial._kernels import quat_from_yaw_pitch_roll
from elsewhere.world.cameras import stereo_camera
from elsewhere.world.scene import Scene
from elsewhere.world.scenes import make_scene

logger = logging.getLogger(__name__)

PORT = 8765
TAP_LENGTH = 4096
GOALS_S = 0.4
RECORDING_S = 0.2
WATCH_S = 0.1
LAST_WORDS_S = 0.1  # what is sent on the reliable channel before closing needs a moment to leave


class AvatarServer:
    """Pages, API, sessions, state and video of one avatar."""

    def __init__(
        self,
        rig: Rig,
        body: Body,
        scene_model: mujoco.MjModel,
        folder: Path,
        *,
        scene: Scene | None = None,
        host: str = "127.0.0.1",
        port: int = PORT,
        key: str | None = None,
        ssl_context: ssl.SSLContext | None = None,
        camera: Callable[[], PictureSource] | None = None,
        recording: Callable[[], RecordingState] | None = None,
        stamp: bool = True,
        static: Path = STATIC,
    ) -> None:
        """Nothing starts here; see `start`.

        `scene` describes and referees (default: the rig's). `camera` makes what renders, in the camera's
        thread (default: the stereo camera). `recording` tells what the recorder does. `stamp` writes
        the frame number into the top rows of the picture. `port` 0 takes any free one. `key`: asked
        from whoever connects; where other machines can connect there is always one.
        """
        self.rig, self.body, self.host, self.port, self.static = rig, body, host, port, static
        self.loopback = _is_loopback(host)
        self.key = key if key is not None else "" if self.loopback else secrets.token_urlsafe(16)
        if not self.loopback and not self.key:
            raise LinkError(f"An avatar at {host} can be reached by others. Give a key, or bind 127.0.0.1.")
        self.notices = Notices()
        self.seats = Seats()
        self.connections: dict[str, Connection] = {}
        self.state: AvatarState | None = None
        scene = scene or make_scene(rig.world.scene)
        nq = scene_record(scene_model.nq)
        self._ssl = ssl_context
        self._frames = Slot(folder / "frame", FRAME)
        self._requests = Requests(Slot(folder / "request", REQUEST))
        self._scene_slot = Slot(folder / "scene", nq)
        self._place = Place(scene_model, scene)
        self._taps = TapReader(Ring(folder / "tap", TAP, TAP_LENGTH), body.hands, rig.control.rate_hz)
        self._ring = Ring(folder / "tap", TAP, TAP_LENGTH)
        self.motion = MotionServer(
            body,
            self._frames,
            self._requests,
            self.seats,
            self._ring.last,
            lambda level, text: self.notices.notify(level, "script", text),  # type: ignore[arg-type]
        )
        self.overlay = Overlay(body, self._ring.last, self.motion)
        self._recording = recording or (lambda: RecordingState(active=False))
        video = rig.video
        make_camera = camera or (
            lambda: stereo_camera(
                scene_model, video.width, video.height, scene=scene, renderer=video.renderer
            )
        )
        # Its own slot object: a slot's read buffer belongs to one thread.
        self.media = Media(
            video, scene_model, Slot(folder / "scene", nq), make_camera, self.notices, stamp=stamp
        )
        self._runner: web.AppRunner | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._endings: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    # --- start and stop -------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The address to open, with the key where one is needed."""
        scheme = "https" if self._ssl else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}/" + (f"?key={self.key}" if self.key else "")

    @property
    def overlay_url(self) -> str:
        """The address of the overlay's page; empty where nobody can be drawn over this robot."""
        if not self.overlay.possible:
            return ""
        return self.url.replace("/?", "/overlay.html?") if self.key else f"{self.url}overlay.html"

    async def start(self) -> None:
        """Bind the port and begin. Raises LinkError when the port cannot be had."""
        self._loop = asyncio.get_running_loop()
        self._runner = web.AppRunner(make_app(self), access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.host, self.port, ssl_context=self._ssl)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            raise LinkError(_bind_problem(self.host, self.port, error)) from error
        if self.port == 0:
            self.port = self._runner.addresses[0][1]
        self.notices.listen(self._pass_on)
        self.media.start()
        self._tasks = [
            asyncio.ensure_future(task) for task in (self._send_states(), self._referee(), self._watch())
        ]

    async def stop(self) -> None:
        """End every session, the camera loop and the pages."""
        for connection in list(self.connections.values()):
            self._end(connection, "info", "server-stopped", "The avatar's server stops.")
        if self._endings:
            await asyncio.wait(self._endings, timeout=4.0)
        await self.overlay.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.notices.listen(None)
        await self.media.stop()
        if self._runner is not None:
            await self._runner.cleanup()

    def notify(self, level: Level, code: str, text: str) -> None:
        """Tell everyone, and the log. Safe from any thread."""
        self.notices.notify(level, code, text)

    def info(self) -> dict[str, object]:
        """What a page may know before it connects."""
        return {
            "version": _version(),
            "rig": self.rig.name,
            "title": self.rig.title,
            "busy": self.seats.operator is not None,
        }

    # --- sessions -------------------------------------------------------------------------------

    async def open_session(self, role: Role, takeover: bool) -> tuple[str, str]:
        """Claim a seat: session id and offer. Raises SeatTakenError."""
        seat, leaves = self.seats.claim(role, time.monotonic_ns(), takeover=takeover)
        if leaves is not None and (old := self.connections.get(leaves.id)):
            self._end(old, "warning", "taken-over", "Another operator has taken over.")
        track = PacketTrack(self.media.want_keyframe)
        peer = Peer(track, address=self._ice_address())
        peer.on_keyframe_wanted = self.media.want_keyframe
        # The gate is as patient as the watchdog behind it: one limit, the rig's.
        limit_ms = self.rig.control.watchdog_ms
        connection = Connection(seat, peer, track, self._frames, self._requests, max_age_ms=limit_ms)
        self.connections[seat.id] = connection
        connection.on_heard = lambda: self.seats.heard(seat.id, time.monotonic_ns())
        connection.on_goodbye = lambda: self._end(connection, "info", "goodbye", f"The {role} left.")
        peer.on_open(lambda: self._opened(connection))
        peer.on_lost(lambda: self._end(connection, "warning", "lost", f"The link to the {role} was lost."))
        try:
            return seat.id, await peer.offer()
        except BaseException:
            self._end(connection, "warning", "no-offer", "A connection could not be prepared.")
            raise

    def _ice_address(self) -> str | None:
        """The one address for media on this machine alone, or None for all of them."""
        return ("127.0.0.1" if self.host == "localhost" else self.host) if self.loopback else None

    async def answer_session(self, id: str, sdp: str) -> bool:
        """Take the answer of a session. False when there is none of that id. Raises LinkError."""
        connection = self.connections.get(id)
        if connection is None or connection.seat.connected:
            return False
        try:
            await connection.peer.answer(sdp)
        except LinkError:
            self._end(connection, "warning", "no-answer", "A newcomer's answer could not be used.")
            raise
        return True

    def _opened(self, connection: Connection) -> None:
        """Both channels are open: welcome, and begin to send."""
        seat = connection.seat
        if connection.ended or seat.connected:
            return
        self._look_around()
        self.seats.connected(seat.id, time.monotonic_ns())
        video = self.rig.video
        connection.tell(
            Welcome(
                session=seat.id,
                rig=self.rig.name,
                title=self.rig.title,
                drives=seat.drives,
                hands={side: choice.part for side, choice in self.rig.hands.items()},
                scene=self._place.describe(),
                video_width=2 * video.width,
                video_height=video.height,
                eye_fov_deg=video.fov_deg,
                version=_version(),
                head_home=_head_home(self.rig),
            )
        )
        connection.tell(TaskState(self._place.goals))
        if self.media.fault:
            connection.tell(Event("fault", "no-video", self.media.fault, time.monotonic_ns()))
        connection.start()
        if connection.track is not None and connection.peer.watching:
            self.media.attach(connection.track)
        self.notify("info", "connected", f"A new {seat.role} is connected.")

    def _end(self, connection: Connection, level: Level, code: str, text: str) -> None:
        """End a session: the seat is free and the hands are released at once; closing takes a moment."""
        if self.connections.pop(connection.seat.id, None) is None:
            return
        self.seats.release(connection.seat.id)
        connection.release()
        if connection.track is not None:
            self.media.detach(connection.track)
        connection.tell(Event(level, code, text, time.monotonic_ns()))
        self.notify(level, code, text)
        if connection.refused:
            logger.info("refused in that session: %s", dict(connection.refused))
        ending = asyncio.ensure_future(_close_soon(connection))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    def _tell_all(self, message: ReliableDown) -> None:
        for connection in self.connections.values():
            if connection.seat.connected:  # the first word of a session is its welcome
                connection.tell(message)

    def _pass_on(self, event: Event) -> None:
        """A notice from any thread to all sessions."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell_all, event)

    # --- what runs all the time -----------------------------------------------------------------

    async def _send_states(self) -> None:
        """The newest tick to everyone, a hundred times a second."""
        period_s = 1.0 / RATE_HZ
        due_s = asked_s = time.monotonic()
        recording = self._recording()
        while True:
            if time.monotonic() - asked_s > RECORDING_S:
                asked_s, recording = time.monotonic(), self._recording()
            state = self._taps.poll(time.monotonic_ns(), recording)
            if state is not None:
                self.state = state
                if self.connections:
                    data = encode(state)
                    for connection in self.connections.values():
                        connection.show(data, "state")
            due_s = max(due_s + period_s, time.monotonic())
            await asyncio.sleep(max(0.0, due_s - time.monotonic()))

    async def _referee(self) -> None:
        """Goals at 5 Hz, told when they change; a reset is told with the new scene."""
        while True:
            self._look_around()
            await asyncio.sleep(GOALS_S)

    def _look_around(self) -> None:
        """Follow the scene to where it is now; tell everyone what has changed."""
        if not self._scene_slot.fresh:
            return
        goals = self._place.goals
        if self._place.follow(self._scene_slot.read()):
            self._tell_all(SceneChanged(self._place.describe()))
        if self._place.goals != goals:
            self._tell_all(TaskState(self._place.goals))
        if moved := self._place.moved():
            self._tell_all(ThingsMoved(moved))

    async def _watch(self) -> None:
        """End sessions that are silent. When this loop itself was late, they get another chance."""
        while True:
            before_s = time.monotonic()
            await asyncio.sleep(WATCH_S)
            if time.monotonic() - before_s > 3.0 * WATCH_S:
                continue
            for seat in self.seats.expired(time.monotonic_ns()):
                if connection := self.connections.get(seat.id):
                    did = "was not heard for a second" if seat.connected else "did not finish connecting"
                    text = f"The {seat.role} {did}."
                    self._end(connection, "warning", "silent", text)
                else:
                    self.seats.release(seat.id)


async def _close_soon(connection: Connection) -> None:
    await asyncio.sleep(LAST_WORDS_S)
    await connection.end()


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bind_problem(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is taken. Choose another with `--port`, or end what uses it."
    return f"Port {port} on {host} cannot be used: {error.strerror}. Choose another with `--port`."


def _head_home(rig: Rig) -> Quaternion:
    q = np.zeros(4)
    quat_from_yaw_pitch_roll(np.radians(rig.control.head_home_deg), q)
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def _version() -> str:
    try:
        return version("elsewhere")
    except PackageNotFoundError:
        return "unknown"
