"""The one way Elsewhere compiles Python: `@kernel` on a function of floats and arrays.

Compiled code stands in `_kernels.py` beside its algorithm; a plain NumPy reference stands in the
tests and both agree to 1e-9. Kernels write into arrays that they are given and allocate nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on first use, and keep the machine code beside its source."""
    # numpy's error model: a division by zero gives inf, which the guard refuses, not an exception.
    compiled = numba.njit(cache=True, error_model="numpy")(function)
    return cast(Callable[P, R], compiled)
