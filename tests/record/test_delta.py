"""Ticks come back bit by bit, whatever they hold; old layouts stay readable."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.record import delta
from elsewhere.record.layout import adopt, dtype_from, dtype_text
from elsewhere.records import TAP


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_any_bits_come_back(count: int, seed: int, order: int) -> None:
    random = np.random.default_rng(seed)
    records = random.integers(0, 256, (count, TAP.itemsize), np.uint8).view(TAP)[:, 0]
    orders = random.integers(0, order + 1, TAP.itemsize // 8).astype(np.uint8)
    back = delta.decode(delta.encode(records, orders), count, TAP)
    assert back.tobytes() == records.tobytes()


def test_smooth_columns_get_smaller(ticks) -> None:
    import zstandard

    records = ticks(32)
    data = delta.encode(records, delta.choose_orders(records))
    assert delta.decode(data, 32, TAP).tobytes() == records.tobytes()
    assert len(zstandard.compress(data, 1)) < 0.7 * len(zstandard.compress(records.tobytes(), 1))


def test_layout_as_text() -> None:
    assert dtype_from(dtype_text(TAP)) == TAP


def test_old_layout_is_adopted() -> None:
    old = np.zeros(2, np.dtype([("tick", "u8"), ("state", [("q", "f8", (2, 4))]), ("gone", "f8")]))
    old["tick"], old["state"]["q"] = [3, 4], 1.5
    new = adopt(old, TAP)
    assert new.dtype == TAP
    assert new["tick"].tolist() == [3, 4]
    assert (new["state"]["q"][:, :, :4] == 1.5).all()
    assert not new["state"]["q"][:, :, 4:].any()
