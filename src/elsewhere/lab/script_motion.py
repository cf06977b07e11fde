"""A trajectory script as joints at 100 Hz, without physics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.lab.overlay_session import RATE_HZ
from elsewhere.lab.overlay_stage import both_arms
from elsewhere.motion.script import Script, check_script, least_seconds
from elsewhere.spatial.minimum_jerk import progress

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Motion:
    """Joints (n, 2, joints) and openings (n, 2) at 100 Hz; `stays` are the last frames at each waypoint."""

    q: Array
    opening: Array
    stays: list[int]


def motion_of(script: Script, body: Body, start: Array | None = None) -> Motion:
    """The robot's way through a script, as its motion server goes it: minimum jerk from stay to stay.

    From `start` (2, joints), or from the first waypoint. Raises ScriptError where the robot cannot.
    """
    check_script(script, body)
    arms, ways, widths, stays, count = both_arms(body), [], [], [], 0
    now = np.array([arm.home for arm in arms]) if start is None else np.asarray(start, float)
    wide = script.waypoints[0].opening
    for index, waypoint in enumerate(script.waypoints):
        goal = np.array([now[k] if joints is None else joints for k, joints in enumerate(waypoint.joints)])
        seconds = max(
            waypoint.seconds, *(least_seconds(arm, now[k], goal[k]) for k, arm in enumerate(arms))
        )
        moving = 1 if start is None and index == 0 else max(1, round(seconds * RATE_HZ))
        share = np.array([progress(k / moving) for k in range(1, moving + 1)])
        share = np.concatenate([share, np.ones(round(waypoint.hold * RATE_HZ))])
        ways.append(now + share[:, None, None] * (goal - now))
        widths.append(wide + share * (waypoint.opening - wide))
        now, wide, count = goal, waypoint.opening, count + len(share)
        stays.append(count - 1)
    return Motion(np.concatenate(ways), np.repeat(np.concatenate(widths)[:, None], 2, axis=1), stays)
