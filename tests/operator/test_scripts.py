"""The scripted operator does its tasks, in virtual time, also where something goes wrong."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from lockstep import Lockstep

from elsewhere.errors import UnknownNameError
from elsewhere.link.impairment import Impairment
from elsewhere.messages import SceneDescription
from elsewhere.operator.hand import Swing
from elsewhere.operator.scripts import TASKS, find_tasks
from elsewhere.operator.scripts.peg import PITCH, Spiral

SECONDS = 120.0
GRIPPING = [("lever", "taking the lever"), ("lever", "lifting the lever"), ("block", "letting go")]


def misplaced(name: str, dx: float, dy: float):
    """A description in which one thing is elsewhere than it is."""

    def change(scene: SceneDescription) -> SceneDescription:
        things = []
        for thing in scene.things:
            if thing.name == name:
                x, y, z = thing.position
                thing = msgspec.structs.replace(thing, position=(x + dx, y + dy, z))
            things.append(thing)
        return msgspec.structs.replace(scene, things=things)

    return change


def test_all_tasks_one_after_the_other(body):
    run = Lockstep(body, 0, find_tasks("all"))
    run.run(SECONDS)
    assert run.operator.succeeded, run.phases
    assert run.operator.tries == 3
    assert not run.memory.retarget.engaged.any()  # it lets the clutch go


@pytest.mark.parametrize(
    ("seed", "dx", "dy", "network"),
    [(1, 0.0, 0.003, None), (3, -0.004, -0.004, Impairment(delay_ms=30, jitter_ms=20, loss=0.05))],
)
def test_a_hole_that_is_elsewhere_than_it_looks_is_felt_for(body, seed, dx, dy, network):
    run = Lockstep(body, seed, find_tasks("peg"), network=network, mistaken=misplaced("peg_hole", dx, dy))
    run.run(SECONDS)
    assert run.operator.succeeded, run.phases
    assert "pressing in" in run.phases
    assert run.operator.tries == 1


@pytest.mark.parametrize(("task", "phase"), GRIPPING)
def test_a_hold_in_the_midst_of_it_is_got_over(body, task, phase):
    """The avatar keeps its grip after a hold until the fingers move clearly."""
    run = Lockstep(body, 4, find_tasks(task))
    run.run(SECONDS, until=lambda: run.operator.phase == phase)
    run.run(0.4)
    run.cut = True
    run.run(0.4)
    assert run.state.mode == "hold"
    run.cut = False
    run.run(SECONDS)
    assert run.operator.succeeded, run.phases
    assert run.operator.tries == 1


def test_a_peg_that_fell_is_seen_and_taken_again(body):
    run = Lockstep(body, 2, find_tasks("peg"))
    run.run(SECONDS, until=lambda: run.operator.phase == "drawing it out")
    run.run(1.5)
    peg = run.simulation.data.joint("peg")
    hole = run.simulation.data.body("peg_board").xpos
    peg.qpos[:3] = hole + np.array((0.003, -0.045, 0.065))  # out of the hand, back in its hole
    peg.qpos[3:], peg.qvel[:] = (1.0, 0.0, 0.0, 0.0), 0.0
    run.run(SECONDS)
    assert run.operator.succeeded, run.phases
    assert "closed on nothing: once more" in run.phases
    assert run.operator.tries == 2


def test_a_task_that_cannot_be_done_ends_after_its_tries(body):
    once = replace(TASKS["lever"], tries=1)
    run = Lockstep(body, 0, (once,), mistaken=misplaced("lever_handle", -0.12, 0.0))
    run.run(SECONDS)
    assert run.operator.finished
    assert not run.operator.succeeded
    assert run.operator.tries == 1


def test_tasks_are_found_by_name():
    assert [task.name for task in find_tasks("all")] == ["block", "peg", "lever"]
    assert [task.goal for task in find_tasks("peg")] == ["peg_in_hole"]
    with pytest.raises(UnknownNameError, match="all, block, lever, peg"):
        find_tasks("blok")


def test_the_spiral_leaves_no_gap_wider_than_its_pitch():
    spiral, at, places = Spiral(), np.zeros(3), []
    while spiral.radius < 0.009:
        step = spiral.step(0.0002)
        assert 0.00005 < np.linalg.norm(step) < 0.00025
        at = at + step
        places.append(at)
    places = np.array(places)
    for angle in np.linspace(0.0, 2.0 * math.pi, 7):
        for radius in np.linspace(0.0, 0.008, 9):
            spot = radius * np.array((math.cos(angle), math.sin(angle), 0.0))
            assert np.linalg.norm(places - spot, axis=1).min() < 0.6 * PITCH


def test_a_swing_stays_at_its_distance_from_the_axle():
    p, pivot, axis = np.array((0.7, -0.4, 0.78)), np.array((0.8, -0.4, 0.83)), np.array((0.0, 1.0, 0.0))
    q = np.array((1.0, 0.0, 0.0, 0.0))
    swing = Swing(p, q, pivot, axis, 0.9, 0.1)
    radius = np.linalg.norm(p - pivot)
    way = np.array([swing.at(t)[0] for t in np.linspace(0.0, swing.duration, 200)])
    assert np.allclose(way[0], p)
    assert np.allclose(np.linalg.norm(way - pivot, axis=1), radius)
    speed = np.linalg.norm(np.diff(way, axis=0), axis=1) / (swing.duration / 199)
    assert speed.max() <= 0.1 * 1.001
    assert np.dot(way[-1] - pivot, p - pivot) == pytest.approx(radius**2 * math.cos(0.9))
