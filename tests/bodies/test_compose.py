from __future__ import annotations

import itertools
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from elsewhere.bodies import home
from elsewhere.bodies.arm import Arm
from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import PALM_HOME, compose
from elsewhere.bodies.mounts import ARM_MOUNTS, HAND_MOUNTS, arm_mount, mirrored
from elsewhere.errors import RigError, UnknownNameError
from elsewhere.rig import PartChoice, Rig, Sensors, load_rig, parse_rig
from elsewhere.status import SIDES


@pytest.fixture(scope="module")
def body() -> Body:
    return compose(load_rig("commodity"))


def arm_of(body: Body, side: int) -> Arm:
    arm = body.arms[side]
    assert arm is not None
    return arm


def at_home(body: Body) -> mujoco.MjData:
    data = mujoco.MjData(body.model)
    body.go_home(body.model, data)
    mujoco.mj_forward(body.model, data)
    return data


def test_every_name_of_the_seams_exists(body: Body) -> None:
    model = body.model
    for name in ("base", "torso", "head"):
        assert model.body(name).id > 0
    for name in ("base_x", "base_y", "base_yaw", "head_yaw", "head_pitch", "head_roll"):
        assert model.joint(name).id >= 0
        assert model.actuator(name).id >= 0
    for side in SIDES:
        for name in [f"{side}_arm_joint{number}" for number in range(1, 8)] + [f"head_eye_{side}"]:
            assert model.actuator(name).trnid[0] == model.joint(name).id
        for name in (f"{side}_wrist_force", f"{side}_wrist_torque", f"{side}_torque_joint7"):
            assert model.sensor(name).id >= 0
        assert model.site(f"{side}_palm").id >= 0
        assert model.camera(f"eye_{side}").id >= 0
    assert model.camera("right_wrist_camera").id >= 0
    assert [hand.motors[-1] for hand in body.hands if hand] == ["left_hand_motor6", "right_hand_motor1"]
    assert [hand.drive for hand in body.hands if hand] == [(0, 1, 2, 3, 4, 5), (1,)]
    for name in ("range_front", "range_left", "range_back", "range_right"):
        assert model.sensor(name).cutoff[0] == 5.0


def test_geoms_are_either_seen_or_felt_and_few(body: Body) -> None:
    model = body.model
    seen = model.geom_group == 2
    assert set(np.unique(model.geom_group)) == {2, 3}
    assert (model.geom_contype[seen] == 0).all()
    assert (model.geom_contype[~seen] != 0).all()
    assert seen.sum() <= 100


def test_nothing_touches_at_home(body: Body) -> None:
    assert at_home(body).ncon == 0


@pytest.mark.parametrize("side", [0, 1])
def test_home_holds_the_palm_ready_with_room_to_move(body: Body, side: int) -> None:
    arm = arm_of(body, side)
    R, p, J = arm.chain.forward(arm.home)
    target = PALM_HOME["ahead" if side == 0 else "down"]
    R_home, p_home = mirrored(target) if side == 0 else target
    np.testing.assert_allclose(p, p_home, atol=1e-5)
    np.testing.assert_allclose(R, R_home, atol=1e-5)
    assert arm.limits.margin(arm.home) > 0.3
    assert np.linalg.svd(J, compute_uv=False)[-1] > 0.19


def test_the_chain_agrees_with_the_palm_of_the_model(body: Body) -> None:
    data = at_home(body)
    for side, name in enumerate(SIDES):
        R, p, _ = arm_of(body, side).chain.forward(arm_of(body, side).home)
        np.testing.assert_allclose(p, data.site(f"{name}_palm").xpos, atol=1e-9)
        np.testing.assert_allclose(R, data.site(f"{name}_palm").xmat.reshape(3, 3), atol=1e-9)


def test_the_gripper_reaches_a_table_pointing_down(body: Body) -> None:
    arm = arm_of(body, 1)
    data = at_home(body)
    for x, y, z in itertools.product((0.40, 0.55, 0.70), (-0.45, -0.175, 0.10), (0.75, 0.90, 1.05)):
        target = (PALM_HOME["down"][0], np.array([x, y, z]))
        q, error = home.reach(
            body.model, data, arm.joints, "right_palm", target, arm.home, arm.limits, margin=0.1
        )
        assert error < 1e-3, (x, y, z, error)
        assert arm.limits.margin(q) > 0.09
        # The elbow stays above a table of 0.75 m.
        assert data.body("right_arm_link4").xpos[2] > 0.75 + 0.06


def test_the_sides_of_a_symmetric_rig_are_mirror_images() -> None:
    rig = load_rig("commodity")
    same = PartChoice("wide-gripper", "end")
    body = compose(replace(rig, hands={"left": same, "right": same}))
    left, right = arm_of(body, 0), arm_of(body, 1)
    signs = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    np.testing.assert_allclose(left.home, right.home * signs, atol=1e-6)
    R, p = mirrored(right.chain.forward(right.home)[:2])
    np.testing.assert_allclose(left.chain.forward(right.home * signs)[1], p, atol=1e-9)
    np.testing.assert_allclose(left.chain.forward(right.home * signs)[0], R, atol=1e-9)


