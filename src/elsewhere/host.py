"""Everything that `elsewhere run` starts, in one object: processes, server, recorder.

async with Host(rig) as host:
    print(host.url)
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from types import TracebackType
from typing import Self

from elsewhere.avatar.supervisor import Supervisor
from elsewhere.avatar.tick import SNAPSHOT
from elsewhere.bodies.compose import compose
from elsewhere.messages import RecordingState
from elsewhere.pace import answer_at_once
from elsewhere.record.names import BodyNames
from elsewhere.record.recorder import Recorder
from elsewhere.rig import Rig
from elsewhere.server.server import PORT, AvatarServer
from elsewhere.world.scenes import make_scene
from elsewhere.world.simulation import assemble

KEYFRAME_S = 0.5
SWITCH_S = 0.0003
PRIORITY = 5


class Host:
    """One avatar with all that belongs to it. Use as an asynchronous context manager."""

    def __init__(
        self,
        rig: Rig,
        *,
        host: str = "127.0.0.1",
        port: int = PORT,
        seed: int | None = None,
        record: bool = True,
        stamp: bool = False,
    ) -> None:
        self.rig, self.seed = rig, rig.world.seed if seed is None else seed
        self.body = compose(rig)
        self._scene = make_scene(rig.world.scene)
        self._model = assemble(self.body, self._scene)
        self._address, self._record, self._stamp = (host, port), record, stamp
        self._stack = contextlib.AsyncExitStack()
        self.recorder: Recorder | None = None

    async def __aenter__(self) -> Self:
        # The camera's thread asks for Python's lock several times a frame: at the default of 5 ms each
        # would wait for a busy event loop, and the picture with it.
        sys.setswitchinterval(SWITCH_S)
        answer_at_once(PRIORITY)
        async with contextlib.AsyncExitStack() as stack:
            self.supervisor = Supervisor(self.rig, nq=self._model.nq, seed=self.seed, notify=self._notify)
            stack.callback(self.supervisor.close)
            host, port = self._address
            self.server = AvatarServer(
                self.rig,
                self.body,
                self._model,
                self.supervisor.folder,
                scene=self._scene,
                host=host,
                port=port,
                recording=self._recording,
                stamp=self._stamp,
            )
            # First the port, which may be taken, then the processes, which take seconds.
            await self.server.start()
            stack.push_async_callback(self.server.stop)
            await asyncio.to_thread(self.supervisor.start)
            if self._record:
                self._start_recording(stack)
            for notice in self.supervisor.notices():
                self.server.notify("warning", "no-realtime", notice)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    @property
    def url(self) -> str:
        """The address of the operator's page."""
        return self.server.url

    @property
    def overlay_url(self) -> str:
        """The address of the overlay's page, or nothing for a robot that cannot wear a person."""
        return self.server.overlay_url

    def _start_recording(self, stack: contextlib.AsyncExitStack) -> None:
        names = BodyNames.of(self.body)
        recorder = Recorder(self.rig, names, self.supervisor.folder, snapshot=SNAPSHOT, seed=self.seed)
        self.recorder = recorder
        recorder.start()
        stack.callback(recorder.stop)
        self.server.media.listen(recorder.video)
        stack.callback(self.server.media.unlisten, recorder.video)
        watch = asyncio.ensure_future(self._watch_recorder(recorder))
        stack.callback(watch.cancel)

    async def _watch_recorder(self, recorder: Recorder) -> None:
        """Tell people about a recorder in trouble, and the encoder when the recorder needs a keyframe."""
        fault = ""
        while True:
            await asyncio.sleep(KEYFRAME_S)
            if recorder.wants_keyframe:
                self.server.media.want_keyframe()
            now = recorder.status().fault
            if now != fault:
                level, text = ("fault", now) if now else ("info", "Recording goes on.")
                self.server.notify(level, "recording", text)  # type: ignore[arg-type]
                fault = now

    def _recording(self) -> RecordingState:
        return self.recorder.status() if self.recorder else RecordingState(active=False)

    def _notify(self, level: str, code: str, text: str) -> None:
        self.server.notify(level, code, text)  # type: ignore[arg-type]
        if self.recorder is not None:
            self.recorder.event(level, code, text)
