"""Let the scripted operator drive a running avatar over the real link, and report the outcome."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from elsewhere.link.client import LinkClient, connect
from elsewhere.messages import Event, SceneChanged, TaskState, ThingsMoved
from elsewhere.operator.scripted import ScriptedOperator
from elsewhere.operator.scripts import TASKS
from elsewhere.operator.scripts.task import Task

PERIOD_S = 0.008
LAST_WORD_S = 2.0
SECONDS_A_TASK = 90.0  # when nothing else is asked for


@dataclass
class Outcome:
    """How a scripted run went. `completed`: all that was asked for is done, as the referee says."""

    completed: bool
    seconds: float
    phase: str
    tries: int
    seed: int
    goals: dict[str, bool]
    frames: int
    connections: int
    faults: list[str]

    def as_dict(self) -> dict[str, object]:
        """For `--json`."""
        return asdict(self)


async def drive(
    url: str,
    seconds: float,
    progress: Callable[[str], None] = lambda text: None,
    tasks: tuple[Task, ...] = (TASKS["block"],),
) -> Outcome:
    """Connect to the avatar at `url`, do the tasks one after the other, and say how it went.

    A link that is lost is made again, as a page does, and the script goes on where it was.
    """
    outcome = Outcome(False, 0.0, "", 0, 0, {}, 0, 0, [])
    operator: ScriptedOperator | None = None
    began = time.monotonic()
    while time.monotonic() - began < seconds and not outcome.completed:
        async with connect(url, takeover=outcome.connections > 0) as link:
            outcome.connections += 1
            operator = operator or ScriptedOperator(link.welcome.scene, tasks)
            operator.eyes.look(link.welcome.scene.things)
            outcome.seed = link.welcome.scene.seed
            listener = asyncio.ensure_future(_listen(link, operator, outcome))
            await _steer(link, operator, outcome, began + seconds, progress)
            listener.cancel()
            if operator.finished and not link.closed:
                break  # it has given up
    outcome.seconds = round(time.monotonic() - began, 2)
    return outcome


async def _steer(
    link: LinkClient,
    operator: ScriptedOperator,
    outcome: Outcome,
    until: float,
    progress: Callable[[str], None],
) -> None:
    """Send frames until the operator has ended, the time is over or the link is lost."""
    due = time.monotonic()
    ended = math.inf  # when the operator did: the referee's last word may still be on its way
    while not link.closed and time.monotonic() < min(until, ended + LAST_WORD_S) and not outcome.completed:
        link.send(operator.step(link.latest(), link.now_ns()))
        outcome.frames += 1
        if outcome.phase != operator.phase:
            progress(operator.phase)
        outcome.phase, outcome.tries = operator.phase, operator.tries
        outcome.completed = operator.succeeded
        if operator.finished and ended == math.inf:
            ended = time.monotonic()
        due = max(due + PERIOD_S, time.monotonic())
        await asyncio.sleep(due - time.monotonic())


async def _listen(link: LinkClient, operator: ScriptedOperator, outcome: Outcome) -> None:
    """What comes on the reliable channel: to the operator's eyes, and into the outcome."""
    async for message in link:
        match message:
            case TaskState(goals=goals):
                outcome.goals = operator.eyes.goals = dict(goals)
            case Event(level="fault", text=text):
                outcome.faults.append(text)
            case SceneChanged(scene=scene):
                outcome.seed = scene.seed
                operator.eyes.look(scene.things)
            case ThingsMoved(things=things):
                operator.eyes.look(things)
