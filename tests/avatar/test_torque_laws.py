"""Both torque laws through the whole tick and the simulation: hold, track, give way, stop and restart."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from elsewhere.avatar.replay import replay
from elsewhere.avatar.tick import Tick
from elsewhere.records import FRAME, REQUEST, TERMS, zeros
from elsewhere.status import STATUS_TEXT, Mode, Reason, Status
from elsewhere.world.simulation import Simulation

MS = 1_000_000
LAWS = ("joint-pd", "impedance")


class Run:
    """An avatar with a torque law and its simulated robot, in lockstep on an empty floor."""

    def __init__(self, body, torque, fade_s=0.3):
        control = replace(body.rig.control, torque=torque, fade_s=fade_s, restart_s=0.2)
        self.body = replace(body, rig=replace(body.rig, control=control))
        self.tick, self.sim = Tick(self.body), Simulation(self.body, "empty", 0)
        self.memory = self.tick.init(self.sim.state())
        self.frame, self.request = zeros(FRAME), zeros(REQUEST)
        self.frame["session"], self.frame["tracked"], self.frame["head_tracked"] = 1, 1, 1
        self.live, self.push = True, None

    def step(self):
        sim, now = self.sim, self.sim.time_ns
        if self.live and (now // MS) % 8 == 0:
            self.frame["seq"] += np.uint64(1)
            self.frame["sampled_ns"] = now
        tap = self.tick.step(self.memory, sim.state(), self.frame, self.request, now)
        sim.data.xfrc_applied[:] = 0.0
        if self.push is not None:
            # xfrc_applied acts at the body's centre of mass; the moment moves it to the palm.
            hand, force = sim.model.body("right_hand_root").id, np.array(self.push)
            lever = np.array(tap["palm_p"][1]) - sim.data.xipos[hand]
            sim.data.xfrc_applied[hand] = [*force, *np.cross(lever, force)]
        sim.step(tap["command"])
        return tap

    def run(self, milliseconds):
        return np.array([self.step().copy() for _ in range(milliseconds)])


@pytest.fixture(params=LAWS)
def run(body, request):
    return Run(body, request.param)


def test_holds_against_gravity(run):
    run.live = False
    taps = run.run(800)
    assert np.ptp(taps["palm_p"], axis=0).max() < 1e-3
    assert np.abs(taps["state"]["dq"][-100:]).max() < 0.02
    terms = taps["terms"][-1]
    assert np.abs(terms[:, TERMS.index("gravity")]).max() > 5.0
    assert np.abs(terms[:, TERMS.index("stiffness")]).max() < 1.0
    assert terms.sum(axis=1) == pytest.approx(taps["command"]["tau"][-1], abs=0.1)


def test_tracks_a_hand_and_follows_it_closely(run):
    run.run(600)
    run.frame["clutch"] = 1
    run.run(20)
    errors = []
    for i in range(2500):
        run.frame["hand_p"][:, 2] = 0.06 * np.sin(2 * np.pi * 0.4 * i * 1e-3)
        tap = run.step()
        errors.append(np.linalg.norm(tap["palm_p"] - tap["target_p"], axis=1))
    assert np.mean(errors[500:]) < 0.012
    run.frame["hand_p"][:, 2] = 0.05
    tap = run.run(800)[-1]
    assert np.linalg.norm(tap["palm_p"] - tap["target_p"], axis=1).max() < 2e-3


def test_impedance_yields_to_a_push_as_its_stiffness_says(body):
    run = Run(body, "impedance")
    run.live = False
    rest = run.run(500)[-1]["palm_p"][1].copy()
    stiffness = run.tick.arms[1].torque_law.STIFFNESS[:3]
    for force in ((10.0, 0.0, 0.0), (0.0, 10.0, 0.0), (0.0, 0.0, -10.0)):
        run.push = force
        moved = run.run(1500)[-1]["palm_p"][1] - rest
        assert moved == pytest.approx(np.array(force) / stiffness, abs=0.1 * 10.0 / 1500.0)
    run.push = None
    assert run.run(1500)[-1]["palm_p"][1] == pytest.approx(rest, abs=3e-4)


def test_reconnecting_makes_no_torque_step(run):
    """NimbRo, verification list, item f: also while the hand is elsewhere and moves."""
    run.run(600)
    run.frame["clutch"] = 1
    for i in range(200):
        run.frame["hand_p"][:, 1] = 0.1 * i / 200
        run.step()
    before, largest, returning, modes = None, 0.0, 0.0, set()
    for i in range(3000):
        run.live = i % 700 > 350
        run.frame["hand_p"][:, 1] = 0.1 + 0.3 * np.sin(0.001 * i)
        tap = run.step()
        modes.add(int(tap["mode"]))
        if before is not None:
            step = np.abs(tap["command"]["tau"] - before).max()
            largest = max(largest, step)
            if tap["mode"] == Mode.FADE and tap["fade"] < 0.1:
                returning = max(returning, step)
        before = tap["command"]["tau"].copy()
    assert modes == {Mode.HOLD, Mode.FADE, Mode.TRACK}
    assert largest <= 1000.0 * 1e-3 + 1e-9  # the data sheet's torque rate, for one tick
    assert returning < 0.4


def test_too_much_force_stops_gives_way_and_restarts_by_itself(run):
    run.run(600)
    run.tick.guard.stop_force = 40.0
    assert run.memory.watchdog.mode[0] == Mode.TRACK
    pushed = []
    for i in range(400):
        run.push = (0.15 * i, 0.0, 0.0)  # too slow to be a matter of velocity
        pushed.append(run.step().copy())
    pushed = np.array(pushed)
    stopped = pushed[pushed["mode"] == Mode.STOPPED]
    assert len(stopped)
    assert (stopped["reason"] == Reason.EXCESS_FORCE).all()
    assert (stopped["status"] == Status.EXCESS_FORCE).all()
    assert "force" in STATUS_TEXT[Status.EXCESS_FORCE]
    run.push = None
    after = run.run(1500)
    changes = np.flatnonzero(np.diff(after["mode"])) + 1
    story = [(int(after["mode"][i]), int(after["reason"][i])) for i in changes]
    assert story == [(Mode.FADE, Reason.FRAME_CAME), (Mode.TRACK, Reason.FADED)]
    assert run.memory.watchdog.mode[0] == Mode.TRACK
    assert np.abs(after["state"]["dq"][-50:]).max() < 0.05


def test_a_reference_that_breaks_its_limits_is_refused_and_begins_again_at_the_arm(run):
    run.run(600)
    torque = run.step()["command"]["tau"].copy()
    run.memory.arms[1].reference[2] += 0.2
    run.memory.arms[1].history[:, 2] += 0.2
    taps = run.run(100)
    assert taps["mode"][2] == Mode.STOPPED
    assert taps["reason"][2] == Reason.BAD_REFERENCE
    steps = np.abs(np.diff(np.concatenate([torque[None], taps["command"]["tau"]]), axis=0))
    assert steps.max() <= 1.0 + 1e-9
    measured, wanted = taps["state"]["q"][-1], taps["q_wanted"][-1]
    assert np.abs(measured - wanted).max() < 0.02
    assert run.run(800)[-1]["mode"] == Mode.TRACK


def test_replay_is_exact_with_either_law(run):
    snapshots = [run.memory.record.copy()]
    run.frame["clutch"] = 1
    taps = []
    for i in range(900):
        run.frame["hand_p"][:, 2] = 0.05 * np.sin(0.01 * i)
        taps.append(run.step().copy())
    assert replay(run.body, np.array(taps), snapshots).identical


def test_an_arm_that_starts_beyond_its_limit_does_not_jump_and_comes_back(body):
    run = Run(body, "joint-pd")
    arm, sim = body.arms[1], run.sim
    joint = sim.model.joint(arm.joints[6])
    sim.data.qpos[joint.qposadr] = arm.limits.upper[6] + 0.02
    mujoco.mj_forward(sim.model, sim.data)
    run.memory = run.tick.init(sim.state())
    run.live = False
    taps = run.run(600)
    assert taps["q_wanted"][0, 1, 6] == pytest.approx(arm.limits.upper[6] + 0.02, abs=1e-6)
    assert np.abs(taps["state"]["dq"][:, 1]).max() < 0.5
    assert np.abs(np.diff(taps["command"]["tau"], axis=0)).max() <= 1.0 + 1e-9
    assert taps["state"]["q"][:, 1, 6].max() < arm.limits.upper[6] + 0.0201
    assert (taps["reason"] != Reason.BAD_REFERENCE).all()
