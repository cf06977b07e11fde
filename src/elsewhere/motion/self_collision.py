"""Keeps the two arms off each other, off the body and off themselves.

The invariant is the one of a careful driver: at every moment both arms can still stop before any
two parts come nearer than a margin. Asked velocities that would break it are first bent, so that
the hand slides along what is in its way (only the component that closes a gap is taken), and then,
where that is not enough, slowed. Motion that opens a gap passes, also from inside the margin.

    d gap / dt = n^T (J_b dq_b - J_a dq_a) >= -min(k s, sqrt(2 a s)),    s = gap - margin

The bound on the closing speed is a velocity damper (Faverjon and Tournassoud, ICRA 1987) with the
braking parabola of the joints' own accelerations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import capsules
from elsewhere.bodies._capsule_kernels import turn_head
from elsewhere.bodies._kernels import MAX
from elsewhere.bodies.body import Body
from elsewhere.bodies.capsules import Capsules
from elsewhere.motion._self_collision_kernels import Limits, Pairs, Scratch, keep_apart
from elsewhere.motion.arm_motion import ACCELERATION
from elsewhere.motion.ik.base import Solver

Array = NDArray[np.float64]


class SelfCollision:
    """Guards the commanded motion of both arms at the outer rate. It has no state.

    Invariant: commanded joints that start with every gap above the margin keep every gap positive,
    whatever velocities are asked for.
    """

    MARGIN = 0.025
    """Gap that is kept between any two parts [m]: what two arms may be off their commanded places.

    Hostile operators bring them up to 0.02 m nearer to each other than they were told to be.
    """
    SLOWED = 0.1
    """An arm is flagged when more than this share of what it was asked is taken."""

    def __init__(self, body: Body, dt: float) -> None:
        self.capsules, self.dt = Capsules.from_body(body), dt
        shapes, pairs = self.capsules.shapes, self.capsules.pairs
        # Pairs that are near by design keep half of the gap that they have there.
        margin = np.minimum(self.MARGIN, 0.5 * self.capsules.usual)
        acceleration, top = np.ones((2, MAX)), np.zeros((2, MAX))
        for side, arm in enumerate(body.arms):
            if arm:
                acceleration[side, : arm.chain.n] = ACCELERATION * arm.limits.acceleration
                top[side, : arm.chain.n] = Solver.SHARE * arm.limits.velocity
        self._arms, self._shapes = self.capsules.arms, shapes
        shared = self.capsules
        self._pairs: Pairs = pairs, margin, shared.groups, shared.ball, shared.blocks
        self._head = shared.heads, shared.ends, body.head.position
        self._turn = np.zeros(4)
        self._limits: Limits = acceleration, top
        self._scratch = scratch(self.capsules)
        self._flags = np.zeros(2, np.bool_)

    def step(self, q: Array, dq: Array, velocity: Array, head: Array | None = None) -> NDArray[np.bool_]:
        """Change the asked velocities in place; which arms were slowed by more than a little.

        All are (2, 8): commanded joints, their velocities, and what the solvers ask for. `head`: yaw,
        pitch, roll, if it does not look straight ahead. The flags are overwritten by the next step.
        """
        self._flags[:] = False
        if len(self._pairs[0]):
            heads, ahead, centre = self._head
            if head is not None and len(heads):
                turn_head(heads, ahead, centre, head, self._turn, self._scratch[1])
            arms, shapes, pairs = self._arms, self._shapes, self._pairs
            left, right = keep_apart(
                arms, shapes, pairs, self._limits, self.dt, q, dq, velocity, self._scratch
            )
            self._flags[0], self._flags[1] = left > self.SLOWED, right > self.SLOWED
        return self._flags


def scratch(shapes: Capsules) -> Scratch:
    """Room for the kernel's intermediate values."""
    count, pairs = len(shapes.names), len(shapes.pairs)
    return (
        capsules.scratch(),
        shapes.ends.copy(),
        np.stack([shapes.ends, shapes.ends]),
        np.zeros(count),
        np.zeros((5, 2, MAX)),
        np.zeros((3, pairs)),
        np.zeros((pairs, 2, MAX)),
        np.zeros(pairs, np.int64),
        np.zeros((len(shapes.groups), 4)),
    )
