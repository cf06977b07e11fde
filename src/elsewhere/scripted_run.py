"""Let the scripted operator drive a running avatar over the real link, and report the outcome."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from elsewhere.link.client import LinkClient, connect
from elsewhere.messages import Event, SceneChanged, TaskState
from elsewhere.operator.scripted import ScriptedOperator

PERIOD_S = 0.008
GOAL = "block_on_tray"


@dataclass
class Outcome:
    """How a scripted run went."""

    completed: bool
    seconds: float
    phase: str
    tries: int
    seed: int
    goals: dict[str, bool]
    frames: int
    faults: list[str]

    def as_dict(self) -> dict[str, object]:
        """For `--json`."""
        return asdict(self)


async def drive(url: str, seconds: float, progress: Callable[[str], None] = lambda text: None) -> Outcome:
    """Connect to the avatar at `url`, put the block on the tray, and say how it went."""
    async with connect(url) as link:
        operator = ScriptedOperator(link.welcome.scene)
        outcome = Outcome(False, 0.0, operator.phase, 0, link.welcome.scene.seed, {}, 0, [])
        listener = asyncio.ensure_future(_listen(link, outcome))
        began = time.monotonic()
        due = began
        while not link.closed and time.monotonic() - began < seconds:
            link.send(operator.step(link.latest(), link.now_ns()))
            outcome.frames += 1
            if outcome.phase != operator.phase:
                progress(operator.phase)
            outcome.phase, outcome.tries = operator.phase, operator.tries
            outcome.completed = operator.finished and outcome.goals.get(GOAL, False)
            if outcome.completed:
                break
            due = max(due + PERIOD_S, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
        outcome.seconds = round(time.monotonic() - began, 2)
        listener.cancel()
        return outcome


async def _listen(link: LinkClient, outcome: Outcome) -> None:
    async for message in link:
        match message:
            case TaskState(goals=goals):
                outcome.goals = dict(goals)
            case Event(level="fault", text=text):
                outcome.faults.append(text)
            case SceneChanged(scene=scene):
                outcome.seed = scene.seed
