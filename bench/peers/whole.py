"""More of our own loop: an iteration with self-collision, and the whole tick of both arms."""

from __future__ import annotations

import gc
import time

import numpy as np

from elsewhere.avatar.tick import Tick
from elsewhere.bodies.body import Body
from elsewhere.lab.following import Pursuit
from elsewhere.lab.hand_path import RATE_HZ, HandPath
from elsewhere.motion.self_collision import SelfCollision
from elsewhere.records import FRAME, MAX_JOINTS, REQUEST, zeros
from elsewhere.status import RIGHT
from elsewhere.world.simulation import Simulation

Times = dict[str, float]

_MS = 1_000_000
FRAME_MS = 8
WARM_S = 4.0  # until the fade has ended and everything is compiled


def collision_times(body: Body, path: HandPath, start: np.ndarray) -> Times:
    """Right arm on a path, left arm at home: the iteration, then both arms and the whole upper body."""
    arm, dt = body.arms[RIGHT], 1.0 / RATE_HZ
    assert arm is not None
    n = arm.chain.n
    pursuit, collision = Pursuit(arm, dt), SelfCollision(body, dt)
    pursuit.start(start)
    q, dq, velocity = (np.zeros((2, MAX_JOINTS)) for _ in range(3))
    for side, each in enumerate(body.arms):
        if each:
            q[side, : each.chain.n] = each.home
    collision.step(q, dq, velocity)
    both, alone = np.zeros(len(path.p)), np.zeros(len(path.p))
    gc.disable()
    try:
        for k in range(len(path.p)):
            p, quat = path.p[k], path.q[k]
            began = time.perf_counter_ns()
            pursuit.step(p, quat)
            solved = time.perf_counter_ns()
            q[RIGHT, :n], velocity[RIGHT, :n] = pursuit.q, pursuit.velocity
            middle = time.perf_counter_ns()
            collision.step(q, dq, velocity)
            ended = time.perf_counter_ns()
            alone[k], both[k] = ended - middle, (solved - began) + (ended - middle)
            dq[RIGHT, :n] = velocity[RIGHT, :n]
    finally:
        gc.enable()
    return {
        "self-collision of both arms and body, p50": _percentile(alone, 50),
        "iteration with self-collision, p50": _percentile(both, 50),
        "iteration with self-collision, p99": _percentile(both, 99),
    }


def tick_times(body: Body, seconds: float) -> Times:
    """The whole tick, in lockstep with the simulated robot, while both hands are led in circles."""
    tick, world = Tick(body), Simulation(body, "empty")
    memory = tick.init(world.state())
    frame, request = zeros(FRAME), zeros(REQUEST)
    frame["session"], frame["tracked"], frame["head_tracked"], frame["clutch"] = 1, 1, 1, 1
    took, worked = [], []
    gc.disable()
    try:
        for k in range(int(1000 * (WARM_S + seconds))):
            now = world.time_ns
            if (now // _MS) % FRAME_MS == 0:
                angle = 2.0 * np.pi * 0.5 * now * 1e-9
                frame["seq"] += np.uint64(1)
                frame["sampled_ns"] = now
                frame["hand_p"][:, 1], frame["hand_p"][:, 2] = 0.1 * np.cos(angle), 0.1 * np.sin(angle)
            state = world.state()
            spent = time.thread_time_ns()
            began = time.perf_counter_ns()
            tap = tick.step(memory, state, frame, request, now)
            ended = time.perf_counter_ns()
            if k >= 1000 * WARM_S:
                took.append(ended - began)
                worked.append(time.thread_time_ns() - spent)
            world.step(tap["command"])
    finally:
        gc.enable()
    times, work = np.array(took), np.array(worked)
    return {
        "tick of both arms with guard, p50": _percentile(times, 50),
        "tick of both arms with guard, p99": _percentile(times, 99),
        # Without the time in which the machine ran something else.
        "tick of both arms with guard, p99 of processor time": _percentile(work, 99),
        "tick with its outer part (every fourth), p50": _percentile(times[:: tick.divisor], 50),
    }


def _percentile(times_ns: np.ndarray, percent: float) -> float:
    return float(np.percentile(times_ns, percent)) / 1e3
