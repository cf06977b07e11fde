"""Throw the lever up."""

from __future__ import annotations

import math

import numpy as np

from elsewhere.operator.eyes import Eyes
from elsewhere.operator.hand import CAREFUL, SPEED, Script, ScriptedHand
from elsewhere.operator.scripts.task import ABOVE, Task, downward, up

OPEN = 0.45  # share closed: wide enough to come down over the ball
LIGHT = 0.012  # share closed beyond the first touch: the ball may turn between the jaws
BEYOND = 0.30  # rad above level, where the switch goes on by itself


def throw_lever(hand: ScriptedHand, eyes: Eyes) -> Script:
    """Take the ball between the jaws from above, and lead it round the axle until past the middle."""
    hand.tries += 1
    handle = eyes.find("lever_handle")
    rod = handle.axis(0)  # from the ball to the axle
    ball = handle.p - (handle.half[0] - handle.half[2]) * rod
    axle = handle.p + handle.half[0] * rod
    sideways = handle.axis(1)
    grasp = downward(np.array(hand.avatars.orientation), handle.yaw, quarters=2)
    yield from hand.grip(OPEN, "opening")
    yield from hand.reach(ball + up(ABOVE), grasp, SPEED, "reaching for the lever")
    yield from hand.reach(ball, grasp, CAREFUL, "going down")
    yield from hand.pinch(LIGHT, "taking the lever")
    if hand.holding:
        level = math.asin(float(np.clip(rod[2], -1.0, 1.0)))  # how far the ball hangs below the axle
        yield from hand.swing(axle, sideways, level + BEYOND, CAREFUL, "lifting the lever")
    yield from hand.grip(OPEN, "letting go")
    yield from hand.reach(ball + up(2.0 * ABOVE), grasp, CAREFUL, "leaving")


LEVER = Task("lever", "lever_up", ("lever_handle",), throw_lever)
