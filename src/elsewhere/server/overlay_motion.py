"""The motion server: plays trajectory scripts into the tick, from the operator's seat.

While a script plays, nobody else drives; an operator who takes over ends it. Stop and resume are the same
requests that an operator's are.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from elsewhere.bodies.body import Body
from elsewhere.errors import ScriptError, UnknownNameError
from elsewhere.link.session import Seat, Seats
from elsewhere.messages import Resume, Stop
from elsewhere.motion.script import Script, load_script, script_names
from elsewhere.motion.script_player import Phase, ScriptPlayer
from elsewhere.records import Record
from elsewhere.server.connection import released_frame
from elsewhere.server.requests import Requests
from elsewhere.shared import Slot

PERIOD_S = 0.01


class MotionServer:
    """Plays one script at a time."""

    def __init__(
        self,
        body: Body,
        frames: Slot,
        requests: Requests,
        seats: Seats,
        newest: Callable[[], Record | None],
        notify: Callable[[str, str], None],
    ) -> None:
        """`newest` gives the newest tick, or None. `notify` is told level and text of what happens."""
        self._body, self._frames, self._requests, self._seats = body, frames, requests, seats
        self._newest, self._notify = newest, notify
        self.player: ScriptPlayer | None = None
        self._seat: Seat | None = None
        self._task: asyncio.Task[None] | None = None

    def play_named(self, name: str) -> ScriptPlayer:
        """Begin a script that comes with the package. By name only: who asks from outside reads no files.

        Raises UnknownNameError, and as `play` does.
        """
        if name not in script_names():
            raise UnknownNameError("script", name[:80], script_names())
        return self.play(load_script(name))

    def play(self, script: Script) -> ScriptPlayer:
        """Begin a script; one that plays gives way.

        Raises SeatTakenError while an operator drives, and ScriptError for what this robot cannot do.
        """
        check = ScriptPlayer(script, self._body, 0)  # refuses before anything is ended
        self.end()
        now_ns = time.monotonic_ns()
        seat, _ = self._seats.claim("operator", now_ns)
        self._seats.connected(seat.id, now_ns)
        check.use_session(seat.number)
        self.player, self._seat = check, seat
        self._notify("info", f"The script '{script.name}' begins.")
        self._task = asyncio.ensure_future(self._run(check, seat))
        return check

    def stop(self) -> None:
        """Stop every motion and hold, until `resume`."""
        self._requests.apply(Stop())

    def resume(self) -> None:
        """End a stop: the script goes on from where the arms are."""
        self._requests.apply(Resume())

    def end(self) -> None:
        """End the script, if one plays: the arms hold."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            self._release("was ended")

    async def close(self) -> None:
        """End the script and wait until its task is over."""
        self.end()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def finished(self) -> ScriptPlayer:
        """Wait until the script is over. Raises ScriptError when none was begun, or it ended too early."""
        if self._task is None or self.player is None:
            raise ScriptError("No script plays. Begin one by its name.")
        await asyncio.gather(self._task, return_exceptions=True)
        if self.player.phase is not Phase.DONE:
            raise ScriptError(self.player.fault or f"The script '{self.player.script.name}' was ended.")
        return self.player

    def status(self) -> dict[str, object]:
        """For the API."""
        player = self.player
        playing = self._task is not None and not self._task.done()
        told: dict[str, object] = {"scripts": script_names(), "playing": playing}
        if player is not None:
            told |= {
                "script": player.script.name,
                "title": player.script.title,
                "phase": str(player.phase),
                "waypoint": player.waypoint.name,
                "index": player.index,
                "waypoints": len(player.script.waypoints),
                "fault": player.fault,
            }
        return told

    async def _run(self, player: ScriptPlayer, seat: Seat) -> None:
        due_s = time.monotonic()
        while not player.finished:
            if seat.id not in self._seats:
                self._release("gave way to an operator")
                return
            now_ns = time.monotonic_ns()
            self._frames.write(player.step(now_ns, self._newest()))
            self._seats.heard(seat.id, now_ns)
            due_s = max(due_s + PERIOD_S, time.monotonic())
            await asyncio.sleep(max(0.0, due_s - time.monotonic()))
        self._release("is over" if player.phase is Phase.DONE else player.fault)

    def _release(self, why: str) -> None:
        """Leave the seat, and let the tick know at once that nobody drives."""
        seat, player = self._seat, self.player
        self._seat = None
        if seat is None or player is None:
            return
        if self._seats.release(seat.id) is not None:
            self._frames.write(released_frame(seat.number, player.sent + 1, time.monotonic_ns()))
        level = "warning" if player.phase is Phase.FAILED else "info"
        self._notify(level, why if player.fault else f"The script '{player.script.name}' {why}.")
