"""Retargeters by the name that a rig gives (`[control] mapping`)."""

from __future__ import annotations

import numpy as np

from elsewhere.bodies.body import Body
from elsewhere.errors import UnknownNameError
from elsewhere.motion.retarget.absolute import Absolute
from elsewhere.motion.retarget.base import Retargeter, Settings
from elsewhere.motion.retarget.clutched import Clutched

RETARGETERS: dict[str, type[Retargeter]] = {"clutched": Clutched, "absolute": Absolute}


def find_retargeter(name: str) -> type[Retargeter]:
    """The retargeter of that name. Raises UnknownNameError, which lists the valid ones."""
    if name not in RETARGETERS:
        raise UnknownNameError("mapping", name, RETARGETERS)
    return RETARGETERS[name]


def make_retargeter(body: Body) -> Retargeter:
    """The retargeter that a body's rig asks for."""
    control = body.rig.control
    home_p = np.zeros((2, 3))
    for side, arm in enumerate(body.arms):
        if arm:
            home_p[side] = arm.chain.forward(arm.home)[1]
    left, right = (arm is not None for arm in body.arms)
    settings = Settings(
        control.scale, control.clutches, 1.0 / control.outer_hz, control.fade_s, home_p, (left, right)
    )
    return find_retargeter(control.mapping)(settings)
