"""A number written into the picture itself, to follow one frame from the simulator to the eye.

Layout, in pixels of the whole (side by side) picture: the top 8 rows, from x = 0, hold 40 blocks of
16 x 8 pixels, black for 0 and white for 1, most significant bit first: 32 bits of frame number, then
8 bits of checksum. The checksum is CRC-8 (polynomial 0x07, start 0) of the four bytes of the number,
big end first, xor 0xA5, so that neither a black nor a white strip reads as a number.

To read: for block i take the mean luma of columns 16 i + 4 .. 16 i + 11, rows 2 .. 5; above 128 is 1.
Blocks of this size survive H.264 at a tenth of the usual bit rate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 40
BLOCK_WIDTH = 16
BLOCK_HEIGHT = 8
STRIP_WIDTH = BITS * BLOCK_WIDTH
_WEIGHTS = 1 << np.arange(BITS - 1, -1, -1, dtype=np.uint64)


def checksum(number: int) -> int:
    """CRC-8 of the number's four bytes, xor 0xA5."""
    crc = 0
    for byte in number.to_bytes(4, "big"):
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1) ^ (0x07 if crc & 0x80 else 0)
            crc &= 0xFF
    return crc ^ 0xA5


def write_stamp(picture: NDArray[np.uint8], number: int) -> None:
    """Write the low 32 bits of `number` into `picture` (height, width >= 640, 3), in place."""
    low = number & 0xFFFFFFFF
    word = (low << 8) | checksum(low)
    bits = (np.uint64(word) & _WEIGHTS) != 0
    row = np.repeat(np.where(bits, np.uint8(255), np.uint8(0)), BLOCK_WIDTH)
    picture[:BLOCK_HEIGHT, :STRIP_WIDTH] = row[None, :, None]


def read_stamp(picture: NDArray[np.uint8]) -> int | None:
    """The number in a picture (height, width, 3) or (height, width), or None when there is none."""
    if picture.shape[0] < BLOCK_HEIGHT or picture.shape[1] < STRIP_WIDTH:
        return None
    strip = picture[2:6, :STRIP_WIDTH].astype(np.float64)
    luma = strip if strip.ndim == 2 else strip.mean(axis=2)
    blocks = luma.reshape(4, BITS, BLOCK_WIDTH)[:, :, 4:12].mean(axis=(0, 2))
    word = int((_WEIGHTS * (blocks > 128.0)).sum())
    number = word >> 8
    return number if word & 0xFF == checksum(number) else None
