"""The server's copy of the place: what is told of things that have moved."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from elsewhere.bodies.body import Body
from elsewhere.records import Record, scene_record, zeros
from elsewhere.rig import Rig
from elsewhere.server.place import Place
from elsewhere.world.scenes import make_scene

Avatar = tuple[Rig, Body, mujoco.MjModel]


class Watched:
    """A place that is looked at every 0.4 s."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model, self.place = model, Place(model, make_scene("room"))
        self.record: Record = zeros(scene_record(model.nq))
        self.record["qpos"] = model.qpos0

    def look(self) -> list[str]:
        self.record["sampled_ns"] += 400_000_000
        self.place.follow(self.record)
        return [thing.name for thing in self.place.moved()]

    def move(self, joint: str, *way: float) -> None:
        at = self.model.joint(joint).qposadr[0]
        self.record["qpos"][at : at + len(way)] += np.array(way)


@pytest.fixture
def watched(avatar: Avatar) -> Watched:
    return Watched(avatar[2])


def test_nothing_is_told_while_nothing_moves(watched: Watched) -> None:
    assert [watched.look() for _ in range(4)] == [[]] * 4


def test_a_thing_is_told_once_when_it_has_come_to_rest(watched: Watched) -> None:
    watched.look()
    for _ in range(3):
        watched.move("block_blue", 0.02)
        assert watched.look() == []  # still on its way
    assert watched.look() == ["block_blue"]
    assert watched.look() == []


def test_what_is_too_little_to_see_adds_up(watched: Watched) -> None:
    watched.look()
    told = []
    for _ in range(5):
        watched.move("block_red", 0.0, 0.0008)
        told += watched.look()
    assert told == ["block_red"]


def test_a_turn_is_a_motion(watched: Watched) -> None:
    watched.look()
    watched.move("lever", 0.5)
    assert watched.look() == []
    assert watched.look() == ["lever_handle"]


def test_a_reset_begins_anew(watched: Watched) -> None:
    watched.look()
    watched.move("block_red", 0.1)
    watched.record["resets"] += 1
    assert [watched.look() for _ in range(3)] == [[]] * 3


def test_a_place_without_a_scene_has_no_things(avatar: Avatar) -> None:
    place = Place(avatar[2], None)
    assert place.moved() == []
