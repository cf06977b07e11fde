"""Compiled code of `presence`: pictures from RGB to what a video encoder takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numba
import numpy as np
from numpy.typing import NDArray

Bytes2 = NDArray[np.uint8]


def _rgb_to_i420(rows: Bytes2, flip: bool, y: Bytes2, u: Bytes2, v: Bytes2) -> None:
    """RGB rows (height, 3 * width) into the planes of yuv420p (BT.601, 16..235), bottom up if `flip`.

    Y = (66 R + 129 G + 25 B + 4224) >> 8; U and V are means of 2 x 2 pixels. The integers are those of
    ITU-R BT.601 times 256, rounded. Width and height are even.
    """
    height, width = rows.shape[0], rows.shape[1] // 3
    for i in range(height):
        source = rows[height - 1 - i] if flip else rows[i]
        out = y[i]
        for j in range(width):
            # 16 bits suffice (at most 60 324), and twice as many of them fit into a vector register.
            luma = (
                np.uint16(66) * np.uint16(source[3 * j])
                + np.uint16(129) * np.uint16(source[3 * j + 1])
                + np.uint16(25) * np.uint16(source[3 * j + 2])
                + np.uint16(4224)
            )
            out[j] = np.uint8(luma >> np.uint16(8))
    for i in range(height // 2):
        a = rows[height - 1 - 2 * i] if flip else rows[2 * i]
        b = rows[height - 2 - 2 * i] if flip else rows[2 * i + 1]
        out_u, out_v = u[i], v[i]
        for j in range(width // 2):
            k = 6 * j
            red = np.int32(a[k]) + np.int32(a[k + 3]) + np.int32(b[k]) + np.int32(b[k + 3])
            green = np.int32(a[k + 1]) + np.int32(a[k + 4]) + np.int32(b[k + 1]) + np.int32(b[k + 4])
            blue = np.int32(a[k + 2]) + np.int32(a[k + 5]) + np.int32(b[k + 2]) + np.int32(b[k + 5])
            out_u[j] = np.uint8(
                (np.int32(112) * blue - np.int32(38) * red - np.int32(74) * green + np.int32(131584)) >> 10
            )
            out_v[j] = np.uint8(
                (np.int32(112) * red - np.int32(94) * green - np.int32(18) * blue + np.int32(131584)) >> 10
            )


# Not `elsewhere.kernel`: this one runs beside asyncio in one process and must let it go on meanwhile.
rgb_to_i420 = cast(
    Callable[[Bytes2, bool, Bytes2, Bytes2, Bytes2], None],
    numba.njit(cache=True, nogil=True, error_model="numpy")(_rgb_to_i420),
)
