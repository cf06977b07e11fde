from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from elsewhere.link.clock import SAMPLES, ClockOffset, answer
from elsewhere.messages import Ping, Pong

times = st.integers(0, 2**50)
delays = st.integers(0, 400_000_000)


def exchange(
    clock: ClockOffset, now_ns: int, offset_ns: int, out_ns: int, there_ns: int, back_ns: int
) -> bool:
    """One ping and pong over a link with these delays; the peer's clock is ours plus the offset."""
    ping = clock.ping(now_ns)
    received_ns = now_ns + out_ns + offset_ns
    pong = answer(ping, received_ns, received_ns + there_ns)
    return clock.pong(pong, now_ns + out_ns + there_ns + back_ns)


@given(
    times,
    st.integers(-(2**60), 2**60),
    st.lists(st.tuples(delays, delays, delays), min_size=1, max_size=60),
)
def test_error_is_at_most_half_the_smallest_round_trip(start, offset_ns, trips) -> None:
    clock = ClockOffset()
    for i, (out_ns, there_ns, back_ns) in enumerate(trips):
        assert exchange(clock, start + i * 200_000_000, offset_ns, out_ns, there_ns, back_ns)
    smallest = min(out + back for out, _, back in trips[-SAMPLES:])
    assert clock.round_trip_ns == smallest
    assert abs(clock.offset_ns - offset_ns) <= smallest / 2 + 1


@given(st.lists(delays, min_size=SAMPLES + 1, max_size=3 * SAMPLES))
def test_an_old_good_sample_is_forgotten(trips) -> None:
    """Clocks drift, so that a sample of long ago must not win for ever."""
    clock = ClockOffset()
    exchange(clock, 0, 0, 0, 0, 0)
    for i, delay in enumerate(trips):
        exchange(clock, i * 200_000_000, 7, delay, 0, delay)
    assert clock.round_trip_ns == 2 * min(trips[-SAMPLES:])
    assert clock.offset_ns == 7


@given(st.integers(0, 2**63), st.integers(), st.integers(), st.integers())
def test_a_pong_that_was_not_asked_for_is_refused(seq, sent, received, replied) -> None:
    clock = ClockOffset()
    assert not clock.pong(Pong(seq, sent, received, replied), 5)
    assert clock.offset_ns is None
    assert not clock.known


def test_a_pong_counts_once_and_must_be_possible() -> None:
    clock = ClockOffset()
    ping = clock.ping(1000)
    assert clock.pong(answer(ping, 5000, 5100), 1300)
    assert not clock.pong(answer(ping, 5000, 5100), 1300)
    late = clock.ping(2000)
    assert not clock.pong(answer(late, 9000, 9900), 2100)  # away longer than the whole trip took
    back = clock.ping(3000)
    assert not clock.pong(answer(back, 9000, 8000), 3100)  # answered before it was received
    altered = clock.ping(4000)
    assert not clock.pong(answer(Ping(altered.seq, 3999), 9000, 9000), 4100)
    assert clock.count == 1
