"""Our own solvers behind the same face as the peers'."""

from __future__ import annotations

from bench.peers.follower import Array, Follower
from elsewhere.bodies.arm import Arm
from elsewhere.lab.following import DEFAULT, Pursuit
from elsewhere.motion.ik.registry import SOLVERS
from elsewhere.rig import Control


class Ours(Follower):
    """A solver of ours: one compiled call an iteration, then the joints move by velocity times dt."""

    def __init__(self, arm: Arm, dt: float, solver: str = DEFAULT, bias: str = Control().bias) -> None:
        super().__init__(arm, dt)
        self.name = f"ours ({solver})"
        self._bias = bias
        self.pursuit = Pursuit(arm, dt, solver, bias)

    def start(self, q: Array) -> None:
        self.pursuit.start(q)

    def step(self, p: Array, quat: Array) -> None:
        self.pursuit.step(p, quat)

    @property
    def joints(self) -> Array:
        return self.pursuit.q.copy()

    def palm(self, q: Array) -> tuple[Array, Array]:
        R, p, _ = self.arm.chain.forward(q)
        return R, p

    def settings(self) -> str:
        return f"bias {self._bias}, no reserve of the limits, as the peers"


def ours(arm: Arm, dt: float) -> list[Ours]:
    """Every solver of ours; the first is the default, with which peers are compared."""
    others = [name for name in SOLVERS if name != DEFAULT]
    return [Ours(arm, dt), *(Ours(arm, dt, name, "shoulder") for name in others)]
