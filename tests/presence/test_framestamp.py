from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.presence.framestamp import BLOCK_HEIGHT, STRIP_WIDTH, checksum, read_stamp, write_stamp


@given(st.integers(0, 2**40))
def test_what_is_written_is_read(number) -> None:
    picture = np.full((32, 700, 3), 90, np.uint8)
    write_stamp(picture, number)
    assert read_stamp(picture) == number % 2**32
    assert read_stamp(picture[:, :, 0]) == number % 2**32
    assert (picture[BLOCK_HEIGHT:] == 90).all()
    assert (picture[:, STRIP_WIDTH:] == 90).all()


def test_no_number_in_plain_or_small_pictures() -> None:
    for value in (0, 90, 255):
        assert read_stamp(np.full((32, 700, 3), value, np.uint8)) is None
    assert read_stamp(np.zeros((4, 700, 3), np.uint8)) is None
    assert read_stamp(np.zeros((32, 100, 3), np.uint8)) is None


def test_known_checksums() -> None:
    # CRC-8 (0x07) of 00 00 00 01 is 0x07; a reader in another language can be tested against these.
    assert checksum(0) == 0xA5
    assert checksum(1) == 0x07 ^ 0xA5


@given(st.integers(0, 2**32 - 1), st.integers(0, 39))
def test_one_wrong_block_is_noticed(number, block) -> None:
    picture = np.zeros((8, 640, 3), np.uint8)
    write_stamp(picture, number)
    picture[:, 16 * block : 16 * block + 16] ^= 255
    assert read_stamp(picture) is None
