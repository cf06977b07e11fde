from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_frames import make_frame

from elsewhere.errors import LinkError
from elsewhere.link.gate import FrameGate, GateStatus
from elsewhere.link.impairment import Impairment
from elsewhere.link.loopback import Loopback
from elsewhere.messages import decode_latest_up, encode

MS = 1_000_000
impairments = st.builds(
    Impairment,
    delay_ms=st.floats(0, 80),
    jitter_ms=st.floats(0, 50),
    loss=st.floats(0, 0.6),
    reorder=st.floats(0, 0.5),
    reorder_ms=st.floats(0, 60),
)


def run(impairment: Impairment, seed: int, count: int = 80) -> tuple[list[tuple[int, bytes]], list[bytes]]:
    link = Loopback(impairment, seed=seed)
    latest: list[tuple[int, bytes]] = []
    reliable: list[bytes] = []
    link.avatar.latest.on_message(lambda data: latest.append((link.now_ns, data)))
    link.avatar.reliable.on_message(reliable.append)
    for i in range(count):
        link.advance(i * 5 * MS)
        assert link.operator.latest.send(bytes([i]))
        assert link.operator.reliable.send(bytes([i]))
    link.advance(10**15)
    return latest, reliable


@given(impairments, st.integers(0, 2**31))
def test_the_same_seed_gives_the_same_arrivals(impairment, seed) -> None:
    first, second = run(impairment, seed), run(impairment, seed)
    assert first == second


@given(impairments, st.integers(0, 2**31))
def test_latest_may_lose_and_reorder_but_reliable_may_not(impairment, seed) -> None:
    latest, reliable = run(impairment, seed)
    assert reliable == [bytes([i]) for i in range(80)]
    got = [data for _, data in latest]
    assert len(set(got)) == len(got)
    assert [at for at, _ in latest] == sorted(at for at, _ in latest)
    longest = impairment.delay_ms + impairment.jitter_ms + impairment.reorder_ms
    for at, data in latest:
        delay_ms = (at - data[0] * 5 * MS) / MS
        assert impairment.delay_ms - 1e-3 <= delay_ms <= longest + 1e-3


def test_different_seeds_differ_and_loss_is_about_right() -> None:
    bad = Impairment(delay_ms=20, jitter_ms=10, loss=0.3)
    assert run(bad, 1) != run(bad, 2)
    arrived = sum(len(run(bad, seed)[0]) for seed in range(20)) / (20 * 80)
    assert 0.65 < arrived < 0.75


@given(impairments, st.integers(0, 1000))
def test_whatever_the_network_does_the_gate_keeps_order_and_age(impairment, seed) -> None:
    link, gate, admitted = Loopback(impairment, seed=seed), FrameGate(1), []

    def take(data: bytes) -> None:
        status, record = gate.admit(decode_latest_up(data), offset_ns=0, now_ns=link.now_ns)
        if status is GateStatus.ADMITTED:
            admitted.append((int(record["seq"]), link.now_ns - int(record["sampled_ns"])))

    link.avatar.latest.on_message(take)
    for i in range(100):
        link.advance(i * 10 * MS)
        link.operator.latest.send(encode(make_frame(i + 1, link.now_ns)))
    link.advance(10**15)
    seqs = [seq for seq, _ in admitted]
    assert seqs == sorted(set(seqs))
    assert all(age <= 100 * MS for _, age in admitted)


def test_answers_take_the_way_back_and_a_closed_link_is_silent() -> None:
    link = Loopback(Impairment(delay_ms=30), Impairment(delay_ms=50))
    got: list[int] = []
    link.avatar.latest.on_message(lambda data: link.avatar.latest.send(data))
    link.operator.latest.on_message(lambda data: got.append(link.now_ns))
    link.operator.latest.send(b"x")
    assert link.advance(79 * MS) == 1
    assert link.advance(80 * MS) == 1
    assert got == [80 * MS]
    link.operator.latest.send(b"x")
    link.close()
    assert link.advance(10**12) == 0
    assert not link.operator.latest.open
    assert not link.operator.latest.send(b"x")


def test_impossible_impairments_are_refused() -> None:
    with pytest.raises(LinkError, match="loss"):
        Impairment(loss=1.5)
    with pytest.raises(LinkError, match="delay_ms"):
        Impairment(delay_ms=-1)
