"""A relay that is not there: serves the built overlay page, and streams a robot that swings its arms.

Its frames have the wire's real form (`elsewhere.messages`), so the page cannot tell. A test sets what
goes wrong: `fault`, `silent`, `broken`, `backwards`, and what the tracker sees: `marker`.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from pathlib import Path
from types import TracebackType

import numpy as np
from aiohttp import WSMsgType, web
from box_models import ELBOW, HEIGHT, SHOULDER, WRIST, human_glb, robot_glb
from msgspec.structs import replace
from numpy.typing import NDArray

import elsewhere.server
from elsewhere.messages import Ping, Pong, Stamp, encode
from elsewhere.overlay_messages import (
    ArmPoints,
    HumanAnnotation,
    HumanArmRest,
    OverlayArm,
    OverlayFrame,
    OverlayMarker,
    OverlaySolved,
    OverlayWelcome,
    Tracked,
    TrackImage,
    decode_overlay_up,
)

Vector = NDArray[np.float64]

STATIC = Path(elsewhere.server.__file__).parent / "static"
SOLVERS = ["onia", "dls", "fabrik", "bounded"]
LAG = [0.0, 0.05, 0.1, 0.0]
"""How far the wrist of each made-up solver stays behind, as a share of the forearm."""
STAND = np.array([0.02, 0.0, -0.12])
"""The human's body on the robot."""
UPPER, FORE, HAND = 0.31, 0.27, 0.12
LINKS = {"base": (np.array([-0.15, -0.15, 0.0]), np.array([0.05, 0.15, 1.3]))} | {
    f"{side}_{name}": (np.array([0.0, -0.05, -0.05]), np.array([length, 0.05, 0.05]))
    for side in ("left", "right")
    for name, length in (("upper", UPPER), ("fore", FORE), ("hand", HAND))
}


def annotation() -> HumanAnnotation:
    """The human of boxes: palms down, so its left hand points to +y and its right hand to -y."""
    half = math.sqrt(0.5)
    arms = tuple(
        HumanArmRest(
            (0.0, SHOULDER * sign, HEIGHT),
            (0.0, ELBOW * sign, HEIGHT),
            (0.0, WRIST * sign, HEIGHT),
            (0.0, 0.0, -sign),
            (0.0, 0.0, -1.0),
        )
        for sign in (1.0, -1.0)
    )
    return HumanAnnotation(arms, ((half, 0.0, 0.0, half), (half, 0.0, 0.0, -half)))  # type: ignore[arg-type]


def rotation(x: Vector) -> tuple[float, float, float, float]:
    """A frame whose x axis points along `x`, as a quaternion."""
    return between(np.array([1.0, 0.0, 0.0]), x)


