"""The one way Elsewhere compiles Python: `@kernel` on a function of floats and arrays.

Compiled code stands in `_kernels.py` beside its algorithm; a plain NumPy reference stands in the
tests and both agree to 1e-9. Kernels write into arrays that they are given and allocate nothing.

Machine code is kept in a folder named after the content of all kernels together. Numba itself looks
only at the file of each function, and would go on using code into which an older version of another
file was compiled.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


PACKAGE = Path(__file__).resolve().parent
KEPT = PACKAGE / "__pycache__" / "kernels"


def code_folder(package: Path = PACKAGE) -> Path:
    """Where machine code of exactly these kernels is kept: another folder when any of them changes."""
    content = hashlib.sha256()
    for source in sorted(package.rglob("_*kernels.py")):
        content.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
    return KEPT / content.hexdigest()[:16]


def forget_older() -> None:
    """Remove the machine code of kernels that are no more."""
    for folder in KEPT.glob("*"):
        if folder != code_folder():
            shutil.rmtree(folder, ignore_errors=True)


# An installation that may not be written to keeps numba's own place, and a person's own choice counts.
if not numba.config.CACHE_DIR and os.access(PACKAGE, os.W_OK):
    numba.config.CACHE_DIR = str(code_folder())


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on first use, and keep the machine code beside its source."""
    # numpy's error model: a division by zero gives inf, which the guard refuses, not an exception.
    compiled = numba.njit(cache=True, error_model="numpy")(function)
    return cast(Callable[P, R], compiled)
