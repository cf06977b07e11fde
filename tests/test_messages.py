"""Messages: what does not have the promised form is refused with a reason."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere import messages as m
from elsewhere.errors import MessageError

UNIT = (1.0, 0.0, 0.0, 0.0)


def frame(**changes):
    hand = m.HandInput(True, True, (0.1, 0.2, 0.3), (0.6, 0.8, 0.0, 0.0), (0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
    base = {
        "seq": 5,
        "stamp": m.Stamp(1000, 1100),
        "left": hand,
        "right": msgspec.structs.replace(hand, clutch=False),
        "head": m.HeadInput(True, UNIT),
        "base_twist": (0.1, 0.0, -0.2),
    }
    return m.OperatorFrame(**{**base, **changes})


def record(message):
    return m.frame_record(message, session=9, offset_ns=50, received_ns=2000)


def test_a_frame_crosses_the_network_and_becomes_a_record():
    sent = frame()
    got = m.decode_latest_up(m.encode(sent))
    assert got == sent
    made = record(got)
    assert (int(made["seq"]), int(made["session"]), int(made["sampled_ns"])) == (5, 9, 1050)
    assert made["clutch"].tolist() == [1, 0]
    assert np.allclose(made["hand_p"], [[0.1, 0.2, 0.3]] * 2)
    assert np.allclose(made["hand_q"], [[0.6, 0.8, 0.0, 0.0]] * 2)
    assert made["fingers"][1].tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert made["base_twist"].tolist() == [0.1, 0.0, -0.2]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e9])
def test_numbers_that_are_not_finite_are_refused(bad):
    hand = msgspec.structs.replace(frame().left, position=(bad, 0.0, 0.0))
    with pytest.raises(MessageError, match="hand position"):
        record(frame(left=hand))
    with pytest.raises(MessageError, match="base twist"):
        record(frame(base_twist=(0.0, bad, 0.0)))


@pytest.mark.parametrize("q", [(0.0,) * 4, (2.0, 0.0, 0.0, 0.0), (math.nan, 0.0, 0.0, 1.0)])
def test_quaternions_that_are_no_rotations_are_refused(q):
    with pytest.raises(MessageError, match="head orientation"):
        record(frame(head=m.HeadInput(True, q)))


def test_what_is_not_tracked_is_not_read():
    hand = m.HandInput(False, True, (math.nan,) * 3, (0.0,) * 4, (0.0,) * 6)
    made = record(frame(left=hand))
    assert made["tracked"].tolist() == [0, 1]
    assert np.isfinite(made["hand_p"]).all()


def test_fingers_out_of_range_and_wrong_shapes_are_refused():
    for change in ({"fingers": [2.0] * 6}, {"fingers": [0.1] * 5}, {"position": [0.0, 1.0]}):
        raw = msgspec.msgpack.decode(m.encode(frame()))
        raw["left"].update(change)
        with pytest.raises(MessageError, match="refused"):
            m.decode_latest_up(msgspec.msgpack.encode(raw))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_and_nothing_else(data):
    for decode in (m.decode_latest_up, m.decode_latest_down, m.decode_reliable_up, m.decode_reliable_down):
        with pytest.raises(MessageError):
            decode(data)
