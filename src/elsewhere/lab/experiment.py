"""What an experiment is: a question, a paper, options, and a run that gives a result.

An experiment is one file with one frozen dataclass, registered by `@experiment("name")`. Its fields
are its options, on the command line and in Python alike:

    @experiment("latency")
    @dataclass(frozen=True)
    class Latency(Experiment):
        title = "Latency of the whole system"
        question = "How long after the world moved does the operator see it?"
        paper = "AVATRINA, table 2"

        seconds: float = option(20.0, "how long to measure")

        def run(self, progress: Progress) -> Result: ...
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from elsewhere.lab.pictures import Sheet
from elsewhere.lab.plots import Plot
from elsewhere.lab.statistics import Row

Progress = Callable[[str], None]
"""Told in plain words what an experiment is doing. Libraries do not print; the caller may."""


@dataclass(frozen=True)
class Result:
    """What an experiment found. `summary` is what `--json` prints: plain numbers by name."""

    rows: tuple[Row, ...] = ()
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()
    summary: dict[str, Any] = field(default_factory=dict)
    pictures: tuple[Sheet, ...] = ()


class Experiment(ABC):
    """One question, answered by measuring. Subclasses are frozen dataclasses; fields are options."""

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    question: ClassVar[str] = ""
    paper: ClassVar[str] = ""

    @abstractmethod
    def run(self, progress: Progress) -> Result:
        """Do it. Raises ElsewhereError where it cannot be done."""


def option(default: Any, help: str) -> Any:
    """A dataclass field that is an option of an experiment."""
    return field(default=default, metadata={"help": help})


def options_of(kind: type[Experiment]) -> list[dataclasses.Field[Any]]:
    """The options of an experiment, in the order in which they are written."""
    return list(dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else []


def quiet(_: str) -> None:
    """A progress that is not shown."""
