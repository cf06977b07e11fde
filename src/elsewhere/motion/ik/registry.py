"""Solvers by name, as a rig chooses them: `[control] solver = "scout"`."""

from __future__ import annotations

from elsewhere.errors import UnknownNameError
from elsewhere.motion.ik.base import Solver
from elsewhere.motion.ik.manipulability import Manipulability
from elsewhere.motion.ik.qp import QP
from elsewhere.motion.ik.scout import Scout

SOLVERS: dict[str, type[Solver]] = {"scout": Scout, "qp": QP, "manipulability": Manipulability}


def find_solver(name: str) -> type[Solver]:
    """The solver of that name. Raises UnknownNameError, which lists the valid ones."""
    if name not in SOLVERS:
        raise UnknownNameError("solver", name, SOLVERS)
    return SOLVERS[name]