def between(a: Vector, b: Vector) -> tuple[float, float, float, float]:
    """The least rotation of direction a to direction b."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    q = np.array([1.0 + a @ b, *np.cross(a, b)])
    q /= np.linalg.norm(q)
    return tuple(q.tolist())  # type: ignore[return-value]


def frame(sequence: int, now_ns: int, *, fault: str = "", broken: int | None = None) -> OverlayFrame:
    """The robot at this time, and the human that each made-up solver lays over it."""
    t = now_ns * 1e-9
    points, places, turns = [], [np.zeros(3)], [(1.0, 0.0, 0.0, 0.0)]
    for side, sign in enumerate((1.0, -1.0)):
        swing = 0.35 * math.sin(1.1 * t + 0.8 * side)
        down = -0.75 + 0.4 * swing
        upper = np.array([0.25 + 0.3 * swing, sign * math.cos(down) * 0.9, math.sin(down)])
        fore = np.array([0.95, -0.25 * sign, 0.25 + swing])
        upper, fore = upper / np.linalg.norm(upper), fore / np.linalg.norm(fore)
        shoulder = np.array([0.05, 0.2 * sign, HEIGHT - 0.12])
        elbow = shoulder + UPPER * upper
        wrist = elbow + FORE * fore
        places += [shoulder, elbow, wrist]
        turns += [rotation(upper), rotation(fore), rotation(fore)]
        points.append((shoulder, elbow, wrist, fore))
    opening = 0.5 + 0.5 * math.sin(0.9 * t)
    return OverlayFrame(
        sequence=sequence,
        stamp=Stamp(now_ns, now_ns),
        links_p=[tuple(p.tolist()) for p in places],
        links_q=turns,
        reference=tuple(  # type: ignore[arg-type]
            ArmPoints(tuple(s.tolist()), tuple(e.tolist()), tuple(w.tolist()), hand(f, side))
            for side, (s, e, w, f) in enumerate(points)
        ),
        opening=(opening, opening),
        fingers=((0.5 * opening, 0.4, 0.6), (0.5 * opening, 0.4, 0.6)),
        solved=[solved(points, LAG[index], index == broken) for index in range(len(SOLVERS))],
        fault=fault,
    )


def hand(fore: Vector, side: int) -> tuple[float, float, float, float]:
    """The hand goes on along the forearm."""
    return between(np.array([0.0, 1.0 - 2.0 * side, 0.0]), fore)


def solved(points: list[tuple[Vector, Vector, Vector, Vector]], lag: float, broken: bool) -> OverlaySolved:
    """Both arms aimed at their reference points; the forearm falls short by `lag`."""
    arms = []
    for side, (_, elbow, wrist, fore) in enumerate(points):
        rest = np.array([0.0, 1.0 - 2.0 * side, 0.0])
        shoulder = np.array([0.0, SHOULDER * rest[1], HEIGHT]) + STAND
        reach = float(np.linalg.norm(elbow - shoulder))
        arms.append(
            OverlayArm(
                between(rest, elbow - shoulder),
                between(rest, wrist - elbow),
                hand(fore, side),
                float("nan") if broken else reach / (ELBOW - SHOULDER),
                (1.0 - lag) * FORE / (WRIST - ELBOW),
                0.0,
                lag * FORE,
                "ok" if lag < 0.08 else "held",
            )
        )
    body_q = (1.0, 0.0, 0.0, 0.0)
    return OverlaySolved(tuple(STAND.tolist()), body_q, (arms[0], arms[1]), 2.4 + 900.0 * lag)  # type: ignore[arg-type]


class Relay:
    """The server, in a thread of its own, from `with` to its end."""

    def __init__(self, rate_hz: float = 50.0) -> None:
        self.fault = ""
        self.silent = False
        self.broken: int | None = None
        self.backwards = False
        self.marker: Tracked | None = None
        self.pictures = 0
        self.heard: list[str] = []
        self.human = human_glb()
        self.robot = robot_glb(LINKS)
        self._rate_hz = rate_hz
        self._sockets: set[web.WebSocketResponse] = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.url = ""

    def __enter__(self) -> Relay:
        self._thread.start()
        assert self._ready.wait(10), "the relay did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._drop(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def drop(self) -> None:
        """Hang up on every viewer."""
        asyncio.run_coroutine_threadsafe(self._drop(), self._loop).result(5)

    async def _drop(self) -> None:
        for socket in list(self._sockets):
            await socket.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._loop.run_forever()

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_get("/api/overlay", self._stream)
        app.router.add_get("/api/overlay/{name}.glb", self._model)
        app.router.add_static("/", STATIC)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        self._ready.set()

    async def _model(self, request: web.Request) -> web.Response:
        body = self.human if request.match_info["name"] == "human" else self.robot
        return web.Response(body=body, content_type="model/gltf-binary")

    async def _stream(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._sockets.add(socket)
        await socket.send_bytes(encode(self._welcome()))
        sender = asyncio.create_task(self._send(socket))
        try:
            async for message in socket:
                if message.type == WSMsgType.BINARY:
                    await self._answer(socket, message.data)
        finally:
            sender.cancel()
            self._sockets.discard(socket)
        return socket

    def _welcome(self) -> OverlayWelcome:
        return OverlayWelcome(
            rig="boxes",
            title="Boxes",
            solvers=SOLVERS,
            default_solver="onia",
            rate_hz=self._rate_hz,
            human_url="/api/overlay/human.glb",
            robot_url="/api/overlay/robot.glb",
            links=list(LINKS),
            human=annotation(),
            marker=OverlayMarker("4x4_50", 7, 0.1, (0.06, 0.0, 0.8), (1.0, 0.0, 0.0, 0.0)),
        )

    async def _send(self, socket: web.WebSocketResponse) -> None:
        sequence = 0
        while not socket.closed:
            await asyncio.sleep(1.0 / self._rate_hz)
            sequence += 1
            if self.silent:
                # The line is alive, the robot is not.
                continue
            number = max(0, sequence - 20) if self.backwards and sequence % 2 else sequence
            made = frame(number, time.monotonic_ns(), fault=self.fault, broken=self.broken)
            await socket.send_bytes(encode(made))

    async def _answer(self, socket: web.WebSocketResponse, data: bytes) -> None:
        received = time.monotonic_ns()
        message = decode_overlay_up(data)
        self.heard.append(type(message).__name__)
        if isinstance(message, Ping):
            pong = Pong(message.seq, message.sent_ns, received, time.monotonic_ns())
            await socket.send_bytes(encode(pong))
        elif isinstance(message, TrackImage):
            assert message.jpeg[:2] == b"\xff\xd8", "not a JPEG"
            self.pictures += 1
            nothing = Tracked(0, False, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 0.0)
            answer = replace(self.marker or nothing, sequence=message.sequence)
            await socket.send_bytes(encode(answer))
