"""What a scripted operator can do: one file a task."""

from __future__ import annotations

from elsewhere.errors import UnknownNameError
from elsewhere.operator.scripts.block import BLOCK
from elsewhere.operator.scripts.lever import LEVER
from elsewhere.operator.scripts.peg import PEG
from elsewhere.operator.scripts.task import Task

TASKS = {task.name: task for task in (BLOCK, PEG, LEVER)}
ALL = "all"


def find_tasks(name: str) -> tuple[Task, ...]:
    """The task of that name, or all of them in order. Raises UnknownNameError."""
    if name == ALL:
        return tuple(TASKS.values())
    if name not in TASKS:
        raise UnknownNameError("task", name, [*TASKS, ALL])
    return (TASKS[name],)
