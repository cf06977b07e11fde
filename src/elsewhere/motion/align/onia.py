"""ONIA: the arm of a human model laid exactly over the robot's, in closed form (eq. 6-19)."""

from __future__ import annotations

from elsewhere.motion.align._onia_kernels import onia_batch, onia_into
from elsewhere.motion.align.solver import ALPHA, BENT, STRAIGHT, Stateless


class Onia(Stateless):
    """Elbow and wrist are the robot's; the bones are stretched as that needs.

        R_s = R_twist R_swing,  S_u = |d_u^r| / |d_u^h|          (eq. 8, 9, 12-14)
        R_e = R_twist^alpha R_swing,  S_f = |d_f^r| / |d_f^h|    (eq. 15-19)

    with eq. 8 from the human to the robot; printed it is the other way round, which eq. 10 contradicts.

    Invariants: elbow and wrist deviate by rounding only (1e-9 m); the shoulder's twist makes the angle
    between the two elbow axes the least that any turn about the upper arm can; the same input gives the
    same bits; turning and moving all inputs turns and moves the pose.
    """

    name = "onia"

    def __init__(self, alpha: float = ALPHA, straight: float = STRAIGHT, bent: float = BENT) -> None:
        super().__init__(onia_into, onia_batch, alpha, straight, bent)
