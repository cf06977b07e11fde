"""Parts by name: `@part("arm", "panda")` on the function that builds one.

A part is a function that returns an `ArmPart`, `HandPart`, `HeadPart`, `BasePart` or `TorsoPart`.
Arms and hands are built for a side (0 left, 1 right). Another package adds its own parts by an
entry point of the group `elsewhere.parts` that names a module: loading it runs the registrations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, TypeVar

from elsewhere.errors import UnknownNameError

KINDS = ("base", "torso", "head", "arm", "hand")
_BUILT_IN = (
    "column_torso",
    "gimbal_head",
    "omni_base",
    "panda",
    "pedestal",
    "post_head",
    "six_motor_hand",
    "wide_gripper",
    "yumi_arm",
    "yumi_gripper",
    "yumi_torso",
)
_parts: dict[tuple[str, str], Callable[..., Any]] = {}

Builder = TypeVar("Builder", bound=Callable[..., Any])


def part(kind: str, name: str) -> Callable[[Builder], Builder]:
    """Register the decorated function as the builder of the part `name`."""
    if kind not in KINDS:
        raise UnknownNameError("kind of part", kind, KINDS)

    def register(builder: Builder) -> Builder:
        _parts[kind, name] = builder
        return builder

    return register


def part_names(kind: str) -> list[str]:
    """Names of the parts of that kind."""
    _load()
    return sorted(name for found, name in _parts if found == kind)


def find_part(kind: str, name: str) -> Callable[..., Any]:
    """The builder of a part. Raises UnknownNameError, which lists the valid names."""
    _load()
    if (kind, name) not in _parts:
        raise UnknownNameError(kind, name, part_names(kind))
    return _parts[kind, name]


@cache
def _load() -> None:
    # Late, so that a part's file can import this one.
    for module in _BUILT_IN:
        import_module(f"elsewhere.bodies.{module}")
    for entry in entry_points(group="elsewhere.parts"):
        entry.load()
