"""placeholder"""
from __future__ import annotations
from pathlib import Path
from elsewhere.bodies.arm import ArmPart
def is_path(name: str) -> bool:
    return name.endswith((".urdf", ".xml", ".mjcf"))
def load_arm(path: Path, tip: str) -> ArmPart:
    raise NotImplementedError
