"""Scripts as data: what is wrong is said, and those that come with the package fit their robot."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from elsewhere.bodies.body import Body
from elsewhere.bodies.capsules import Capsules
from elsewhere.bodies.compose import compose
from elsewhere.errors import ScriptError, UnknownNameError
from elsewhere.motion.script import check_script, least_seconds, load_script, parse_script, script_names
from elsewhere.rig import load_rig
from elsewhere.status import LEFT, RIGHT
from elsewhere.world.scenes import make_scene
from elsewhere.world.simulation import assemble

JOINTS = [60.0, -110.0, -75.0, 20.0, -60.0, 60.0, 20.0]
GOOD = {"waypoints": [{"seconds": 1.0, "right": JOINTS}]}


@pytest.fixture(scope="module")
def yumi() -> Body:
    return compose(load_rig("overlay"))


def test_the_scripts_that_come_with_it():
    assert script_names() == ["poses", "therapy", "wave"]
    assert len(load_script("poses").waypoints) == 12
    assert 50.0 < load_script("therapy").seconds < 70.0
    with pytest.raises(UnknownNameError, match="Did you mean 'therapy'"):
        load_script("terapy")


@pytest.mark.parametrize("name", script_names())
def test_each_is_within_the_joints_and_keeps_every_gap_on_the_way(yumi, name):
    script = load_script(name)
    check_script(script, yumi)
    capsules, q = Capsules.from_body(yumi), np.zeros((2, 8))
    before = [arm.home for arm in yumi.arms]
    for waypoint in script.waypoints:
        for share in np.linspace(0.0, 1.0, 12):
            for side in (LEFT, RIGHT):
                q[side, :7] = before[side] + share * (waypoint.joints[side] - before[side])
            gap, where = capsules.least_gap(q)
            assert gap > 0.03, (waypoint.name, share, where)
        assert min(a.limits.margin(g) for a, g in zip(yumi.arms, waypoint.joints, strict=True)) > 0.3
        before = waypoint.joints


def test_nothing_is_touched_in_the_twelve_poses(yumi):
    model = assemble(yumi, make_scene("therapy"))
    data = mujoco.MjData(model)
    yumi.go_home(model, data)
    for waypoint in load_script("poses").waypoints:
        for arm, goal in zip(yumi.arms, waypoint.joints, strict=True):
            for name, angle in zip(arm.joints, goal, strict=True):
                data.joint(name).qpos[0] = angle
        mujoco.mj_forward(model, data)
        touching = [
            [model.body(model.geom_bodyid[geom]).name for geom in pair] for pair in data.contact.geom
        ]
        assert not touching, waypoint.name


def test_the_twelve_poses_look_as_they_are_called(yumi):
    """Directions of the right arm: x ahead, y to the left, z up."""
    arm = yumi.arms[RIGHT]

    def unit(v):
        return v / np.linalg.norm(v)

    for waypoint in load_script("poses").waypoints:
        s, e, w = arm.reference_points(waypoint.joints[RIGHT])
        upper, fore, fingers = unit(e - s), unit(w - e), arm.palm(waypoint.joints[RIGHT])[0][:, 0]
        match waypoint.name.split(", "):
            case ["hands down", hand]:
                assert fore[2] < -0.95
            case ["hands up", hand]:
                assert fore[2] > 0.95
            case ["T-pose"]:
                assert min(-upper[1], -fore[1], -fingers[1]) > 0.95
                continue
            case ["A-pose"]:
                assert upper @ fore > 0.97
                assert -0.8 < fore[2] < -0.5
                continue
            case _:
                assert w[0] - s[0] > 0.3  # in front
                continue
        wanted = {"hands forward": 1.0, "hands backward": -1.0, "hands in line": 0.0}[hand]
        assert fingers @ fore > 0.97 if wanted == 0.0 else wanted * fingers[0] > 0.6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"waypoints": []}, r"1 to 500 \[\[waypoints\]\]"),
        ({"waypoints": 3}, r"1 to 500 \[\[waypoints\]\]"),
        ({"waypoint": []}, "no key 'waypoint'. Did you mean 'waypoints'"),
        ({"name": 3}, "name must be a short text"),
        ({"mirror": [1, -1]}, "7 joints, but mirror has 2 signs"),
        ({"waypoints": [{"right": JOINTS}]}, "waypoint 1: seconds must be a number from 0.05"),
        ({"waypoints": [{"seconds": float("nan"), "right": JOINTS}]}, "seconds must be a number"),
        ({"waypoints": [{"seconds": True, "right": JOINTS}]}, "seconds must be a number"),
        ({"waypoints": [{"seconds": 1.0}]}, "names no joints"),
        ({"waypoints": [{"seconds": 1.0, "right": "home"}]}, "list of 1 to 8 finite numbers"),
        ({"waypoints": [{"seconds": 1.0, "right": [float("inf")] * 7}]}, "finite numbers"),
        (
            {"waypoints": [{"seconds": 1.0, "right": JOINTS, "opening": 2}]},
            "opening must be a number from 0 to 1",
        ),
        ({"waypoints": [{"seconds": 1.0, "right": JOINTS, "hold": -1}]}, "hold must be a number from 0"),
        ({"waypoints": ["ready"]}, "must be a table"),
    ],
)
def test_a_malformed_script_is_named(change, words):
    with pytest.raises(ScriptError, match=words):
        parse_script({**GOOD, **change})


def test_a_file_that_is_no_toml_is_named(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("[[waypoints")
    with pytest.raises(ScriptError, match=r"bad\.toml cannot be read as TOML"):
        load_script(path)


def test_what_the_robot_cannot_do_is_named(yumi, body):
    with pytest.raises(ScriptError, match="is for the arm 'yumi', and this robot's left arm is 'panda'"):
        check_script(load_script("wave"), body)
    far = parse_script({"waypoints": [{"name": "far", "seconds": 1.0, "right": [170.0, *JOINTS[1:]]}]})
    with pytest.raises(
        ScriptError, match=r"'far': joint right_arm_joint1 cannot go to 170.0 degrees. It goes"
    ):
        check_script(far, yumi)
    few = parse_script({"waypoints": [{"seconds": 1.0, "right": JOINTS[:6]}]})
    with pytest.raises(ScriptError, match="gives 6 angles to the right arm, which has 7 joints"):
        check_script(few, yumi)


def test_a_way_takes_as_long_as_the_limits_ask(yumi):
    arm = yumi.arms[RIGHT]
    goal = arm.home + np.array([1.0, 0, 0, 0, 0, 0, 0])
    seconds = least_seconds(arm, arm.home, goal)
    share = np.linspace(0.0, 1.0, 2001)
    way = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    speed = np.gradient(way, share * seconds)
    assert speed.max() <= arm.limits.velocity[0]
    assert np.abs(np.gradient(speed, share * seconds)).max() <= arm.limits.acceleration[0]
