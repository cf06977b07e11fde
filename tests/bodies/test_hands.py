from __future__ import annotations

import mujoco
import numpy as np
import pytest

from elsewhere.bodies.hand import HandPart, ignore_itself
from elsewhere.bodies.six_motor_hand import COUPLING, FINGERS, six_motor_hand
from elsewhere.bodies.wide_gripper import FORCE, PALM_X, STROKE, wide_gripper

BOX, CYLINDER = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CYLINDER


def lift_scene(hand: HandPart, kind: int, size: list[float], half: float, mass: float) -> mujoco.MjModel:
    """A hand that points down on a lift, above a thing on the floor."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = 0.001
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 0.1])
    lift = spec.worldbody.add_body(name="lift", pos=[0, 0, max(half, 0.024) + PALM_X])
    lift.add_joint(name="lift", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    lift.mass, lift.inertia, lift.explicitinertial = 5.0, [0.1] * 3, True
    lift.gravcomp = 1.0
    servo = spec.add_actuator(name="lift", target="lift", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    servo.set_to_position(kp=2e4, kv=600.0)
    spec.attach(hand.spec, prefix="hand_", frame=lift.add_frame(quat=[np.sqrt(0.5), 0, np.sqrt(0.5), 0]))
    thing = spec.worldbody.add_body(name="thing", pos=[0, 0.008, half + 0.0005])
    thing.add_freejoint()
    thing.add_geom(type=kind, size=size, mass=mass, friction=[0.6, 0.005, 0.0001])
    return spec.compile()


@pytest.mark.parametrize(
    ("kind", "size", "half", "mass"),
    [
        (BOX, [0.02, 0.02, 0.02], 0.02, 0.1),
        (BOX, [0.025, 0.025, 0.025], 0.025, 0.1),
        (CYLINDER, [0.03, 0.05, 0.0], 0.05, 0.5),
        (CYLINDER, [0.035, 0.06, 0.0], 0.06, 1.5),
    ],
)
def test_the_gripper_holds_what_it_lifts(kind: int, size: list[float], half: float, mass: float) -> None:
    model = lift_scene(wide_gripper(1), kind, size, half, mass)
    data = mujoco.MjData(model)

    def place() -> np.ndarray:
        R = data.site("hand_palm").xmat.reshape(3, 3)
        return np.asarray(R.T @ (data.body("thing").xpos - data.site("hand_palm").xpos))

    for tick in range(1000):
        data.ctrl[model.actuator("hand_motor1").id] = min(1.0, tick / 500)
        mujoco.mj_step(model, data)
    held = place()
    for tick in range(4000):
        data.ctrl[model.actuator("lift").id] = 0.3 * min(1.0, tick / 700)
        mujoco.mj_step(model, data)
    assert data.body("thing").xpos[2] > half + 0.25
    assert np.linalg.norm(place() - held) < 0.002
    assert abs(data.actuator("hand_motor1").force[0]) <= FORCE * STROKE + 1e-9
    one, two = data.joint("hand_finger1").qpos[0], data.joint("hand_finger2").qpos[0]
    assert abs(one - two) < 0.001, "the jaws stay symmetric"


def alone(hand: HandPart, side: int) -> mujoco.MjModel:
    ignore_itself(hand.spec, side)
    return alone_as_is(hand.spec)


def alone_as_is(spec: mujoco.MjSpec) -> mujoco.MjModel:
    spec.option.timestep = 0.001
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    return spec.compile()


def test_the_gripper_says_how_far_it_is_closed() -> None:
    model = alone(wide_gripper(0), 0)
    data = mujoco.MjData(model)
    for share in (0.0, 0.5, 1.0):
        data.ctrl[0] = share
        mujoco.mj_step(model, data, nstep=800)
        assert data.actuator("motor1").length[0] == pytest.approx(share, abs=0.01)
        gap = STROKE - data.joint("finger1").qpos[0] - data.joint("finger2").qpos[0]
        assert gap == pytest.approx(STROKE * (1 - share), abs=0.002)


@pytest.mark.parametrize("side", [0, 1])
def test_six_motors_close_the_hand_and_open_it_again(side: int) -> None:
    model = alone(six_motor_hand(side), side)
    data = mujoco.MjData(model)
    for share in (1.0, 0.0):
        data.ctrl[:] = share
        mujoco.mj_step(model, data, nstep=800)
        for number in range(6):
            assert data.actuator(f"motor{number + 1}").length[0] == pytest.approx(share, abs=0.03)
        for name, *_ in FINGERS:
            near, far = data.joint(f"{name}_proximal").qpos[0], data.joint(f"{name}_distal").qpos[0]
            assert far == pytest.approx(COUPLING[0] + COUPLING[1] * near, abs=0.02)
    assert np.abs(data.qvel).max() < 0.1


def test_the_thumbs_are_on_the_inner_sides() -> None:
    for side, sign in ((0, -1.0), (1, 1.0)):
        model = six_motor_hand(side).spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        assert sign * data.site("fingertip1").xpos[1] > 0.05
        assert sign * data.site("fingertip2").xpos[1] > sign * data.site("fingertip5").xpos[1]


def test_closing_the_hand_on_a_cylinder_stays_calm_and_is_felt() -> None:
    hand = six_motor_hand(1)
    spec = hand.spec
    for name in hand.fingertips:
        spec.add_sensor(
            name=name, type=mujoco.mjtSensor.mjSENS_TOUCH, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=name
        )
    thing = spec.worldbody.add_body(name="thing", pos=[0.11, 0, -0.045])
    thing.add_freejoint()
    turned = [np.sqrt(0.5), np.sqrt(0.5), 0, 0]
    solid = thing.add_geom(type=CYLINDER, size=[0.027, 0.06, 0], quat=turned, mass=0.3)
    solid.contype = 0  # left to the line below: it belongs to the room, not to the hand
    ignore_itself(spec, 1)
    solid.contype = solid.conaffinity = 1
    model = alone_as_is(spec)
    model.opt.gravity[:] = 0.0
    data = mujoco.MjData(model)
    for tick in range(2500):
        data.ctrl[:] = min(1.0, tick / 800)
        if tick == 1500:
            model.opt.gravity[:] = [0, 0, -9.81]
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all()
    assert np.linalg.norm(data.body("thing").xpos - [0.11, 0, -0.045]) < 0.07, "held against its weight"
    assert np.abs(data.qvel).max() < 1.0
    assert sum(data.sensor(name).data[0] > 0.5 for name in hand.fingertips) >= 2