def test_gravity_compensation_and_a_soft_spring_hold_the_arms_still(body: Body) -> None:
    """A 1 kHz torque loop is stable, also through a kick of 20 N m."""
    model, data = body.model, at_home(body)
    for tick in range(600):
        for side in range(2):
            arm = arm_of(body, side)
            where = [model.joint(name).qposadr[0] for name in arm.joints]
            speed = [model.joint(name).dofadr[0] for name in arm.joints]
            q, dq = data.qpos[where], data.qvel[speed]
            tau = arm.chain.bias(q, dq) + 200.0 * (arm.home - q) - 15.0 * dq
            if tick < 5:
                tau[0] += 20.0
            motors = [model.actuator(name).id for name in arm.joints]
            data.ctrl[motors] = np.clip(tau, -arm.limits.torque, arm.limits.torque)
        data.ctrl[model.actuator("head_eye_left").id] = data.ctrl[model.actuator("head_eye_right").id] = (
            0.031
        )
        mujoco.mj_step(model, data)
    for side in range(2):
        arm = arm_of(body, side)
        q = data.qpos[[model.joint(name).qposadr[0] for name in arm.joints]]
        assert np.abs(q - arm.home).max() < 0.005
    assert np.abs(data.qpos[:3]).max() < 1e-3, "the base stands"
    assert np.abs(data.qvel).max() < 0.1


def test_the_wrist_sensor_carries_the_hand(body: Body) -> None:
    """At rest the arm pushes the hand up with its weight."""
    data = at_home(body)
    data.qacc[:] = 0.0
    mujoco.mj_inverse(body.model, data)
    for side in SIDES:
        R = data.site(f"{side}_wrist_sensor").xmat.reshape(3, 3)
        weight = body.model.body(f"{side}_flange").subtreemass[0] * 9.81
        np.testing.assert_allclose(R @ data.sensor(f"{side}_wrist_force").data, [0, 0, weight], atol=1e-6)


def test_the_base_follows_a_velocity(body: Body) -> None:
    data = at_home(body)
    for name in ("base_x", "base_y", "base_yaw"):
        data.ctrl[body.model.actuator(name).id] = 0.3
    mujoco.mj_step(body.model, data, nstep=500)
    np.testing.assert_allclose(data.qvel[:3], 0.3, atol=0.01)


def test_the_eyes_keep_their_distance_and_look_ahead(body: Body) -> None:
    data = at_home(body)
    left, right = data.camera("eye_left"), data.camera("eye_right")
    np.testing.assert_allclose(left.xpos - right.xpos, [0, 0.06272, 0], atol=1e-9)
    np.testing.assert_allclose(-left.xmat.reshape(3, 3)[:, 2], [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(left.xmat.reshape(3, 3)[:, 1], [0, 0, 1], atol=1e-9)
    assert body.head.baseline == (0.04944, 0.06988)
    # All three axes pass through one point.
    for name in ("head_yaw", "head_pitch", "head_roll"):
        np.testing.assert_allclose(data.joint(name).xanchor, body.head.position, atol=1e-9)


def test_one_arm_is_enough() -> None:
    body = compose(load_rig("one-arm"))
    assert body.arms[0] is None
    assert body.hands[0] is None
    assert body.arms[1] is not None
    assert "left_palm" not in [body.model.site(index).name for index in range(body.model.nsite)]


def test_an_arm_without_a_hand_has_a_palm_at_its_flange() -> None:
    rig = load_rig("one-arm")
    body = compose(replace(rig, hands={}))
    R, p, _ = arm_of(body, 1).chain.forward(arm_of(body, 1).home)
    assert body.hands == (None, None)
    np.testing.assert_allclose(R[:, 0], [0, 0, -1], atol=0.05)
    assert p[2] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("mount", sorted(ARM_MOUNTS))
@pytest.mark.parametrize("grip", HAND_MOUNTS)
def test_every_mount_composes_without_contact(mount: str, grip: str) -> None:
    rig = load_rig("one-arm")
    rig = replace(rig, arms={"right": PartChoice("panda", mount)})
    body = compose(replace(rig, hands={"right": PartChoice("wide-gripper", grip)}))
    arm = arm_of(body, 1)
    assert arm.limits.margin(arm.home) > 0.0
    assert at_home(body).ncon == 0


def test_the_mounts_point_where_the_paper_shows() -> None:
    h = np.sqrt(0.5)
    shown = {
        "45-down": [h, 0, -h],
        "forwards": [1, 0, 0],
        "sideways": [0, -1, 0],
        "45-sideways": [h, -h, 0],
        "45+45": [0.5, -0.5, -h],
    }
    assert set(shown) == set(ARM_MOUNTS)
    for name, direction in shown.items():
        np.testing.assert_allclose(arm_mount(name, 1)[0][:, 2], direction, atol=1e-12)


def test_sensors_can_be_left_out() -> None:
    nothing = Sensors(False, False, False, False, "")
    body = compose(replace(load_rig("one-arm"), sensors=nothing))
    assert body.model.nsensor == 0
    assert body.model.ncam == 2


def test_wrong_names_are_refused_with_the_right_ones() -> None:
    def rig(**tables: object) -> Rig:
        return parse_rig({"name": "wrong", **tables})

    with pytest.raises(UnknownNameError, match="panda"):
        compose(rig(arms={"left": {"part": "pandas"}}))
    with pytest.raises(UnknownNameError, match="45-down"):
        compose(rig(arms={"left": {"part": "panda", "mount": "45"}}))
    with pytest.raises(UnknownNameError, match="low"):
        compose(
            rig(
                arms={"left": {"part": "panda"}},
                hands={"left": {"part": "wide-gripper", "mount": "lo"}},
            )
        )
    with pytest.raises(RigError, match="no left arm"):
        compose(rig(hands={"left": {"part": "wide-gripper"}}))
