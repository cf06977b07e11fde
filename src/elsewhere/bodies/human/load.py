"""Humans by name or by file."""

from __future__ import annotations

from pathlib import Path

from elsewhere.bodies.human.human import Human
from elsewhere.bodies.human.make import make_human
from elsewhere.bodies.human.scan import import_scan
from elsewhere.errors import UnknownNameError

READY = {"adult": (1.75, "neutral"), "woman": (1.65, "female"), "man": (1.78, "male")}
"""Stature [m] and sex of the humans that are made on demand."""


def load_human(path_or_name: Path | str = "adult") -> Human:
    """A ready human by name, or a .glb that was made or imported here (or any scan that can be)."""
    text = str(path_or_name)
    if text in READY:
        stature, sex = READY[text]
        return make_human(stature, sex, name=text)
    if isinstance(path_or_name, Path) or text.lower().endswith((".glb", ".gltf")):
        return import_scan(path_or_name).human
    raise UnknownNameError("human", text, READY)
