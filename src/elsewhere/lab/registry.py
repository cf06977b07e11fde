"""Experiments by name: those of this folder, and those of installed packages.

A package adds one by the entry point group `elsewhere.experiments`; the entry point names the
class, or a module that registers it by being imported.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TypeVar

from elsewhere.errors import UnknownNameError
from elsewhere.lab.experiment import Experiment

GROUP = "elsewhere.experiments"
BUILT_IN = (
    "adversary",
    "fiducial",
    "ik",
    "latency",
    "mounts",
    "pipeline",
    "poses",
    "therapy",
    "tracking",
)
"""Modules of `elsewhere.lab` that register an experiment."""

_experiments: dict[str, type[Experiment]] = {}
_faults: dict[str, str] = {}

E = TypeVar("E", bound=type[Experiment])


def experiment(name: str) -> Callable[[E], E]:
    """Register a class under `name`."""

    def register(kind: E) -> E:
        kind.name = name
        _experiments[name] = kind
        return kind

    return register


def experiments() -> dict[str, type[Experiment]]:
    """Every experiment by name, in alphabetic order."""
    for module in BUILT_IN:
        importlib.import_module(f"elsewhere.lab.{module}")
    for entry in entry_points(group=GROUP):
        if entry.name in _experiments or entry.name in _faults:
            continue
        # A broken package must not take the others with it: it is left out, and `faults` says so.
        try:
            found = entry.load()
        except Exception as error:
            _faults[entry.name] = f"{entry.value} cannot be loaded: {error}"
            continue
        if isinstance(found, type) and issubclass(found, Experiment):
            experiment(entry.name)(found)
    return dict(sorted(_experiments.items()))


def faults() -> dict[str, str]:
    """Experiments of installed packages that could not be loaded, with the reason."""
    return dict(_faults)


def find_experiment(name: str) -> type[Experiment]:
    """The experiment of that name. Raises UnknownNameError, which lists the valid ones."""
    found = experiments()
    if name not in found:
        raise UnknownNameError("experiment", name, found)
    return found[name]
