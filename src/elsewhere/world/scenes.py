"""The registry of scenes: `@scene("room")` on a class, or an entry point of `elsewhere.scenes`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeVar

from elsewhere.errors import UnknownNameError
from elsewhere.world.scene import Scene

GROUP = "elsewhere.scenes"
_BUILT_IN = ("elsewhere.world.room", "elsewhere.world.empty", "elsewhere.world.therapy")
_scenes: dict[str, type[Scene]] = {}

S = TypeVar("S", bound=type[Scene])


def scene(name: str) -> Callable[[S], S]:
    """Register a `Scene` under a name."""

    def register(kind: S) -> S:
        kind.name = name
        _scenes[name] = kind
        return kind

    return register


def scene_names() -> list[str]:
    """Names of all scenes, built in and installed."""
    for module in _BUILT_IN:
        import_module(module)
    return sorted({*_scenes, *(point.name for point in entry_points(group=GROUP))})


def make_scene(name: str) -> Scene:
    """A new scene of that name. Raises UnknownNameError."""
    names = scene_names()
    if name not in _scenes:
        for point in entry_points(group=GROUP):
            if point.name == name:
                kind: type[Scene] = point.load()
                scene(name)(kind)
    if name not in _scenes:
        raise UnknownNameError("scene", name, names)
    return _scenes[name]()
