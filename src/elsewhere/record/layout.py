"""A record's dtype as JSON in a file, and records of an older layout as today's."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray


def dtype_text(dtype: np.dtype[np.void]) -> str:
    """The layout of a structured dtype as JSON: what `numpy.lib.format.dtype_to_descr` gives."""
    return json.dumps(np.lib.format.dtype_to_descr(dtype))


def dtype_from(text: str) -> np.dtype[np.void]:
    """The dtype that `dtype_text` wrote."""
    return np.dtype(np.lib.format.descr_to_dtype(_tuples(json.loads(text))))


def adopt(records: NDArray[np.void], dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """Records in another layout, field by field by name; what the old one lacks stays zero."""
    if records.dtype == dtype:
        return records
    adopted = np.zeros(len(records), dtype)
    _copy(records, adopted)
    return adopted


def _copy(source: NDArray[np.void], target: NDArray[np.void]) -> None:
    for name in target.dtype.names or ():
        if name not in (source.dtype.names or ()):
            continue
        old, new = source[name], target[name]
        if new.dtype.names:
            _copy(old, new)
        elif old.ndim == new.ndim:
            # A wider or narrower field (more joints, fewer motors) keeps what both have.
            common = tuple(slice(0, min(a, b)) for a, b in zip(old.shape, new.shape, strict=True))
            new[common] = old[common]


def _tuples(descr: Any) -> Any:
    if isinstance(descr, str):
        return descr
    return [(field[0], _tuples(field[1]), *(tuple(shape) for shape in field[2:])) for field in descr]
