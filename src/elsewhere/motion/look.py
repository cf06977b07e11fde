"""The head follows the operator's head from a common home (AVATRINA, section 5.2).

    R_robot = R_robot_home R_operator_home^T R_operator

so that after re-homing an equal head pose of the operator gives the avatar's home.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.head import Head
from elsewhere.motion._kernels import look_step
from elsewhere.records import Views
from elsewhere.spatial._kernels import quat_from_yaw_pitch_roll

Array = NDArray[np.float64]


class Look:
    """Operator's head orientation to yaw, pitch, roll of the avatar's head, within its limits."""

    STATE = np.dtype(
        [
            ("angles", "f8", (3,)),  # commanded yaw, pitch, roll
            ("home_q", "f8", (4,)),  # operator's head at home
            ("homed", "i8"),
            ("rehome", "u8"),
            ("session", "u8"),
            ("baseline", "f8"),
        ]
    )

    def __init__(self, head: Head, home_rad: tuple[float, float, float], dt: float) -> None:
        self.head, self.dt = head, dt
        self._robot_home = np.zeros(4)
        quat_from_yaw_pitch_roll(np.array(home_rad, float), self._robot_home)
        self._work = np.zeros((3, 4))

    def init(self, state: Views, angles: Array, baseline: float) -> None:
        """Hold the head where it is."""
        state.angles[:], state.baseline[0] = angles, baseline

    def step(self, state: Views, frame: Views, request: Views, valid: bool, gain: float) -> None:
        """Advance `state.angles`: held without a valid frame, else at most at the head's speed."""
        wanted = float(request.baseline[0])
        if wanted > 0.0:
            low, high = self.head.baseline
            state.baseline[0] = min(max(wanted, low), high)
        if not valid or not frame.head_tracked[0]:
            return
        rehome, session = request.rehome[0], frame.session[0]
        if not state.homed[0] or rehome != state.rehome[0] or session != state.session[0]:
            state.homed[0], state.rehome[0], state.session[0] = 1, rehome, session
            state.home_q[:] = frame.head_q
        head = self.head
        look_step(
            self._robot_home,
            state.home_q,
            frame.head_q,
            head.lower,
            head.upper,
            head.velocity,
            gain * self.dt,
            state.angles,
            self._work,
        )
