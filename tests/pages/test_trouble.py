"""A hand that cannot follow: the page is tinted on its side and says why, and no longer than it lasts."""

from __future__ import annotations

import math
from typing import Any

import pytest
from page_driving import Cockpit, State, palm, shown, target

pytestmark = pytest.mark.page

# What the newest state says and what the page shows, read in one go: they must never disagree.
BOTH = """() => { const { right } = window.elsewhere.state.lastState;
  return { trouble: right.clutched && !right.reachable, reason: right.reason,
    tinted: !document.getElementById('tint-right').hidden,
    word: document.getElementById('tint-right-word').textContent,
    other: !document.getElementById('tint-left').hidden }; }"""

FAR = 0.12  # m: so far behind its target, no hand only hurries
NEAR = 0.03  # m: so near, it is there; a hand that comes nearer follows, too, but may still end short


def _behind(state: State) -> float:
    return math.dist(target(state), palm(state))


def test_out_of_reach_tints_the_side_names_the_reason_and_goes(driving: Cockpit) -> None:
    seen: list[dict[str, Any]] = []

    def reachable(state: State) -> bool:
        seen.append(driving.page.evaluate(BOTH))
        return bool(state["lastState"]["right"]["reachable"])

    with driving.holding("Space"):
        driving.await_clutch()
        with driving.holding("KeyI"):
            driving.wait(lambda s: not reachable(s) and _behind(s) > FAR, "a hand far out of reach")
        assert shown(driving.page, "#tint-right-word") == "Out of reach"
        assert shown(driving.page, "#hand-right .word") == "Out of reach"
        with driving.holding("KeyK"):
            driving.wait(lambda s: reachable(s) and _behind(s) < NEAR, "the hand back within reach")
        driving.wait(lambda s: reachable(s) and not seen[-1]["tinted"], "the tint gone")
        with driving.holding("KeyK"):
            driving.wait(lambda s: s["lastState"]["right"]["position"][0] < 0.55, "the hand near again")
    # Shown with the very state that brings it, without waiting for the next writing of the signs.
    assert all(one["tinted"] == one["trouble"] for one in seen), seen
    assert all(one["word"].lower() == one["reason"] for one in seen if one["tinted"]), seen
    assert any(one["tinted"] for one in seen)
    assert not any(one["other"] for one in seen)
