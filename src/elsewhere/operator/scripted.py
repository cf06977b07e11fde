"""A scripted operator: does the tasks of the room, as a person would through the same link.

It knows what the link tells it and nothing else: the description of the scene that a newcomer gets,
where things came to rest since, what the referee says, and the avatar's state. It moves one hand by
minimum-jerk reaches while it holds the clutch, feels with the wrist, waits until the hand has
arrived, and tries again when something went wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.messages import AvatarState, HandInput, HeadInput, OperatorFrame, SceneDescription, Stamp
from elsewhere.operator.eyes import Eyes
from elsewhere.operator.hand import Script, ScriptedHand
from elsewhere.operator.scripts import TASKS
from elsewhere.operator.scripts.task import Task

_IDENTITY = (1.0, 0.0, 0.0, 0.0)
_IDLE = HandInput(False, False, (0.0, 0.0, 0.0), _IDENTITY, (0.0,) * 6)
_END = object()


class ScriptedOperator:
    """Call `step` a hundred times a second or more; send the frame that it returns."""

    def __init__(
        self,
        scene: SceneDescription,
        tasks: Sequence[Task] = (TASKS["block"],),
        side: str = "right",
    ) -> None:
        """Raises UnknownNameError when the scene lacks what a task is about."""
        self.tasks = tuple(tasks)
        self.eyes, self.hand = Eyes(scene), ScriptedHand(side)
        for name in (name for task in self.tasks for name in task.things):
            self.eyes.find(name)
        self.finished = False
        self._seq = 0
        self._script = self._do_all()

    @property
    def phase(self) -> str:
        """What it is doing, in words."""
        return self.hand.phase

    @property
    def tries(self) -> int:
        """How often it began a task, all together."""
        return self.hand.tries

    @property
    def succeeded(self) -> bool:
        """Whether all that it was asked to do is done, as the referee says."""
        return self.finished and all(self.eyes.goals.get(task.goal, False) for task in self.tasks)

    def step(self, state: AvatarState | None, now_ns: int) -> OperatorFrame:
        """The next frame, given the newest state of the avatar. `now_ns` is our own clock."""
        if state is not None:
            self.hand.take(state, 1e-9 * now_ns)
            self.eyes.base_pose = state.base_pose
            if not self.finished and next(self._script, _END) is _END:
                self.finished = True
        self._seq += 1
        hand = self.hand.input()
        left, right = (hand, _IDLE) if self.hand.side == "left" else (_IDLE, hand)
        stamp = Stamp(sampled_ns=now_ns, available_ns=now_ns)
        return OperatorFrame(self._seq, stamp, left, right, HeadInput(True, _IDENTITY), (0.0, 0.0, 0.0))

    def _do_all(self) -> Script:
        """One task after the other."""
        for task in self.tasks:
            yield from task.do(self.hand, self.eyes)
        self.hand.release()
        self.hand.phase = "done"
        yield
