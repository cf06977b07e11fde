"""The guard: the last word before the robot, and the only place that releases a command.

Per joint it keeps torque, torque rate and power inside the data sheet and pushes back from the ends of
position and velocity; fingers, head and base stay inside their ranges; it refuses anything that is not
finite. What it releases carries a strictly increasing number. And it watches: a reference that leaves
position, velocity, acceleration or jerk, or a torque, velocity or force that is measured beyond its
limit, is a reason to stop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.records import MAX_JOINTS, MAX_MOTORS, Record, Views
from elsewhere.safety import _kernels
from elsewhere.status import Reason, Status

Array = NDArray[np.float64]


class Guard:
    """Checks every command against the body's limits. Its state: the last command released, and this."""

    STATE = np.dtype(
        [
            ("q", "f8", (2, MAX_JOINTS)),  # the reference as last seen, and its differences
            ("dq", "f8", (2, MAX_JOINTS)),
            ("ddq", "f8", (2, MAX_JOINTS)),
            ("excess", "i8", (3,)),  # for how many ticks torque, velocity, force have been beyond
            ("trip", "i8"),  # status.Reason for a stop, or 0
        ]
    )
    BAND = 0.03
    """Width of the position barrier inside each end of a joint's range [rad or m]."""
    BASE_TOP = np.array([1.0, 1.0, 1.5])
    """Fastest base motion that is ever released: m/s, m/s, rad/s."""
    PATIENCE = 5
    """Ticks for which something measured may be beyond its limit."""

    def __init__(self, body: Body, dt: float, stop_force: float = 150.0) -> None:
        self.body, self.dt, self.stop_force = body, dt, stop_force
        self._joints = np.array([arm.chain.n if arm else 0 for arm in body.arms])
        self._limits = np.stack([_both(body, name) for name in _LIMITS])
        self._watched = np.stack([_both(body, name) for name in _WATCHED])
        self._middle = 0.5 * (self._limits[0] + self._limits[1])
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

    def release(
        self, sent: Views, wanted: Views, state: Views, now_ns: int, reference: Array | None = None
    ) -> Status:
        """Turn `sent`, the last command released, into the next one, from what is `wanted`.

        `reference` (2, n): what the torque laws follow, if it may be outside the ranges of the joints.
        """
        worst = _kernels.release_all(
            wanted.whole,
            state.whole,
            self._limits,
            self._joints,
            self._ranges,
            self.BAND,
            self.dt,
            self._middle if reference is None else reference,
            sent.whole,
        )
        sent.seq[0] += np.uint64(1)
        sent.made_ns[0] = now_ns
        return _STATUS[worst]

    def begin(self, memory: Views, side: int, reference: Array) -> None:
        """A reference begins anew, at rest, where the robot was found; `memory` is a `Guard.STATE`."""
        memory.q[side], memory.dq[side], memory.ddq[side] = reference, 0.0, 0.0

    def watch(self, memory: Views, state: Views, reference: Array) -> Reason | None:
        """Whether the arms should stop, and why. `reference` (2, n): what the torque laws follow."""
        reason = _kernels.watch(
            state.whole,
            reference,
            self._watched,
            self._joints,
            self.stop_force,
            self.PATIENCE,
            self.dt,
            memory.whole,
        )
        return Reason(reason) if reason else None


def _both(body: Body, name: str) -> Array:
    """One limit of both arms, of shape (2, MAX_JOINTS)."""
    values = np.zeros((2, MAX_JOINTS))
    for side, arm in enumerate(body.arms):
        if arm:
            values[side, : arm.chain.n] = getattr(arm.limits, name)
    return values


_LIMITS = ("lower", "upper", "velocity", "torque", "torque_rate", "power")  # in the kernels' order
_WATCHED = ("lower", "upper", "velocity", "acceleration", "jerk", "velocity", "torque")
_STATUS = (Status.OK, Status.CLAMPED, Status.NOT_FINITE)  # by the kernels' OK, CLAMPED, REFUSED
