"""AVATRINA's quadratic program (eq. 4) as its authors wrote it: in cvxpy, one program an iteration.

    min_dq |dr - J dq|^2 + 0.02 |dq|^2 + 0.0005 |q + dq - q_bias|^2
    q_min <= q + dq <= q_max,  |dq| <= dq_max dt

The program is made once with parameters (cvxpy's disciplined parametrised programming), so that an
iteration sets values and solves, and does not analyse it anew. Kinematics are ours, to its advantage.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bench.peers.follower import Array, Follower, Settings, matrix, peer
from elsewhere.bodies.arm import Arm
from elsewhere.bodies.home import pose_error

W_Q, W_B = 0.02, 0.0005


class Cvxpy(Follower):
    """Eq. 4 with the paper's weights and the velocity bounds that its prose promises."""

    name = "cvxpy (eq. 4)"
    best = Settings(orientation=1.0, posture=W_B, damping=W_Q, towards="neutral", qp="OSQP")

    def __init__(self, arm: Arm, dt: float, settings: Settings | None = None) -> None:
        super().__init__(arm, dt)
        # The weights are the paper's; only the posture and the solver are free.
        free = settings or self.best
        self._chosen = replace(self.best, towards=free.towards, qp=free.qp)
        self._cvxpy = cp = peer("cvxpy")
        n = arm.chain.n
        self._bias = self._chosen.posture_of(arm)
        self._J, self._dr, self._pull = cp.Parameter((6, n)), cp.Parameter(6), cp.Parameter(n)
        self._low, self._high = cp.Parameter(n), cp.Parameter(n)
        self._dq = dq = cp.Variable(n)
        cost = (
            cp.sum_squares(self._dr - self._J @ dq)
            + W_Q * cp.sum_squares(dq)
            + W_B * cp.sum_squares(dq - self._pull)
        )
        self._problem = cp.Problem(cp.Minimize(cost), [self._low <= dq, dq <= self._high])
        assert self._problem.is_dcp(dpp=True), "a parametrised program must be analysed only once"
        self._q, self._target = arm.home.copy(), np.eye(4)

    def start(self, q: Array) -> None:
        self._q = np.array(q)
        self._dq.value = np.zeros_like(self._q)

    def step(self, p: Array, quat: Array) -> None:
        q, limits = self._q, self.arm.limits
        R, at, J = self.arm.chain.forward(q)
        target = matrix(p, quat, self._target)
        most = limits.velocity * self.dt
        self._dr.value = pose_error(R, at, (target[:3, :3], target[:3, 3]))
        self._J.value, self._pull.value = J, self._bias - q
        self._low.value = np.minimum(np.maximum(limits.lower - q, -most), 0.0)
        self._high.value = np.maximum(np.minimum(limits.upper - q, most), 0.0)
        try:
            self._problem.solve(solver=self._chosen.qp, warm_start=True)
        except self._cvxpy.SolverError:
            self.failures += 1
            return
        if self._dq.value is None:
            self.failures += 1
            return
        self._q = np.clip(q + self._dq.value, limits.lower, limits.upper)

    @property
    def joints(self) -> Array:
        return self._q.copy()

    def palm(self, q: Array) -> tuple[Array, Array]:
        R, p, _ = self.arm.chain.forward(q)
        return R, p

    def settings(self) -> str:
        return f"the paper's weights, bias towards {self._chosen.towards}, {self._chosen.qp}, warm start"
