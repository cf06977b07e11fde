"""Outcomes inside loops: values, never exceptions.

A loop that runs a thousand times a second does not raise: each step returns a `Status`, the tap
records it, and the operator's page shows it in words.
"""

from __future__ import annotations

from enum import IntEnum


class Mode(IntEnum):
    """What the avatar's arms are doing (NimbRo, state machine of section 2.7).

    HOLD -> FADE on the first valid frame, FADE -> TRACK after the fade, any -> HOLD on time-out,
    any -> STOPPED by the operator or a limit that was exceeded. The operator's own stop ends by a
    resume only; one by a limit ends by itself after a pause, through HOLD and FADE.
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
    STOPPED = 9  # stopped by the operator
    EXCESS_TORQUE = 10  # stopped: a joint felt more torque than it may
    EXCESS_VELOCITY = 11  # stopped: a joint was faster than it may be
    EXCESS_FORCE = 12  # stopped: something pressed too hard on a hand
    BAD_REFERENCE = 13  # stopped: the commanded joints left their limits, which no part of us may do


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
    Status.EXCESS_TORQUE: "stopped: too much torque on a joint; it resumes by itself",
    Status.EXCESS_VELOCITY: "stopped: a joint was too fast; it resumes by itself",
    Status.EXCESS_FORCE: "stopped: too much force on a hand; it resumes by itself",
    Status.BAD_REFERENCE: "stopped: a commanded motion was refused; it resumes by itself",
}


class Reason(IntEnum):
    """Why the avatar came into its present mode: the cause of the last transition."""

    STARTED = 0  # HOLD: nobody has driven yet
    FRAME_CAME = 1  # FADE: an operator's valid frame
    FADED = 2  # TRACK: the fade is over
    NO_FRAME = 3  # HOLD: no valid frame within the watchdog's limit
    NEW_SESSION = 4  # HOLD: hand poses of another session have nothing to do with the last one's
    RESET = 5  # HOLD: the robot was put somewhere else
    OPERATOR_STOP = 6  # STOPPED, until a resume
    RESUMED = 7  # HOLD: by the operator
    RESTARTED = 8  # HOLD: by itself, after the pause that follows a limit
    EXCESS_TORQUE = 9  # STOPPED
    EXCESS_VELOCITY = 10  # STOPPED
    EXCESS_FORCE = 11  # STOPPED
    BAD_REFERENCE = 12  # STOPPED


STOP_STATUS: dict[Reason, Status] = {
    Reason.OPERATOR_STOP: Status.STOPPED,
    Reason.EXCESS_TORQUE: Status.EXCESS_TORQUE,
    Reason.EXCESS_VELOCITY: Status.EXCESS_VELOCITY,
    Reason.EXCESS_FORCE: Status.EXCESS_FORCE,
    Reason.BAD_REFERENCE: Status.BAD_REFERENCE,
}
"""What is told while the avatar is stopped, by the reason of the stop."""


class Firmware(IntEnum):
    """What a robot's own firmware is doing with the commands it gets."""

    RUNNING = 0  # applying fresh commands
    REUSING = 1  # commands are late: the last one is applied again (at most 20 ticks)
    BRAKED = 2  # commands stopped: brakes on, joints held


SIDES = ("left", "right")
LEFT, RIGHT = 0, 1
