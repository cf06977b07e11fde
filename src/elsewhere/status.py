"""Outcomes inside loops: values, never exceptions.

A loop that runs a thousand times a second does not raise: each step returns a `Status`, the tap
records it, and the operator's page shows it in words.
"""

from __future__ import annotations

from enum import IntEnum


class Mode(IntEnum):
    """What the avatar's arms are doing (NimbRo, state machine of section 2.7).

    HOLD -> FADE on the first valid frame, FADE -> TRACK after the fade, any -> HOLD on time-out,
    any -> STOPPED by the operator or a fault, STOPPED -> HOLD on resume.
    """

    HOLD = 0
    FADE = 1
    TRACK = 2
    STOPPED = 3


class Status(IntEnum):
    """Why a step did, or did not, do what it was asked. The order is the order of gravity."""

    OK = 0
    NO_FRAME = 1  # no valid operator frame within the watchdog's limit
    FADING = 2  # coming back from a hold
    UNREACHABLE = 3  # the hand target cannot be reached; the arm follows as far as it can
    TOUCHES_ITSELF = 4  # two parts of the avatar would touch; the arm slides along or stops before
    AT_LIMIT = 5  # a joint rests on its position limit
    CLAMPED = 6  # the guard shortened a command
    NOT_FINITE = 7  # a command was not finite and was refused
    STALE_STATE = 8  # the robot's state is too old to act on
    STOPPED = 9  # stopped by the operator or a fault


STATUS_TEXT: dict[Status, str] = {
    Status.OK: "following",
    Status.NO_FRAME: "no command from the operator: holding still",
    Status.FADING: "resuming gently",
    Status.UNREACHABLE: "out of reach",
    Status.TOUCHES_ITSELF: "would touch itself",
    Status.AT_LIMIT: "a joint is at its limit",
    Status.CLAMPED: "slowed by the guard",
    Status.NOT_FINITE: "a command was not a number and was refused",
    Status.STALE_STATE: "no fresh reading from the robot",
    Status.STOPPED: "stopped",
}


class Firmware(IntEnum):
    """What a robot's own firmware is doing with the commands it gets."""

    RUNNING = 0  # applying fresh commands
    REUSING = 1  # commands are late: the last one is applied again (at most 20 ticks)
    BRAKED = 2  # commands stopped: brakes on, joints held


SIDES = ("left", "right")
LEFT, RIGHT = 0, 1
