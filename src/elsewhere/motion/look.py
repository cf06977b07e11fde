"""The head follows the operator's head from a common home (AVATRINA, section 5.2).

    R_robot = R_robot_home R_operator_home^T R_operator

so that after re-homing an equal head pose of the operator gives the avatar's home. Fifty times a second
the velocity of yaw, pitch and roll is decided; between, the angles go on with it. A velocity that would
bring the head nearer than a margin to an arm is not taken: the head waits until the arm is gone, or turns
away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import capsules
from elsewhere.bodies._capsule_kernels import FIXED
from elsewhere.bodies.body import Body
from elsewhere.bodies.capsules import Capsules
from elsewhere.motion._kernels import head_blocked, head_gap, look_velocity
from elsewhere.records import Views
from elsewhere.spatial._kernels import quat_from_yaw_pitch_roll

Array = NDArray[np.float64]

RATE_HZ = 50
"""AVATRINA: the head is controlled at 50 Hz."""


class Look:
    """Operator's head orientation to yaw, pitch, roll of the avatar's head, within its limits."""

    STATE = np.dtype(
        [
            ("angles", "f8", (3,)),  # commanded yaw, pitch, roll
            ("velocity", "f8", (3,)),
            ("home_q", "f8", (4,)),  # operator's head at home
            ("homed", "i8"),
            ("rehome", "u8"),
            ("session", "u8"),
            ("baseline", "f8"),
            ("blocked", "i8"),  # an arm is in the head's way
        ]
    )
    MARGIN = 0.025
    """Gap that is kept between head and arms [m], as `SelfCollision` keeps it from the other side."""

    def __init__(self, body: Body, home_rad: tuple[float, float, float], rate_hz: int) -> None:
        """`rate_hz`: how often `step` is called. 250 and 500 are divided to 50 Hz exactly, 125 to 42 Hz."""
        head = body.head
        self.head, self.dt = head, 1.0 / rate_hz
        self.divisor = -(-rate_hz // RATE_HZ)  # rounded up: never more often
        self._limits = np.stack([head.lower, head.upper, head.velocity])
        self._robot_home = np.zeros(4)
        quat_from_yaw_pitch_roll(np.array(home_rad, float), self._robot_home)
        self._work = np.zeros((3, 4))
        self._next = np.zeros(3)
        shapes = Capsules.from_body(body)
        heads = shapes.heads
        limbs = np.flatnonzero(shapes.side != FIXED).astype(np.int64)
        self._capsules = shapes.arms, shapes.shapes, heads, limbs
        self._watched = len(heads) > 0 and len(limbs) > 0
        self._scratch = capsules.scratch(), shapes.ends.copy(), np.zeros(4)

    def init(self, state: Views, angles: Array, baseline: float) -> None:
        """Hold the head where it is."""
        state.angles[:], state.velocity[:], state.baseline[0] = angles, 0.0, baseline

    def gap(self, angles: Array, q: Array, *, placed: bool = False) -> float:
        """Least gap [m] of the head turned by `angles` to the arms at joints q (2, 8)."""
        position = self.head.position
        return head_gap(self._capsules, position, angles, q, not placed, self._scratch)

    def step(
        self, state: Views, frame: Views, request: Views, valid: bool, gain: float, q: Array, due: bool
    ) -> None:
        """Advance `state.angles` by one outer tick: held without a valid frame, else at the head's speed.

        `q` (2, 8) are the commanded joints of the arms; `due`: it is time to decide a velocity.
        """
        wanted = float(request.baseline[0])
        if wanted > 0.0:
            low, high = self.head.baseline
            state.baseline[0] = min(max(wanted, low), high)
        if not valid or not frame.head_tracked[0]:
            state.velocity[:] = 0.0
            return
        rehome, session = request.rehome[0], frame.session[0]
        if not state.homed[0] or rehome != state.rehome[0] or session != state.session[0]:
            state.homed[0], state.rehome[0], state.session[0] = 1, rehome, session
            state.home_q[:] = frame.head_q
        if due:
            self._decide(state, frame, gain, q)
        state.angles[:] += self.dt * state.velocity

    def _decide(self, state: Views, frame: Views, gain: float, q: Array) -> None:
        """The velocity until the next decision: none where an arm is in the way."""
        span = self.divisor * self.dt
        angles, velocity = state.angles, state.velocity
        home, head, own = state.home_q, frame.head_q, self._robot_home
        look_velocity(own, home, head, self._limits, span, gain, angles, velocity, self._work)
        state.blocked[0] = 0
        if self._watched:
            centre, margin = self.head.position, self.MARGIN
            state.blocked[0] = head_blocked(
                self._capsules, centre, angles, velocity, span, q, margin, self._next, self._scratch
            )
