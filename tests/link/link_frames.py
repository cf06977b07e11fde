"""Operator frames for tests."""

from __future__ import annotations

from elsewhere.messages import HandInput, HeadInput, OperatorFrame, Stamp


def hand(x: float = 0.4, clutch: bool = True, tracked: bool = True) -> HandInput:
    return HandInput(tracked, clutch, (x, 0.2, 1.0), (1.0, 0.0, 0.0, 0.0), (0.0,) * 6)


def make_frame(seq: int, sampled_ns: int, *, x: float = 0.4, twist: float = 0.0) -> OperatorFrame:
    head = HeadInput(True, (1.0, 0.0, 0.0, 0.0))
    return OperatorFrame(seq, Stamp(sampled_ns, sampled_ns), hand(x), hand(x), head, (twist, 0.0, 0.0))
