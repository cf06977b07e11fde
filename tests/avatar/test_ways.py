"""Trajectory scripts through the real tick and the real simulation, in virtual time."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.avatar.replay import replay
from elsewhere.avatar.tick import Tick
from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.motion.script import load_script, parse_script
from elsewhere.motion.script_player import Phase, ScriptPlayer
from elsewhere.records import FRAME, REQUEST, zeros
from elsewhere.rig import load_rig
from elsewhere.status import Mode
from elsewhere.world.simulation import Simulation

MS = 1_000_000
DEGREE = np.radians(1.0)
MIRROR = [-1, 1, -1, 1, -1, 1, -1]
READY, AHEAD = (list(np.degrees(load_script("poses").waypoints[k].joints[1])) for k in (9, 7))


def script(*goals, seconds=0.8, **more):
    rows = [{"seconds": seconds, "right": [float(x) for x in goal], **more} for goal in goals]
    return parse_script({"name": "short", "mirror": MIRROR, "waypoints": rows})


@pytest.fixture(scope="module")
def yumi() -> Body:
    return compose(load_rig("overlay"))


@pytest.fixture(scope="module")
def tick(yumi) -> Tick:
    return Tick(yumi)


class Play:
    """A script on a robot in lockstep; the player writes a frame every 10 ms, as the server's does."""

    def __init__(self, yumi, tick, what):
        self.body, self.tick = yumi, tick
        self.sim = Simulation(yumi, "therapy")
        self.memory = tick.init(self.sim.state())
        self.player, self.request = ScriptPlayer(what, yumi, 1), zeros(REQUEST)
        self.frame, self.live, self.taps = zeros(FRAME), True, []

    def run(self, milliseconds, until=lambda: False):
        first = len(self.taps)
        for _ in range(milliseconds):
            now = self.sim.time_ns
            if self.live and now // MS % 10 == 0:
                last = self.taps[-1] if self.taps else None
                self.frame = self.player.step(now, last).copy()
            tap = self.tick.step(self.memory, self.sim.state(), self.frame, self.request, now)
            self.taps.append(tap.copy())
            self.sim.step(tap["command"])
            if until():
                break
        return np.array(self.taps[first:])

    @property
    def off(self):
        """Largest angle between measured joints and the waypoint."""
        q, goals = self.taps[-1]["state"]["q"], self.player.waypoint.joints
        return max(float(np.abs(q[side, :7] - goal).max()) for side, goal in enumerate(goals))


def within_limits(body, taps):
    for side, arm in enumerate(body.arms):
        q, dq = taps["state"]["q"][:, side, :7], taps["state"]["dq"][:, side, :7]
        assert (q >= arm.limits.lower).all()
        assert (q <= arm.limits.upper).all()
        assert (np.abs(dq) <= arm.limits.velocity).all()
        tau = taps["command"]["tau"][:, side, :7]
        assert (np.abs(tau) <= arm.limits.torque).all()
        assert (np.abs(np.diff(tau, axis=0)) <= arm.limits.torque_rate * 1e-3 + 1e-9).all()
        reference = taps["q_wanted"][:, side, :7]
        assert (np.abs(np.diff(reference, n=2, axis=0)) * 1e6 <= arm.limits.acceleration * 1.001).all()
    assert (taps["mode"] != Mode.STOPPED).all()


def test_a_script_ends_at_its_waypoints_within_all_limits_and_replays_to_the_bit(yumi, tick):
    play = Play(yumi, tick, script(READY, AHEAD, hold=0.1, opening=0.3))
    snapshot = play.memory.record.copy()
    seen = []

    def note():
        if play.player.phase is Phase.HOLDING and play.player.index == len(seen):
            seen.append(play.off)
        return play.player.finished

    taps = play.run(9000, note)
    assert play.player.phase is Phase.DONE
    assert len(seen) == 2
    assert max(seen) < DEGREE
    within_limits(yumi, taps)
    assert np.allclose(taps[-1]["state"]["motors"][:, 0], 0.7, atol=0.02)  # grippers went along
    assert replay(yumi, taps[:1500], [snapshot]).identical


def test_it_holds_on_stop_and_goes_on_after_resume(yumi, tick):
    play = Play(yumi, tick, script(READY, seconds=2.0))
    play.run(2000)
    assert play.player.phase is Phase.MOVING
    play.request["stop"] += np.uint64(1)
    play.run(500)
    stopped = play.run(300)
    assert (stopped["mode"] == Mode.STOPPED).all()
    assert np.ptp(stopped["q_wanted"], axis=0).max() < 1e-4
    assert play.off > 5 * DEGREE
    play.request["resume"] += np.uint64(1)
    back = play.run(6000, lambda: play.player.finished)
    assert play.player.phase is Phase.DONE
    assert play.off < DEGREE
    assert np.abs(np.diff(back["q_wanted"], axis=0)).max() < 3e-3
    within_limits(yumi, back)


def test_it_holds_when_the_player_falls_silent(yumi, tick):
    play = Play(yumi, tick, script(READY, seconds=2.0))
    play.run(2000)
    play.live = False
    gone = play.run(600)
    assert 90 <= np.flatnonzero(gone["mode"] == Mode.HOLD)[0] <= 110
    assert np.ptp(gone["q_wanted"][-100:], axis=0).max() < 1e-4
    play.live = True
    play.run(6000, lambda: play.player.finished)
    assert play.player.phase is Phase.DONE
    assert play.off < DEGREE


def test_a_way_that_is_blocked_ends_with_a_sentence(yumi, tick):
    # Both hands would be where the other is.
    across = [80.0, -51.0, -53.0, 50.0, 74.0, -2.0, 5.0]
    play = Play(yumi, tick, script(across, seconds=1.0))
    taps = play.run(9000, lambda: play.player.finished)
    assert play.player.phase is Phase.FAILED
    assert "degrees away from it (the left one would touch itself)" in play.player.fault
    within_limits(yumi, taps)
    assert play.sim.data.ncon == 0


def test_hostile_ways_break_no_limit(yumi, tick):
    """Any way at any moment: far targets, times that run backwards, numbers that are not finite."""
    play = Play(yumi, tick, script(READY))
    rng = np.random.default_rng(5)
    play.live = False
    taps = []
    frame = play.frame
    frame["session"] = 1
    for k in range(6000):
        now = play.sim.time_ns
        if k % 12 == 0:
            frame["seq"] += np.uint64(1)
            frame["sampled_ns"] = now
            if rng.random() < 0.1:
                frame["way"], frame["clutch"] = rng.integers(0, 2, 2), rng.integers(0, 2, 2)
                frame["tracked"] = 1
                frame["way_from"] = rng.normal(size=(2, 8)) * rng.choice([1.0, 100.0])
                frame["way_to"] = rng.normal(size=(2, 8)) * rng.choice([1.0, 3.0, 1e9])
                frame["way_begin_ns"] = now + int(rng.integers(-(10**9), 10**9))
                frame["way_end_ns"] = now + int(rng.choice([-(2**62), -5, 0, 1, 10**6, 10**9]))
            spoilt = rng.random() < 0.05
            frame["way_to"][0, 3] = np.nan if spoilt else np.nan_to_num(frame["way_to"][0, 3])
        tap = tick.step(play.memory, play.sim.state(), frame, play.request, now)
        taps.append(tap.copy())
        play.sim.step(tap["command"])
    within_limits(yumi, np.array(taps))
    assert (np.array(taps)["mode"] == Mode.TRACK).any()
