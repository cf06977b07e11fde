from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.link.gate import FrameGate, GateStatus
from elsewhere.messages import HandInput, HeadInput, OperatorFrame, Stamp

anything = st.floats(allow_nan=True, allow_infinity=True)
numbers = st.one_of(st.floats(-1.0, 1.0), anything)
vectors = st.tuples(numbers, numbers, numbers)
quaternions = st.one_of(
    st.just((1.0, 0.0, 0.0, 0.0)),
    st.just((0.5, 0.5, 0.5, 0.5)),
    st.tuples(numbers, numbers, numbers, numbers),
)
fingers = st.tuples(*[st.floats(0.0, 1.0)] * 6)
hands = st.builds(HandInput, st.booleans(), st.booleans(), vectors, quaternions, fingers)
heads = st.builds(HeadInput, st.booleans(), quaternions)
ages_ms = st.floats(-60.0, 250.0)
steps = st.lists(
    st.tuples(st.integers(1, 30), ages_ms, hands, hands, heads, vectors, st.booleans()),
    min_size=1,
    max_size=8,
)


@settings(max_examples=50)
@given(st.integers(-(2**60), 2**60), steps)
def test_only_fresh_ordered_finite_frames_pass(offset_ns, steps) -> None:
    gate = FrameGate(number=9)
    now_ns, last_seq, admitted = 2**61, 0, 0
    for seq, age_ms, left, right, head, twist, known in steps:
        now_ns += 5_000_000
        sampled_ns = now_ns - round(age_ms * 1e6) - offset_ns
        frame = OperatorFrame(seq, Stamp(sampled_ns, sampled_ns), left, right, head, twist)
        status, record = gate.admit(frame, offset_ns=offset_ns if known else None, now_ns=now_ns)
        assert (record is not None) == (status is GateStatus.ADMITTED)
        if record is None:
            continue
        admitted += 1
        assert known
        assert record["seq"] == seq > last_seq
        last_seq = seq
        age = (now_ns - int(record["sampled_ns"])) / 1e6
        assert -20.0 <= age <= 100.0
        assert record["received_ns"] == now_ns
        assert record["session"] == 9
        for name in ("hand_p", "hand_q", "head_q", "base_twist", "fingers"):
            assert np.isfinite(record[name]).all()
        assert np.allclose(np.linalg.norm(record["hand_q"], axis=1), 1.0)
        assert math.isclose(float(np.linalg.norm(record["head_q"])), 1.0)
    assert gate.counts[GateStatus.ADMITTED] == admitted
    assert gate.refused == len(steps) - admitted


def test_each_reason() -> None:
    gate, now = FrameGate(number=1), 10**12
    ok = HandInput(True, True, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0,) * 6)
    head = HeadInput(True, (1.0, 0.0, 0.0, 0.0))

    def admit(seq: int, age_ms: float, left: HandInput = ok, offset: int | None = 0) -> GateStatus:
        at = now - round(age_ms * 1e6)
        frame = OperatorFrame(seq, Stamp(at, at), left, ok, head, (0.0, 0.0, 0.0))
        return gate.admit(frame, offset_ns=offset, now_ns=now)[0]

    broken = HandInput(True, True, (math.nan, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0,) * 6)
    assert admit(1, 0.0, offset=None) is GateStatus.NO_CLOCK
    assert admit(5, 10.0) is GateStatus.ADMITTED
    assert admit(5, 10.0) is GateStatus.REPEATED
    assert admit(4, 0.0) is GateStatus.REPEATED
    assert admit(6, 100.1) is GateStatus.STALE
    assert admit(6, -20.1) is GateStatus.FUTURE
    assert admit(6, 0.0, broken) is GateStatus.NOT_FINITE
    assert admit(6, 100.0) is GateStatus.ADMITTED
