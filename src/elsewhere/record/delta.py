"""Ticks made smaller without losing a bit, before the chunk is compressed.

A record is taken as 64-bit words, one column each. A column that changes smoothly is replaced by its
first, second or third difference (modulo 2^64, so that it can be undone exactly, whatever the bits
mean: neighbouring doubles of one exponent are neighbouring integers); the sign is folded into the
lowest bit; the bytes are transposed, so that the leading zeros of a column lie side by side. On
moving arms zstd then needs about half of what it needs for the records themselves.

Layout of the data: one byte for each column (how often it was differenced), then the transposed bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_ORDER = 3
DESCRIPTION = (
    "words = record_size / 8 columns of int64. data = order[words] bytes, then uint8[record_size][count]. "
    "Transpose to uint8[count][record_size], view as uint64 v; x = (v >> 1) ^ -(v & 1) as int64; "
    "then for each column take the running sum over the records order times, modulo 2^64."
)

Words = NDArray[np.int64]


def choose_orders(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """How often to difference each column, so that the sum of the logarithms is least."""
    words = _words(records)
    best = np.zeros(words.shape[1], np.uint8)
    least = np.full(words.shape[1], np.inf)
    for order in range(MAX_ORDER + 1):
        folded = _fold(words[MAX_ORDER:]) if order == 0 else _fold(np.diff(words, order, axis=0))
        cost = np.log2(folded[-max(len(words) - MAX_ORDER, 1) :].astype(np.float64) + 1.0).sum(axis=0)
        better = cost < least
        best[better], least[better] = order, cost[better]
    return best


def encode(records: NDArray[np.void], orders: NDArray[np.uint8]) -> bytes:
    """Records as smaller bytes. `orders` comes from `choose_orders` of similar records."""
    words = _words(records).copy()
    for order in range(1, MAX_ORDER + 1):
        mask = (orders >= order).astype(np.int64)
        words[1:] -= words[:-1] * mask
    folded = _fold(words).view(np.uint8).reshape(len(words), -1)
    return orders.tobytes() + np.ascontiguousarray(folded.T).tobytes()


def decode(data: bytes, count: int, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """The records that `encode` was given."""
    width = dtype.itemsize // 8
    orders = np.frombuffer(data, np.uint8, width)
    flat = np.frombuffer(data, np.uint8, width * 8 * count, width).reshape(width * 8, count)
    folded = np.ascontiguousarray(flat.T).view(np.uint64)
    words = (folded >> np.uint64(1)).view(np.int64) ^ -(folded & np.uint64(1)).view(np.int64)
    for order in range(MAX_ORDER, 0, -1):
        columns = orders >= order
        words[:, columns] = np.cumsum(words[:, columns], axis=0)
    return words.view(np.uint8).reshape(count, -1).view(dtype)[:, 0]


def _words(records: NDArray[np.void]) -> Words:
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), -1).view(np.int64)


def _fold(words: Words) -> NDArray[np.uint64]:
    """Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    folded: NDArray[np.uint64] = ((words << 1) ^ (words >> 63)).view(np.uint64)
    return folded
