"""Rig files: what is wrong is said in one sentence that names what would be right."""

from __future__ import annotations

import dataclasses

import pytest

from elsewhere.errors import RigError, UnknownNameError
from elsewhere.rig import Mount, load_rig, parse_rig, rig_names


@pytest.mark.parametrize("name", rig_names())
def test_every_ready_rig_loads(name):
    assert load_rig(name).name == name


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"name": "a", "arm": {}}, "no key 'arm'. Did you mean 'arms'"),
        ({}, "'name' is missing"),
        ({"name": "a", "arms": {"left": {"part": "panda", "mont": "x"}}}, "Did you mean 'mount'"),
        ({"name": "a", "arms": {"middle": {"part": "panda"}}}, "Valid: left, right"),
        ({"name": "a", "arms": {"left": "panda"}}, "must be a table"),
        ({"name": "a", "control": {"outer_hz": "fast"}}, "must be of type int"),
        ({"name": "a", "control": {"outer_hz": 300}}, "Take 125, 250 or 500"),
        ({"name": "a", "control": {"outer_hz": True}}, "must be of type int"),
        (
            {"name": "a", "control": {"mapping": "absolut"}},
            "Did you mean 'absolute'.*Valid: absolute, clutched",
        ),
        ({"name": "a", "control": {"clutches": 3}}, "Take 1 (for both hands) or 2"),
        ({"name": "a", "head": {"part": "p", "mount": {"position": [1, 2]}}}, "list of 3 numbers"),
    ],
)
def test_what_is_wrong_is_named(data, words):
    with pytest.raises(RigError, match=words.replace("(", r"\(").replace(")", r"\)")):
        parse_rig(data)


def test_an_unknown_rig_lists_the_ready_ones():
    with pytest.raises(UnknownNameError, match=r"Did you mean 'commodity'.*Valid:"):
        load_rig("comodity")


def test_a_missing_or_broken_file_is_one_sentence(tmp_path):
    with pytest.raises(RigError, match="does not exist"):
        load_rig(tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("name = ")
    with pytest.raises(RigError, match="cannot be read as TOML"):
        load_rig(broken)


def test_a_mount_may_be_a_pose():
    data = {"name": "a", "arms": {"left": {"part": "panda", "mount": {"position": [0, 1, 2]}}}}
    assert parse_rig(data).arms["left"].mount == Mount((0.0, 1.0, 2.0))


def test_torque_law_and_terms_are_read_and_a_wrong_list_is_one_sentence():
    rig = parse_rig({"name": "x", "control": {"torque": "impedance", "torque_terms_off": ["coriolis"]}})
    assert rig.control.torque == "impedance"
    assert rig.control.torque_terms_off == ("coriolis",)
    with pytest.raises(RigError, match="must be a list"):
        parse_rig({"name": "x", "control": {"torque_terms_off": "coriolis"}})


@pytest.mark.parametrize("change", [{"torque": "joint-dp"}, {"torque_terms_off": ("gravitation",)}])
def test_an_unknown_torque_law_or_term_is_refused_before_anything_starts(rig, change):
    from elsewhere.avatar.supervisor import Supervisor

    wrong = dataclasses.replace(rig, control=dataclasses.replace(rig.control, **change))
    with pytest.raises(UnknownNameError, match=r"joint-pd|gravity"):
        Supervisor(wrong, nq=1)
