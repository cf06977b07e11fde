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
from elsewhere.bodies._kernels import MAX
from elsewhere.bodies.body import Body
from elsewhere.bodies.capsules import Capsules
from elsewhere.motion._self_collision_entry_kernels import protect
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
        self.buffers = Buffers(body, self.capsules, self.MARGIN)
        self._flags, self._head = np.zeros(2, np.bool_), np.zeros(3)

    def step(self, q: Array, dq: Array, velocity: Array, head: Array | None = None) -> NDArray[np.bool_]:
        """Change the asked velocities in place; which arms were slowed by more than a little.

        All are (2, 8): commanded joints, their velocities, and what the solvers ask for. `head`: yaw,
        pitch, roll, where they have changed. The flags are overwritten by the next step.
        """
        self._flags[:] = False
        if head is not None:
            self._head[:] = head
        if len(self.capsules.pairs):
            counts, whole, real = self.buffers.all
            left, right = protect(counts, whole, real, self.dt, q, dq, velocity, self._head)
            self._flags[0], self._flags[1] = left > self.SLOWED, right > self.SLOWED
        return self._flags


class Buffers:
    """All that the kernel needs of one body, in two buffers, in the order of `protect`.

    `margin` (k): the gap that each pair keeps; `acceleration`, `top` (2, 8): of the joints. Views.
    """

    def __init__(self, body: Body, shapes: Capsules, most: float) -> None:
        # Pairs that are near by design keep half of the gap that they have there.
        margin = np.minimum(most, 0.5 * shapes.usual)
        acceleration, top = np.ones((2, MAX)), np.zeros((2, MAX))
        for side, arm in enumerate(body.arms):
            if arm:
                acceleration[side, : arm.chain.n] = ACCELERATION * arm.limits.acceleration
                top[side, : arm.chain.n] = Solver.SHARE * arm.limits.velocity
        joints, kind, axis, R, p = shapes.arms
        owner, link, local, radius, extent = shapes.shapes
        groups, blocks, heads = shapes.groups, shapes.blocks, shapes.heads
        k, way, middles = len(margin), np.zeros(len(radius)), np.zeros((len(groups), 4))
        rows, turn = np.zeros((5, 2, MAX)), np.zeros(4)
        counts = np.array([len(radius), k, len(groups), len(blocks), len(heads)], np.int64)
        of_arms = (axis, R, p, acceleration, top, body.head.position, *capsules.scratch(), turn, rows)
        of_capsules = (local, local, local, local, radius, extent, way)
        of_pairs = (margin, shapes.ball, middles, np.zeros((3, k)), np.zeros((k, 2, MAX)))
        whole = joints, kind, owner, link, shapes.pairs, groups, blocks, heads, np.zeros(k, np.int64)
        real, views = _joined([*of_arms, *of_capsules, *of_pairs])
        self.all = counts, np.concatenate([np.ravel(each) for each in whole]), real
        self.acceleration, self.top = views[3], views[4]
        self.margin = views[len(of_arms) + len(of_capsules)]


def _joined(arrays: list[Array]) -> tuple[Array, list[Array]]:
    """Copies of arrays one behind the other in one buffer, and each as a view of it."""
    buffer = np.concatenate([np.ravel(each) for each in arrays])
    ends = np.cumsum([each.size for each in arrays])
    views = [
        buffer[end - each.size : end].reshape(each.shape) for each, end in zip(arrays, ends, strict=True)
    ]
    return buffer, views
