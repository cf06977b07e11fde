"""Plays a trajectory script: which frame to send now, from the script, the time and the newest tick.

Each frame carries the present way whole (from, to, begin, end), and the tick finds its own place on it by
its own clock: late or lost frames leave the motion smooth, and where they stay out for the watchdog's
limit the arms come to rest. After a hold or a stop the player goes on from where the arms are.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.motion.script import Script, Waypoint, check_script, least_seconds
from elsewhere.records import FINGERS, FRAME, MAX_JOINTS, Record, zeros
from elsewhere.status import SIDES, STATUS_TEXT, Mode, Status

Array = NDArray[np.float64]

LEAD_NS = 20_000_000
"""A way begins so much later than it is first sent: all of it is then in the future of the tick."""
THERE = np.radians(0.5)
"""An arm is there when its reference is so near [rad]."""
PATIENCE_NS = 2_000_000_000
"""How much longer than planned a way may take; then something is in it."""


class Phase(StrEnum):
    """What a player is doing."""

    WAITING = "waiting"  # for the avatar to follow
    MOVING = "moving"
    HOLDING = "holding"  # at a waypoint
    DONE = "done"
    FAILED = "failed"


class ScriptPlayer:
    """One run of a script on one robot. `session` marks its frames. Time is passed in."""

    def __init__(self, script: Script, body: Body, session: int) -> None:
        """Raises ScriptError where the robot cannot do what the script asks."""
        check_script(script, body)
        self.script, self.body = script, body
        self.phase, self.fault, self.index = Phase.WAITING, "", 0
        self._frame = zeros(FRAME)
        self._frame["session"], self._frame["tracked"] = session, 1
        self._until_ns = 0

    def use_session(self, session: int) -> None:
        """Mark the frames with another session: of a seat that was taken after the script was checked."""
        self._frame["session"] = session

    @property
    def sent(self) -> int:
        """How many frames were made."""
        return int(self._frame["seq"])

    @property
    def finished(self) -> bool:
        """Whether the script has ended, well or not."""
        return self.phase in (Phase.DONE, Phase.FAILED)

    @property
    def waypoint(self) -> Waypoint:
        """The waypoint that is gone to, or stayed at."""
        return self.script.waypoints[min(self.index, len(self.script.waypoints) - 1)]

    def step(self, now_ns: int, tap: Record | None) -> Record:
        """The frame to send now; `tap` is the newest tick. The record is overwritten by the next step."""
        frame = self._frame
        if tap is None or int(tap["mode"]) != Mode.TRACK:
            self._wait(tap)
        elif self.phase is Phase.WAITING:
            self._begin(now_ns, tap)
        elif self.phase is Phase.MOVING and now_ns >= int(frame["way_end_ns"]):
            self._arrive(now_ns, tap)
        elif self.phase is Phase.HOLDING and now_ns >= self._until_ns:
            self._next(now_ns, tap)
        if self.phase is Phase.MOVING:
            # From here on only: before, the grippers stay as they are found.
            frame["fingers"] = 1.0 - self.waypoint.opening
        frame["seq"] += np.uint64(1)
        frame["sampled_ns"] = frame["received_ns"] = now_ns
        return frame

    def _wait(self, tap: Record | None) -> None:
        """The avatar does not follow: let it rest, and go on from there."""
        if self.finished:
            return
        self.phase = Phase.WAITING
        self._frame["way"] = 0
        if tap is not None:
            for side in range(2):
                self._frame["fingers"][side] = np.full(FINGERS, tap["state"]["motors"][side, 0])

    def _begin(self, now_ns: int, tap: Record) -> None:
        """Start on the way to the present waypoint, from where the arms are told to be."""
        frame, waypoint = self._frame, self.waypoint
        seconds = waypoint.seconds
        for side, goal in enumerate(waypoint.joints):
            arm = self.body.arms[side]
            frame["way"][side] = goal is not None
            if goal is None or arm is None:
                continue
            n = arm.chain.n
            start = np.array(tap["q_wanted"][side, :n])
            frame["way_from"][side], frame["way_to"][side] = _padded(start), _padded(goal)
            seconds = max(seconds, least_seconds(arm, start, goal))
        frame["way_begin_ns"] = now_ns + LEAD_NS
        frame["way_end_ns"] = now_ns + LEAD_NS + round(seconds * 1e9)
        self.phase = Phase.MOVING

    def _arrive(self, now_ns: int, tap: Record) -> None:
        """Stay, as soon as both arms are there; give up when something has been in the way for long."""
        off = [
            float(np.abs(tap["q_wanted"][side] - self._frame["way_to"][side])[: len(goal)].max())
            for side, goal in enumerate(self.waypoint.joints)
            if goal is not None
        ]
        if max(off) <= THERE:
            self.phase = Phase.HOLDING
            self._until_ns = now_ns + round(self.waypoint.hold * 1e9)
        elif now_ns - int(self._frame["way_end_ns"]) > PATIENCE_NS:
            self.phase = Phase.FAILED
            self._frame["way"] = 0
            self.fault = (
                f"The script '{self.script.name}' ended at waypoint {self.index + 1}, "
                f"'{self.waypoint.name}': "
                f"an arm stays {np.degrees(max(off)):.0f} degrees away from it{_why(tap)}."
            )

    def _next(self, now_ns: int, tap: Record) -> None:
        self.index += 1
        if self.index < len(self.script.waypoints):
            self._begin(now_ns, tap)
        else:
            self.phase = Phase.DONE


def _why(tap: Record) -> str:
    for side, status in enumerate(tap["arm_status"]):
        if status != Status.OK:
            return f" (the {SIDES[side]} one {STATUS_TEXT[Status(int(status))]})"
    return ""


def _padded(values: Array) -> Array:
    return np.concatenate([values, np.zeros(MAX_JOINTS - len(values))])
