"""Alignment solvers by name."""

from __future__ import annotations

from elsewhere.errors import UnknownNameError
from elsewhere.motion.align.bounded import Bounded
from elsewhere.motion.align.dls import DampedLeastSquares
from elsewhere.motion.align.fabrik import Fabrik
from elsewhere.motion.align.onia import Onia
from elsewhere.motion.align.solver import Solver

SOLVERS: dict[str, type[Solver]] = {
    "onia": Onia,
    "dls": DampedLeastSquares,
    "fabrik": Fabrik,
    "bounded": Bounded,
}


def make_align_solver(name: str) -> Solver:
    """The solver of that name, with its own settings. Raises UnknownNameError, which lists the valid
    ones."""
    if name not in SOLVERS:
        raise UnknownNameError("alignment solver", name, SOLVERS)
    return SOLVERS[name]()
