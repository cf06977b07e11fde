"""The guard: the last word before the robot, and the only place that releases a command.

Per joint it keeps position, velocity, torque and torque rate inside the data sheet; fingers, head
and base inside their ranges; and it refuses anything that is not finite. What it releases carries a
strictly increasing number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.records import COMMAND, MAX_JOINTS, MAX_MOTORS, Record, Views
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
        self._joints = np.array([arm.chain.n if arm else 0 for arm in body.arms])
        self._limits = np.stack([_both(body, name) for name in _LIMITS])
        head, base = body.head, self.BASE_TOP
        least = np.concatenate([np.zeros(MAX_MOTORS), head.lower, -base, head.baseline[:1]])
        most = np.concatenate([np.ones(MAX_MOTORS), head.upper, base, head.baseline[1:]])
        self._ranges = np.stack([least, most])

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
        worst = _kernels.release_all(
            wanted.whole,
            state.whole,
            self._limits,
            self._joints,
            self._ranges,
            self.BAND,
            self.dt,
            sent.whole,
        )
        sent.seq[0] += np.uint64(1)
        sent.made_ns[0] = now_ns
        return _STATUS[worst]


def _both(body: Body, name: str) -> Array:
    """One limit of both arms, of shape (2, MAX_JOINTS)."""
    values = np.zeros((2, MAX_JOINTS))
    for side, arm in enumerate(body.arms):
        if arm:
            values[side, : arm.chain.n] = getattr(arm.limits, name)
    return values


_LIMITS = ("lower", "upper", "velocity", "torque", "torque_rate")  # in the kernels' order
_STATUS = (Status.OK, Status.CLAMPED, Status.NOT_FINITE)  # by the kernels' OK, CLAMPED, REFUSED
