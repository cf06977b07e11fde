"""What an arm would lose that knew where the hand comes back to."""

from __future__ import annotations

import numpy as np

from elsewhere.lab.floor import reachable
from elsewhere.lab.following import follow, hand_path, lost, start_joints
from elsewhere.lab.foresight import excess, returns
from elsewhere.lab.hand_path import HandPath


def test_returns_are_where_reach_begins_again() -> None:
    assert returns(np.array([1, 1, 0, 0, 1, 1, 0, 1], bool)) == [4, 7]
    assert returns(np.ones(5, bool)) == []


def test_foresight_loses_less_but_not_nothing(body) -> None:
    """The first excursion of path B: a fast return costs even an arm that waited in the best posture."""
    whole, arm = hand_path("B", 1), body.arms[1]
    path = HandPath("B", whole.t[800:1400], whole.p[800:1400], whole.q[800:1400])
    reach = reachable(arm, path)
    missed = lost(arm, path, follow(arm, path, start_joints(body, 1, path)))
    share = excess(arm, path, reach, missed, "home")
    assert len(returns(reach)) == 1
    assert 0.0 < share < float((missed & reach).mean())
