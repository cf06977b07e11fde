"""Every exception that Elsewhere raises on purpose, for people to read.

    ElsewhereError
    ├── RigError            a rig file names something that does not exist or does not fit
    │   └── ModelError      a robot model cannot be read, or lacks what control needs
    ├── MessageError        a message from outside does not have the promised form
    ├── LinkError           two sides cannot talk (port taken, refused, no answer)
    ├── GraphicsError       no OpenGL context can be made
    ├── BrowserError        no browser can be started
    ├── ScriptError         a trajectory script cannot be read, or does not fit the robot
    ├── RecordingError      a recording cannot be written or read
    ├── TimingError         rates that do not divide each other, a clock that cannot be used
    └── UnknownNameError    a name was not found; the message lists the valid ones

A message is one sentence on what is wrong and one on what would be right. The command line prints
it and exits with code 2. Inside loops nothing is raised: see `elsewhere.status`.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class ElsewhereError(Exception):
    """Base of everything raised on purpose."""


class RigError(ElsewhereError):
    """A rig file names something that does not exist or does not fit."""


class ModelError(RigError):
    """A robot model cannot be read, or lacks what control needs (limits, inertia, a tip)."""


class MessageError(ElsewhereError):
    """A message from outside does not have the promised form."""


class LinkError(ElsewhereError):
    """Two sides cannot talk: port taken, refused, no answer."""


class GraphicsError(ElsewhereError):
    """No OpenGL context can be made."""


class BrowserError(ElsewhereError):
    """No browser can be started."""


class RecordingError(ElsewhereError):
    """A recording cannot be written or read."""


class ScriptError(ElsewhereError):
    """A trajectory script cannot be read, or asks for what the robot cannot do."""


class TimingError(ElsewhereError):
    """Rates that do not divide each other, or a clock that cannot be used."""


class UnknownNameError(ElsewhereError):
    """A name was not found. The message lists the valid ones and the nearest."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        names = sorted(valid)
        near = get_close_matches(name, names, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        listed = ", ".join(names) if names else "none is registered"
        super().__init__(f"There is no {kind} '{name}'.{hint} Valid: {listed}.")
        self.kind, self.name, self.valid = kind, name, names
