"""The one way Elsewhere compiles Python: `@kernel` on a function of floats and arrays.

Compiled code stands in `_kernels.py` beside its algorithm; a plain NumPy reference stands in the
tests and both agree to 1e-9. Kernels write into arrays that they are given and allocate nothing.

Machine code is kept in a folder named after the content of the kernel's file and of all that the file
imports from Elsewhere, directly or not. Numba itself looks only at the file of each function, and would
go on using code into which an older version of another file was compiled.
"""

from __future__ import annotations

import ast
import hashlib
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core.caching import UserProvidedCacheLocator

P = ParamSpec("P")
R = TypeVar("R")


PACKAGE = Path(__file__).resolve().parent
KEPT = PACKAGE / "__pycache__" / "kernels"


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on first use, and keep the machine code."""
    # numpy's error model: a division by zero gives inf, which the guard refuses, not an exception.
    compiled = numba.njit(cache=True, error_model="numpy")(function)
    return cast(Callable[P, R], compiled)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, for small functions of numbers and tuples that only other kernels call.

    They become part of their callers: dozens of numbers are not moved to the stack and back.
    """
    compiled = numba.njit(cache=True, error_model="numpy", forceinline=True)(function)
    return cast(Callable[P, R], compiled)


@cache
def imported(source: Path, package: Path = PACKAGE) -> frozenset[Path]:
    """The files of `package` that `source` imports itself."""
    found = set()
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            top, *rest = name.split(".")
            path = package.joinpath(*rest).with_suffix(".py")
            if top == package.name and rest and path.is_file():
                found.add(path)
    return frozenset(found)


@cache
def code_folder(source: Path, package: Path = PACKAGE) -> Path:
    """Where the machine code of this file is kept: elsewhere when it or an import of it has changed."""
    files, new = {source}, {source}
    while new:
        new = {path for file in new for path in imported(file, package)} - files
        files |= new
    content = hashlib.sha256()
    for file in sorted(files):
        content.update(file.relative_to(package).as_posix().encode() + file.read_bytes())
    return KEPT / content.hexdigest()[:16]


def forget_older() -> None:
    """Remove the machine code of files that have changed since."""
    current = {code_folder(source) for source in PACKAGE.rglob("*.py")}
    for folder in KEPT.glob("*"):
        if folder not in current:
            shutil.rmtree(folder, ignore_errors=True)


class KernelLocator(UserProvidedCacheLocator):
    """Tells numba the folder of a kernel of Elsewhere.

    A place that the person chose (`NUMBA_CACHE_DIR`) counts more; an installation that may not be
    written to keeps numba's own place.
    """

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(code_folder(Path(py_file).resolve()))

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> KernelLocator | None:
        """The locator of `py_func`, or None if it is not ours to place."""
        if numba.config.CACHE_DIR or not Path(py_file).resolve().is_relative_to(PACKAGE):
            return None
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


if not numba.config.CACHE_LOCATOR_CLASSES:
    _numbas_own = "UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator"
    numba.config.CACHE_LOCATOR_CLASSES = ",".join((f"{__name__}.{KernelLocator.__name__}", *_numbas_own))
