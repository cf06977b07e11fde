"""The commanded motion of one arm: solver, joint motion and torque law in one place.

The solver says at the outer rate how fast the joints should go; the joint motion follows at the
inner rate within acceleration and range; the torque law brings the real joints along.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import chain as chains
from elsewhere.bodies._kernels import tip_pose
from elsewhere.bodies.arm import Arm
from elsewhere.motion._way_kernels import way_velocity
from elsewhere.motion.ik._kernels import target_twist
from elsewhere.motion.ik.base import Reserve, Solver
from elsewhere.motion.ik.registry import find_solver
from elsewhere.motion.torque._kernels import REFERENCE, begin
from elsewhere.motion.torque.registry import find_torque_law
from elsewhere.records import MAX_JOINTS, Views
from elsewhere.rig import Control
from elsewhere.status import Status

Array = NDArray[np.float64]

SMOOTH_S = 0.025
"""Time constant for the target's velocity: frames come at 60 to 120 Hz, between outer ticks."""
ACCELERATION = 0.8
"""Share of the data sheet's acceleration that the joint motion uses."""


class ArmMotion:
    """One arm from palm target to torques. Its state is a record of the commanded joints.

    Invariants, whatever the targets: commanded joints stay within their range, their speed within two
    thirds and their acceleration within 80 % of the data sheet; the reference, their mean over a few
    ticks, which the torque law follows, within the same and within the data sheet's jerk; an arm that
    is not engaged comes to rest and stays.
    """

    STATE = np.dtype(
        [
            ("q", "f8", (MAX_JOINTS,)),  # commanded joints
            ("dq", "f8", (MAX_JOINTS,)),
            ("velocity", "f8", (MAX_JOINTS,)),  # what the solver asks for
            ("target_p", "f8", (3,)),  # the target of the last outer tick
            ("target_q", "f8", (4,)),
            ("feed", "f8", (6,)),  # its velocity
            ("status", "i8"),
            ("solver", Solver.STATE),
            *REFERENCE,
        ]
    )

    def __init__(self, arm: Arm, control: Control) -> None:
        self.arm = arm
        self.solver = find_solver(control.solver)(arm, 1.0 / control.outer_hz, control.bias)
        low, high = self.solver.low, self.solver.high
        self.bounds = np.stack([low, high, arm.limits.velocity, ACCELERATION * arm.limits.acceleration])
        """Of the commanded joints (4, n): lower and upper end, speed, acceleration."""
        law = find_torque_law(control.torque)
        self.torque_law = law(arm, self.bounds, 1.0 / control.rate_hz, control.torque_terms_off)
        reserve = Reserve()
        top, braking = reserve.share * arm.limits.velocity, reserve.braking * arm.limits.acceleration
        self.way_bounds = np.stack([low, high, top, braking])
        """Of an arm on a way (4, n): lower and upper end, speed, deceleration."""
        self._turns = np.zeros((3, 4))
        self._R, self._J = np.zeros((3, 3)), np.zeros((6, arm.chain.n))
        self._work = chains.scratch()

    def init(self, state: Views, q: Array) -> None:
        """Hold the joints where they are."""
        state.q[:], state.dq[:], state.velocity[:] = q, 0.0, 0.0
        state.status[0], state.feed[:] = Status.OK, 0.0
        self.solver.init(state.solver, q)
        begin(state.whole)
        self.palm(q, state.target_p, state.target_q)

    def solve(self, state: Views, engaged: bool, target_p: Array, target_q: Array) -> None:
        """Outer tick: find the joint velocities that bring the palm to its target, or none."""
        status = Status.OK
        if engaged:
            target_twist(
                target_p,
                target_q,
                state.target_p,
                state.target_q,
                self.solver.dt,
                SMOOTH_S,
                state.feed,
                self._turns,
            )
            own = state.solver
            status = self.solver.step(own, state.q, target_p, target_q, state.feed, state.velocity)
        else:
            state.target_p[:], state.target_q[:], state.feed[:] = target_p, target_q, 0.0
            state.velocity[:] = 0.0
            self.solver.init(state.solver, state.q)
        state.status[0] = status

    def follow(self, state: Views, frame: Views, now_ns: int, share: float) -> None:
        """Outer tick: the joint velocities that keep the arm on the way of a frame, instead of `solve`."""
        self.solve(state, False, state.target_p, state.target_q)
        bounds, dt = self.way_bounds, self.solver.dt
        way_velocity(frame.whole, self.arm.side, now_ns, share, state.q, bounds, dt, state.velocity)

    def torque(
        self,
        state: Views,
        q: Array,
        dq: Array,
        fresh: bool,
        tau: Array,
        terms: NDArray[np.float32] | None = None,
        share: float = 1.0,
        giving: bool = False,
    ) -> int:
        """Inner tick: move the commanded joints by one step and write the torques into `tau`.

        `q`, `dq` are measured; where they are not `fresh` the commanded joints come to rest. For
        `terms`, `share` and `giving` see `TorqueLaw.step`. Returns REST, MOVING, or DISPLACED when the
        arm is elsewhere than it was told to be (it was pushed hard, or put somewhere): then the
        commanded joints start again from the measured ones.
        """
        return self.torque_law.step(state, q, dq, fresh, tau, terms, share, giving)

    def palm(self, q: Array, position: Array, orientation: Array) -> None:
        """Write the palm's pose in the base frame, for joints `q`."""
        tip_pose(self.arm.chain.packed, q, position, orientation, self._R, self._J, self._work)
