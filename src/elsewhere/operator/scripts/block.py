"""Put the red block on the tray."""

from __future__ import annotations

import numpy as np

from elsewhere.operator.eyes import Eyes
from elsewhere.operator.hand import CAREFUL, SPEED, Script, ScriptedHand
from elsewhere.operator.scripts.task import ABOVE, Task, downward, up

CLEARANCE = 0.03  # m: how far above the tray's floor the block slows down
FLOOR = 0.006  # m: thickness of the tray's floor


def put_block_on_tray(hand: ScriptedHand, eyes: Eyes) -> Script:
    """Grasp from above along a side, carry high, set down, let go."""
    hand.tries += 1
    block, tray = eyes.find("block_red"), eyes.find("tray")
    grasp = downward(np.array(hand.avatars.orientation), block.yaw)
    yield from hand.grip(0.0, "opening")
    yield from hand.reach(block.p + up(ABOVE), grasp, SPEED, "reaching for the block")
    yield from hand.reach(block.p, grasp, CAREFUL, "going down")
    yield from hand.grip(1.0, "closing")
    yield from hand.reach(block.p + up(ABOVE), grasp, CAREFUL, "lifting")
    if not hand.holding:
        hand.phase = "closed on nothing: once more"
        return
    floor = tray.p + up(block.half[2] - tray.half[2] + FLOOR)
    yield from hand.reach(tray.p + up(ABOVE), grasp, SPEED, "carrying")
    yield from hand.reach(floor + up(CLEARANCE), grasp, CAREFUL, "setting down")
    yield from hand.reach(floor, grasp, 0.5 * CAREFUL, "setting down")
    yield from hand.grip(0.0, "letting go")
    yield from hand.reach(tray.p + up(ABOVE), grasp, CAREFUL, "leaving")


BLOCK = Task("block", "block_on_tray", ("block_red", "tray"), put_block_on_tray)
