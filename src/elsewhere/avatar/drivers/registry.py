"""Drivers by name: entry points of the group `elsewhere.drivers`."""

from __future__ import annotations

from importlib.metadata import entry_points

from elsewhere.avatar.drivers.base import Robot
from elsewhere.errors import UnknownNameError

GROUP = "elsewhere.drivers"


def find_driver(name: str) -> type[Robot]:
    """The driver class of that name. Raises UnknownNameError, which lists the installed ones."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        raise UnknownNameError("driver", name, points)
    driver: type[Robot] = points[name].load()
    return driver
