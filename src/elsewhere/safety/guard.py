"""The guard: the last word before the robot, and the only place that releases a command.

Per joint it keeps position, velocity, torque and torque rate inside the data sheet; fingers, head
and base inside their ranges; and it refuses anything that is not finite. What it releases carries a
strictly increasing number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.records import COMMAND, MAX_MOTORS, Record, Views
from elsewhere.safety import _kernels
from elsewhere.status import Status

Array = NDArray[np.float64]


class Guard:
    """Checks every command against the body's limits. Its state is the last command released."""

    STATE = COMMAND
    BAND = 0.03
    """Width of the position barrier inside each end of a joint's range [rad or m]."""
    BASE_TOP = np.array([1.0, 1.0, 1.5])
    """Fastest base motion that is ever released: m/s, m/s, rad/s."""

    def __init__(self, body: Body, dt: float) -> None:
        self.body, self.dt = body, dt
        self._limits = [
            arm
            and (
                arm.limits.lower,
                arm.limits.upper,
                arm.limits.velocity,
                arm.limits.torque,
                arm.limits.torque_rate,
            )
            for arm in body.arms
        ]
        self._open, self._closed = np.zeros(MAX_MOTORS), np.ones(MAX_MOTORS)
        self._baseline = np.array([body.head.baseline[0]]), np.array([body.head.baseline[1]])

    def init(self, sent: Record, state: Record) -> None:
        """The guard's state for a robot in `state`: torques go on from those that are felt.

        Numbers go on from the newest command that the robot has applied, so that a controller that
        was restarted is obeyed at once.
        """
        sent["seq"] = max(int(sent["seq"]), int(state["command_seq"]))
        for name in ("tau", "motors", "head", "baseline"):
            sent[name] = np.nan_to_num(state[name])

    def release(self, sent: Views, wanted: Views, state: Views, now_ns: int) -> Status:
        """Turn `sent`, the last command released, into the next one, from what is `wanted`."""
        worst = _kernels.OK
        for side, limits in enumerate(self._limits):
            if limits:
                q, dq = state.q[side], state.dq[side]
                tau, last = wanted.tau[side], sent.tau[side]
                worst = max(worst, _kernels.release(tau, q, dq, limits, self.BAND, self.dt, last))
            motors, last = wanted.motors[side], sent.motors[side]
            worst = max(worst, _kernels.within(motors, self._open, self._closed, last))
        head = self.body.head
        worst = max(
            worst,
            _kernels.within(wanted.head, head.lower, head.upper, sent.head),
            _kernels.within(wanted.base_twist, -self.BASE_TOP, self.BASE_TOP, sent.base_twist),
            _kernels.within(wanted.baseline, *self._baseline, sent.baseline),
        )
        sent.seq[0] += np.uint64(1)
        sent.made_ns[0] = now_ns
        return _STATUS[worst]


_STATUS = (Status.OK, Status.CLAMPED, Status.NOT_FINITE)  # by the kernels' OK, CLAMPED, REFUSED
