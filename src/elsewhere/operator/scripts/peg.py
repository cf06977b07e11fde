"""Put the peg into the hole with the red frame, by feel: 2.3 mm of play on each side."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.operator.eyes import Eyes
from elsewhere.operator.hand import CAREFUL, SPEED, Feeling, Script, ScriptedHand
from elsewhere.operator.scripts.task import ABOVE, Task, downward, up
from elsewhere.spatial.minimum_jerk import turned

Array = NDArray[np.float64]

GRASP = 0.03  # m below the peg's top
LEANING = 0.35  # a peg that leans less (sine of the angle) stands
OVER = 0.012  # m: how far above the board the tip stops before it goes in
DEPTH = 0.038  # m: how far the tip goes in
CAUGHT = 0.004  # m: a tip so far below the board is in the hole
SLOW = 0.03  # m/s, on the way to a touch
PRESS = 5.0  # N, while searching
YIELD = 0.002  # m/s for each newton too little or too much
FASTEST = 0.02  # m/s, up and down while searching
PITCH = 0.0015  # m from one turn of the spiral to the next
ROUND = 0.012  # m/s along the spiral
WIDEST = 0.009  # m: the spiral's radius when it gives up
RELAX = 2.0  # 1/s: how fast a hand that is pushed aside in the hole gives way
SEARCH_S = 40.0
SEARCHES = 3


def put_peg_in_hole(hand: ScriptedHand, eyes: Eyes) -> Script:
    """Draw the peg out of its hole, bring it over the goal, feel for the hole, press in, let go."""
    hand.tries += 1
    peg, hole = eyes.find("peg"), eyes.find("peg_hole")
    grasp = downward(np.array(hand.avatars.orientation), hole.yaw, quarters=2)
    at = peg.p + (peg.half[2] - GRASP) * peg.axis(2)
    length = 2.0 * peg.half[2] - GRASP  # from the palm down to the tip
    yield from hand.grip(0.0, "opening")
    lean = np.cross(up(1.0), peg.axis(2))  # the palm leans with the peg: upright, it holds it upright
    take = turned(grasp, lean) if np.linalg.norm(lean) < LEANING else grasp
    yield from hand.reach(at + up(ABOVE), take, SPEED, "reaching for the peg")
    yield from hand.reach(at, take, CAREFUL, "going down")
    yield from hand.grip(1.0, "closing")
    yield from hand.reach(at + up(ABOVE), grasp, CAREFUL, "drawing it out")
    if not hand.holding:
        hand.phase = "closed on nothing: once more"
        return
    ready = np.array([hole.p[0], hole.p[1], hole.top + OVER + length])
    for _ in range(SEARCHES):
        yield from hand.reach(ready + up(0.04), grasp, SPEED, "carrying")
        yield from hand.reach(ready, grasp, CAREFUL, "over the hole")
        yield from hand.weigh()
        if (yield from insert(hand, grasp, hole.top + length)):
            break
    yield from hand.grip(0.0, "letting go")
    yield from hand.reach(hand.palm + up(ABOVE), grasp, CAREFUL, "leaving")


def insert(hand: ScriptedHand, grasp: Array, surface: float) -> Feeling:
    """Lower the peg; where it meets the board, press lightly and go round in a spiral. True when in.

    `surface` is the palm's height with the tip at the board's top. Once the tip is caught, the hand
    gives way to the sides of the hole.
    """
    down = np.array([hand.palm[0], hand.palm[1], surface - DEPTH])
    touched = yield from hand.touch(down, grasp, SLOW, "lowering")
    if not touched:
        return bool(surface - hand.palm[2] > 0.8 * DEPTH)
    surface = min(surface, hand.palm[2]) if surface - hand.palm[2] < CAUGHT else surface
    hand.phase = "feeling for the hole"
    spiral = Spiral()
    began = before = hand.now
    while hand.engaged and hand.now - began < SEARCH_S:
        dt, before = hand.now - before, hand.now
        deep = surface - hand.palm[2]
        if deep > 0.95 * DEPTH:
            return True
        sink = float(np.clip(YIELD * (PRESS - hand.push), -FASTEST, FASTEST))
        if deep > CAUGHT:
            hand.phase = "pressing in"
            away = hand.palm - np.array(hand.avatars.target_position)
            aside = RELAX * dt * np.array([away[0], away[1], 0.0])
        elif spiral.radius > WIDEST:
            return False
        else:
            aside = spiral.step(ROUND * dt)
        hand.nudge(aside - up(sink * dt))
        yield
    return bool(surface - hand.palm[2] > 0.8 * DEPTH)


class Spiral:
    """An Archimedean spiral from the middle outwards, walked at even speed: r = PITCH angle / 2 pi."""

    def __init__(self) -> None:
        self._angle = 0.0

    @property
    def radius(self) -> float:
        """How far out it is."""
        return PITCH * self._angle / (2.0 * math.pi)

    def step(self, way: float) -> Array:
        """The next step, `way` metres long."""
        before = self._place()
        self._angle += way / math.hypot(self.radius + 0.2 * PITCH, PITCH / (2.0 * math.pi))
        return self._place() - before

    def _place(self) -> Array:
        return self.radius * np.array([math.cos(self._angle), math.sin(self._angle), 0.0])


PEG = Task("peg", "peg_in_hole", ("peg", "peg_hole"), put_peg_in_hole)
