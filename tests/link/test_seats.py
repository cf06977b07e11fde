from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.errors import LinkError
from elsewhere.link.session import Seats, SeatTakenError

MS = 1_000_000


def test_one_operator_and_a_takeover() -> None:
    seats = Seats()
    first, _ = seats.claim("operator", 0)
    with pytest.raises(SeatTakenError, match="take over"):
        seats.claim("operator", 0)
    second, leaves = seats.claim("operator", 0, takeover=True)
    assert leaves is first
    assert seats.operator is second
    assert first.id not in seats
    assert first.id != second.id
    assert len(second.id) >= 20


def test_a_silent_holder_loses_the_seat() -> None:
    seats = Seats()
    seat, _ = seats.claim("operator", 0)
    assert not seats.expired(5000 * MS)  # still connecting
    assert seats.expired(10_001 * MS) == [seat]
    seats.connected(seat.id, 0)
    seats.heard(seat.id, 500 * MS)
    assert not seats.expired(1500 * MS)
    assert seats.expired(1501 * MS) == [seat]
    assert seats.release(seat.id) is seat
    assert seats.release(seat.id) is None
    assert seats.operator is None


def test_one_who_never_connects_gives_way() -> None:
    seats = Seats()
    absent, _ = seats.claim("operator", 0)
    with pytest.raises(SeatTakenError):
        seats.claim("operator", 1999 * MS)
    present, leaves = seats.claim("operator", 2001 * MS)
    assert leaves is absent
    seats.connected(present.id, 2100 * MS)
    with pytest.raises(SeatTakenError):
        seats.claim("operator", 2999 * MS)


actions = st.lists(
    st.tuples(st.sampled_from(["operator", "viewer", "leave"]), st.booleans(), st.integers(0, 9)),
    max_size=40,
)


@given(actions)
def test_never_two_operators_nor_five_viewers(actions) -> None:
    seats, ids = Seats(), []
    for action, takeover, pick in actions:
        if action == "leave":
            if ids:
                seats.release(ids[pick % len(ids)])
            continue
        try:
            seat, _ = seats.claim(action, 0, takeover=takeover)
            ids.append(seat.id)
        except LinkError:
            pass
        here = [seats._seats[id] for id in ids if id in seats]
        assert len(here) == len(seats)
        assert sum(seat.drives for seat in here) <= 1
        assert sum(not seat.drives for seat in here) <= 4
    assert len(set(ids)) == len(ids)
