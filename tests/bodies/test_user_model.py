from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from elsewhere.bodies import user_model
from elsewhere.bodies.compose import compose
from elsewhere.errors import ModelError
from elsewhere.rig import parse_rig

INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def urdf(
    limit: str = '<limit lower="-2" upper="2" effort="30" velocity="1.7"/>', inertial: str = INERTIAL
) -> str:
    links = "".join(
        f'<link name="link{i}">{inertial}<collision><origin xyz="0 0 .1"/><geometry><cylinder radius=".03" '
        f'length=".2"/></geometry></collision></link>'
        for i in range(4)
    )
    axes = ("0 0 1", "0 1 0", "0 1 0")
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="link{i}"/><child link="link{i + 1}"/>'
        f'<origin xyz="0 0 .2"/><axis xyz="{axes[i]}"/>{limit}</joint>'
        for i in range(3)
    )
    fixed = (
        '<link name="tool"/><joint name="tool" type="fixed"><parent link="link3"/><child link="tool"/>'
        '<origin xyz="0 0 .2"/></joint>'
    )
    return f'<robot name="three">{links}{joints}{fixed}</robot>'


MJCF = """
<mujoco>
  <compiler angle="degree"/>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body name="a">
      <joint name="one" axis="0 0 1" range="-90 90"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 .2"/>
      <body name="b" pos="0 0 .2" euler="90 0 0">
        <joint name="two" axis="0 0 1" range="-45 60"/>
        <geom type="capsule" size=".03" fromto="0 0 0 0 0 .2"/>
        <site name="end" pos="0 0 .25"/>
        <body name="claw"><joint name="claw" range="0 10"/><geom size=".02"/></body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="one" ctrlrange="-20 20"/><motor joint="two" gear="2" ctrlrange="-5 5"/></actuator>
  <keyframe><key qpos="0 0 0"/></keyframe>
</mujoco>
"""


def write(folder: Path, text: str, name: str = "arm.urdf") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_urdf_gives_its_limits_and_stated_defaults(tmp_path: Path) -> None:
    arm = user_model.load_arm(write(tmp_path, urdf()), "tool")
    assert arm.joints == ("joint1", "joint2", "joint3")
    np.testing.assert_allclose(arm.limits.lower, -2.0)
    np.testing.assert_allclose(arm.limits.velocity, 1.7)
    np.testing.assert_allclose(arm.limits.torque, 30.0)
    np.testing.assert_allclose(arm.limits.torque_rate, 300.0)
    np.testing.assert_allclose(arm.limits.jerk, user_model.JERK)


def test_an_mjcf_in_degrees_joins_an_avatar_in_radians(tmp_path: Path) -> None:
    write(tmp_path, MJCF, "arm.xml")
    rig = parse_rig(
        {"name": "mine", "arms": {"right": {"part": "arm.xml", "mount": "forwards", "tip": "end"}}},
        path=tmp_path / "rig.toml",
    )
    body = compose(rig)
    arm = body.arms[1]
    assert arm is not None
    assert arm.joints == ("right_arm_joint1", "right_arm_joint2")
    np.testing.assert_allclose(arm.limits.upper, np.radians([90.0, 60.0]))
    np.testing.assert_allclose(body.model.joint("right_arm_joint2").range, np.radians([-45.0, 60.0]))
    np.testing.assert_allclose(arm.limits.torque, [20.0, 10.0])
    assert body.model.nkey == 0
    assert body.model.njnt == 8 + 2, "the claw is welded"
    # The second link's frame is turned by 90 degrees, not by 90 radians.
    bend = np.zeros(9)
    mujoco.mju_quat2Mat(bend, body.model.body("right_arm_b").quat)
    np.testing.assert_allclose(bend.reshape(3, 3)[:, 2], [0, -1, 0], atol=1e-12)


def test_a_urdf_joins_an_avatar_and_stands(tmp_path: Path) -> None:
    write(tmp_path, urdf())
    rig = parse_rig(
        {
            "name": "mine",
            "arms": {"left": {"part": "arm.urdf", "tip": "tool"}},
            "hands": {"left": {"part": "wide-gripper", "mount": "end"}},
        },
        path=tmp_path / "rig.toml",
    )
    body = compose(rig)
    arm = body.arms[0]
    assert arm is not None
    assert arm.chain.n == 3
    assert body.arms[1] is None
    data = mujoco.MjData(body.model)
    body.go_home(body.model, data)
    mujoco.mj_step(body.model, data, nstep=50)
    assert np.isfinite(data.qpos).all()


@pytest.mark.parametrize(
    ("text", "tip", "says"),
    [
        ("<robot", "", "cannot be read"),
        ("<mujoco><worldbody><body name='a'><geom size='.1'/></body></worldbody></mujoco>", "", "no joint"),
        (urdf(limit=""), "tool", "no position limits"),
        (urdf(limit='<limit lower="-1" upper="1" effort="0" velocity="1"/>'), "tool", "no torque limit"),
        (urdf(inertial=""), "tool", "mass or inertia"),
        (urdf(), "gripper", "no body or site 'gripper'"),
        (MJCF.replace('<site name="end" pos="0 0 .25"/>', "<body name='c'/>"), "", "2 ends"),
    ],
)
def test_a_model_that_lacks_something_is_refused_in_words(
    tmp_path: Path, text: str, tip: str, says: str
) -> None:
    path = write(tmp_path, text, "arm.xml" if "<mujoco" in text else "arm.urdf")
    with pytest.raises(ModelError, match=says):
        user_model.load_arm(path, tip)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not exist"):
        user_model.load_arm(tmp_path / "none.urdf")
