"""Elsewhere: an open robot-avatar system. See, touch, move and speak through a robot at another place.

The command `elsewhere` starts everything; from Python:

    rig = load_rig("commodity")
    body = compose(rig)
    robot = SimulatedRobot(body)
    tick = Tick(body)
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

__all__ = [
    "AlignStatus",
    "ArmPose",
    "ArmReference",
    "Body",
    "Bounded",
    "DampedLeastSquares",
    "ElsewhereError",
    "Fabrik",
    "Host",
    "HumanArm",
    "Onia",
    "Rig",
    "SimulatedRobot",
    "Simulation",
    "Tick",
    "__version__",
    "compose",
    "connect",
    "load_rig",
]

_HOMES = {
    "AlignStatus": "elsewhere.motion.align.status",
    "ArmPose": "elsewhere.motion.align.pose",
    "ArmReference": "elsewhere.motion.align.reference",
    "Body": "elsewhere.bodies.body",
    "Bounded": "elsewhere.motion.align.bounded",
    "DampedLeastSquares": "elsewhere.motion.align.dls",
    "ElsewhereError": "elsewhere.errors",
    "Fabrik": "elsewhere.motion.align.fabrik",
    "Host": "elsewhere.host",
    "HumanArm": "elsewhere.bodies.human.arm",
    "Onia": "elsewhere.motion.align.onia",
    "Rig": "elsewhere.rig",
    "SimulatedRobot": "elsewhere.avatar.drivers.simulated",
    "Simulation": "elsewhere.world.simulation",
    "Tick": "elsewhere.avatar.tick",
    "compose": "elsewhere.bodies.compose",
    "connect": "elsewhere.link.client",
    "load_rig": "elsewhere.rig",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use: a control process must not pay for the video of the server.
    if name not in _HOMES:
        raise AttributeError(f"elsewhere has no '{name}'. It has: {', '.join(__all__)}.")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
