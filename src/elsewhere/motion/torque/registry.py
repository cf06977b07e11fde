"""Torque laws by name: `@torque_law("joint-pd")` on the class. A rig chooses by `[control] torque`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from elsewhere.errors import UnknownNameError
from elsewhere.motion.torque.base import TorqueLaw

GROUP = "elsewhere.torque_laws"
"""Entry points of other packages: each names a module, and loading it runs the registrations."""
_BUILT_IN = ("impedance", "joint_pd")
_laws: dict[str, type[TorqueLaw]] = {}

L = TypeVar("L", bound=type[TorqueLaw])


def torque_law(name: str) -> Callable[[L], L]:
    """Register a class under `name`."""

    def register(kind: L) -> L:
        _laws[name] = kind
        return kind

    return register


def torque_law_names() -> list[str]:
    """Names of the torque laws."""
    _load()
    return sorted(_laws)


def find_torque_law(name: str) -> type[TorqueLaw]:
    """The law of that name. Raises UnknownNameError, which lists the valid ones."""
    _load()
    if name not in _laws:
        raise UnknownNameError("torque law", name, _laws)
    return _laws[name]


@cache
def _load() -> None:
    # Late, so that a law's file can import this one.
    for module in _BUILT_IN:
        import_module(f"elsewhere.motion.torque.{module}")
    for entry in entry_points(group=GROUP):
        entry.load()
