from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from elsewhere.bodies.hand import Hand
from elsewhere.messages import decode_latest_down, encode
from elsewhere.records import TAP, zeros
from elsewhere.server.feedback import TapReader, avatar_state
from elsewhere.shared import Ring
from elsewhere.status import Mode, Status

HANDS = (
    Hand(0, "six-motor-hand", tuple("abcdef"), 5, (0, 1, 2, 3, 4, 5)),
    Hand(1, "wide-gripper", ("a",), 2, (1,)),
)


def make_tap(tick: int = 1) -> np.ndarray:
    tap = zeros(TAP)
    tap["tick"], tap["now_ns"] = tick, 5_000_000_000 + tick * 1_000_000
    tap["mode"], tap["status"], tap["fade"] = Mode.FADE, Status.FADING, 0.25
    tap["frame"]["seq"], tap["frame"]["sampled_ns"] = 7, tap["now_ns"] - 12_000_000
    tap["state"]["motors"][0] = np.linspace(0.0, 1.0, 6)
    tap["state"]["motors"][1][0] = 0.5
    tap["state"]["baseline"] = 0.065
    tap["arm_status"][1] = Status.UNREACHABLE
    tap["palm_q"][:, 0] = 1.0
    tap["period_us"], tap["compute_us"] = 1000.0, 100.0
    return tap


def test_a_tick_as_a_message() -> None:
    state = avatar_state(make_tap(), HANDS, seq=3, sent_ns=9)
    assert (state.mode, state.reason, state.fade) == ("fade", "resuming gently", 0.25)
    assert state.frame_age_ms == pytest.approx(12.0)
    assert state.left.fingers == pytest.approx((0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    assert state.right.fingers == (0.5,) * 6
    assert (state.left.reachable, state.right.reachable) == (True, False)
    assert state.baseline_mm == pytest.approx(65.0)
    assert decode_latest_down(encode(state)) == state


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Status.OK, ""),
        (Status.UNREACHABLE, "out of reach"),
        (Status.TOUCHES_ITSELF, "would touch itself"),
        (Status.AT_LIMIT, "joint at its limit"),
        (Status.CLAMPED, ""),
    ],
)
def test_a_hand_says_in_words_why_it_cannot_follow(status: Status, reason: str) -> None:
    tap = make_tap()
    tap["arm_status"][:] = Status.OK, status
    state = avatar_state(tap, HANDS, seq=3, sent_ns=9)
    assert (state.left.reachable, state.left.reason) == (True, "")
    assert (state.right.reachable, state.right.reason) == (not reason, reason)


def test_no_frame_has_no_age_and_no_hand_no_fingers() -> None:
    tap = make_tap()
    tap["frame"]["seq"] = 0
    state = avatar_state(tap, (None, None), seq=1, sent_ns=9)
    assert state.frame_age_ms == 0.0
    assert state.left.fingers == (0.0,) * 6


def test_the_reader_follows_the_ring(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "tap", TAP, 64, create=True)
    reader = TapReader(ring, HANDS, 50)
    assert reader.poll(10**9) is None
    states = []
    for tick in range(1, 331):
        tap = make_tap(tick)
        if tick % 10 == 0:
            tap["period_us"] = 36000.0
        ring.append(tap)
        if tick % 30 == 0:
            states.append(reader.poll(10**9 + tick * 10**7))
    assert [state.seq for state in states] == list(range(1, 12))
    # Loop and recording come with every tenth message only.
    assert [state.seq for state in states if state.loop] == [1, 11]
    assert [state.seq for state in states if state.recording] == [1, 11]
    assert states[-1].loop.missed_ratio == pytest.approx(0.1)
    assert states[-1].loop.period_p99_us == pytest.approx(36000.0)
    assert reader.poll(10**10) is None
