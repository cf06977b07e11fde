"""Builds a body from a rig: parts, their mounts, the sensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import mujoco
import numpy as np

from elsewhere.bodies import home, mounts, shapes
from elsewhere.bodies.arm import Arm, ArmPart
from elsewhere.bodies.body import Body
from elsewhere.bodies.chain import Chain
from elsewhere.bodies.hand import Hand, HandPart, ignore_itself
from elsewhere.bodies.head import Head, HeadPart
from elsewhere.bodies.limits import Vector
from elsewhere.bodies.marker import Marker
from elsewhere.bodies.mounts import Pose
from elsewhere.bodies.registry import find_part
from elsewhere.bodies.trunk import BasePart, TorsoPart
from elsewhere.bodies.user_model import is_path, load_arm
from elsewhere.errors import ModelError, RigError
from elsewhere.records import FINGERTIPS, MAX_JOINTS, MAX_MOTORS
from elsewhere.rig import PartChoice, Rig
from elsewhere.status import LEFT, SIDES

Kind = TypeVar("Kind")

RANGE_CUTOFF = 5.0  # m, farthest that a range finder tells
WRIST_FOV_DEG = 55.0  # vertical, RealSense L515

# Where the palms wait for work on a table, in the base frame; the right side, the left is mirrored.
# A gripper points straight down, its jaws close sideways. A hand with fingers points forward and
# down, its palm down and inwards.
PALM_HOME: dict[str, Pose] = {
    "down": (mounts.rotation((0.0, 90.0, 0.0)), np.array([0.50, -0.22, 1.0])),
    "ahead": (
        mounts.rotation((0.0, 40.0, 0.0)) @ mounts.rotation((30.0, 0.0, 0.0)),
        np.array([0.50, -0.22, 1.0]),
    ),
}

_NEAR_HOME = 0.05  # an error of the home pose [m + rad] that is still taken
_IDENTITY: Pose = (np.eye(3), np.zeros(3))


@dataclass
class _Limb:
    """An arm and a hand of one side while the body is being built."""

    side: int
    choice: PartChoice
    part: ArmPart
    hand: HandPart | None

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(f"{SIDES[self.side]}_arm_{name}" for name in self.part.joints)


def compose(rig: Rig) -> Body:
    """The body that a rig describes. Raises RigError, ModelError or UnknownNameError."""
    base = _built(find_part("base", rig.base.part)(), BasePart)
    torso = _built(find_part("torso", rig.torso.part)(), TorsoPart)
    head = _built(find_part("head", rig.head.part)(rig.video.fov_deg), HeadPart)
    spec = base.spec
    spec.modelname = "avatar"
    _set_options(spec)
    _attach(spec, torso.spec, base.top, _IDENTITY, "torso_")
    spec.body("torso_torso").name = "torso"
    _attach_head(spec, head, f"torso_{torso.neck}")
    limbs = [_attach_limb(rig, spec, torso, side) for side in range(2)]
    if rig.sensors.ranges:
        for name in base.ranges:
            _add_sensor(spec, name, mujoco.mjtSensor.mjSENS_RANGEFINDER, "site", name, cutoff=RANGE_CUTOFF)
    try:
        model = spec.compile()
    except ValueError as error:
        raise ModelError(f"The parts of rig '{rig.name}' do not fit into one model: {error}.") from error
    return _finish(rig, spec, model, limbs, head, base.marker)


def _finish(
    rig: Rig,
    spec: mujoco.MjSpec,
    model: mujoco.MjModel,
    limbs: list[_Limb | None],
    head: HeadPart,
    marker: Marker | None,
) -> Body:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    resting = {f"head_eye_{name}": float(model.joint(f"head_eye_{name}").qpos0[0]) for name in SIDES}
    arms: list[Arm | None] = []
    for limb in limbs:
        arms.append(None if limb is None else _mounted_arm(limb, model, data))
    for arm in arms:
        if arm is not None:
            resting.update(zip(arm.joints, arm.home.tolist(), strict=True))
    return Body(
        rig=rig,
        spec=spec,
        model=model,
        arms=(arms[0], arms[1]),
        hands=(_mounted_hand(limbs[0]), _mounted_hand(limbs[1])),
        head=Head(
            position=data.site(f"head_{head.centre}").xpos.copy(),
            lower=head.lower,
            upper=head.upper,
            velocity=head.velocity,
            baseline=head.baseline,
            fov_deg=rig.video.fov_deg,
        ),
        home=resting,
        marker=marker,
    )


def _mounted_arm(limb: _Limb, model: mujoco.MjModel, data: mujoco.MjData) -> Arm:
    site = f"{SIDES[limb.side]}_palm"
    return Arm(
        side=limb.side,
        part=limb.part.name,
        joints=limb.joints,
        limits=limb.part.limits,
        home=_home(limb, model, data, site),
        neutral=limb.part.limits.middle,
        chain=Chain.from_mujoco(model, limb.joints, site, "base"),
        reference=limb.part.reference,
    )


def _home(limb: _Limb, model: mujoco.MjModel, data: mujoco.MjData, site: str) -> Vector:
    """Joints that hold the palm ready for work; the first seed where that pose is out of reach."""
    mount, limits, part = limb.choice.mount, limb.part.limits, limb.part
    name = mount if isinstance(mount, str) else ""
    seeds = part.home.get("45-down" if name == "default" else name, home.starts(limits))
    fingers = limb.hand is not None and len(limb.hand.motors) > 1
    target = PALM_HOME["ahead" if fingers else "down"]
    if limb.side == LEFT:
        target = mounts.mirrored(target)
        seeds = tuple(seed if part.mirror is None else seed * part.mirror for seed in seeds)
    best, least = seeds[0], _NEAR_HOME
    for seed in seeds:
        q, error = home.reach(model, data, limb.joints, site, target, seed, limits)
        if error < least:
            best, least = q, error
        if error < 1e-6:
            break
    return best


def _mounted_hand(limb: _Limb | None) -> Hand | None:
    if limb is None or limb.hand is None:
        return None
    side, hand = SIDES[limb.side], limb.hand
    motors = tuple(f"{side}_hand_{name}" for name in hand.motors)
    return Hand(limb.side, hand.name, motors, len(hand.fingertips), hand.drive)


def _attach_head(spec: mujoco.MjSpec, head: HeadPart, neck: str) -> None:
    _attach(spec, head.spec, neck, _IDENTITY, "head_")
    spec.body(f"head_{head.face}").name = "head"
    for side, camera in zip(SIDES, head.cameras, strict=True):
        spec.camera(f"head_{camera}").name = f"eye_{side}"


def _attach_limb(rig: Rig, spec: mujoco.MjSpec, torso: TorsoPart, side: int) -> _Limb | None:
    name = SIDES[side]
    if name not in rig.arms:
        if name in rig.hands:
            raise RigError(f"{rig.name}: there is a {name} hand but no {name} arm. Add [arms] {name}.")
        return None
    choice = rig.arms[name]
    if is_path(choice.part):
        arm = load_arm(rig.folder / choice.part, choice.tip)
    else:
        arm = _built(find_part("arm", choice.part)(side), ArmPart)
    if len(arm.joints) > MAX_JOINTS:
        raise ModelError(f"The arm {choice.part} has {len(arm.joints)} joints. At most {MAX_JOINTS} fit.")
    prefix = f"{name}_arm_"
    _attach(spec, arm.spec, f"torso_{torso.shoulders[side]}", mounts.arm_mount(choice.mount, side), prefix)
    for link in arm.near_shoulder:
        _exclude(spec, "torso", prefix + link)
    if rig.sensors.joint_torque:
        for index, joint in enumerate(arm.joints):
            _add_sensor(
                spec,
                f"{name}_torque_joint{index + 1}",
                mujoco.mjtSensor.mjSENS_JOINTACTFRC,
                "joint",
                prefix + joint,
            )
    limb = _Limb(side, choice, arm, None)
    _add_flange(rig, spec, limb)
    if name in rig.hands:
        limb.hand = _attach_hand(rig, spec, limb)
    else:
        spec.body(f"{name}_flange").add_site(name=f"{name}_palm", quat=[0.5, 0.5, -0.5, 0.5], group=4)
    return limb


def _add_flange(rig: Rig, spec: mujoco.MjSpec, limb: _Limb) -> None:
    """The body that carries the hand. Its weight and the hand's is what the wrist sensor feels."""
    name = SIDES[limb.side]
    site = spec.site(f"{name}_arm_{limb.part.flange}")
    flange = site.parent.add_body(name=f"{name}_flange", pos=site.pos, quat=site.quat)
    shapes.inertia(flange, 0.12, (0, 0, 0.008), (0.03, 0.03, 0.008))
    radius = limb.part.flange_radius
    shapes.cylinder(flange, (0, 0, 0), (0, 0, 0.014), radius, shapes.GRAPHITE)
    flange.add_site(name=f"{name}_wrist_sensor", group=4)
    if rig.sensors.wrist_wrench:
        force, torque = mujoco.mjtSensor.mjSENS_FORCE, mujoco.mjtSensor.mjSENS_TORQUE
        _add_sensor(spec, f"{name}_wrist_force", force, "site", f"{name}_wrist_sensor")
        _add_sensor(spec, f"{name}_wrist_torque", torque, "site", f"{name}_wrist_sensor")


def _attach_hand(rig: Rig, spec: mujoco.MjSpec, limb: _Limb) -> HandPart:
    name, side = SIDES[limb.side], limb.side
    choice = rig.hands[name]
    hand = _built(find_part("hand", choice.part)(side), HandPart)
    if len(hand.motors) > MAX_MOTORS or len(hand.fingertips) > FINGERTIPS:
        raise ModelError(
            f"The hand {choice.part} has {len(hand.motors)} motors and {len(hand.fingertips)} fingertips. "
            f"At most {MAX_MOTORS} and {FINGERTIPS} fit."
        )
    ignore_itself(hand.spec, side)
    bodies = [body.name for body in hand.spec.bodies if body.name != "world"]
    pose = mounts.hand_mount(choice.mount, side, hand.depth)
    prefix = f"{name}_hand_"
    _attach(spec, hand.spec, f"{name}_wrist_sensor", pose, prefix)
    palm = spec.site(prefix + hand.palm)
    palm.name = f"{name}_palm"
    for link in limb.part.near_hand:
        for body in bodies:
            _exclude(spec, f"{name}_arm_{link}", prefix + body)
    if rig.sensors.fingertips:
        touch = mujoco.mjtSensor.mjSENS_TOUCH
        for index, tip in enumerate(hand.fingertips):
            _add_sensor(spec, f"{name}_fingertip{index + 1}", touch, "site", prefix + tip)
    if rig.sensors.wrist_camera == name:
        _add_wrist_camera(spec, name, pose)
    return hand


def _add_wrist_camera(spec: mujoco.MjSpec, name: str, hand: Pose) -> None:
    """A depth camera beside the hand's root that looks along the fingers."""
    flange = spec.body(f"{name}_flange")
    R, p = hand
    # Behind the palm's side of the hand, so that neither jaw hides what is between them.
    place = p + R @ np.array([0.05, 0.0, -0.062])
    # A camera looks along its -z with y up: along the hand's x, tilted towards the grasp centre.
    tilted = R @ mounts.rotation((0.0, -18.0, 0.0))
    look = tilted @ np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    ahead = tilted[:, 0]
    shapes.cylinder(flange, place - ahead * 0.026, place, 0.022, shapes.GRAPHITE)
    flange.add_camera(
        name=f"{name}_wrist_camera", pos=place + ahead * 0.002, quat=_quat(look), fovy=WRIST_FOV_DEG
    )


def _set_options(spec: mujoco.MjSpec) -> None:
    spec.option.timestep = 0.001
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0


def _attach(spec: mujoco.MjSpec, child: mujoco.MjSpec, site: str, pose: Pose, prefix: str) -> None:
    """Attach a part so that its world frame is `pose`, given in the frame of a site of the parent."""
    parent = spec.site(site)
    R_site = np.zeros(9)
    mujoco.mju_quat2Mat(R_site, np.asarray(parent.quat, float))
    R = R_site.reshape(3, 3)
    frame = parent.parent.add_frame(pos=parent.pos + R @ pose[1], quat=_quat(R @ pose[0]))
    while child.keys:
        child.delete(child.keys[0])
    spec.attach(child, prefix=prefix, frame=frame)


def _add_sensor(
    spec: mujoco.MjSpec, name: str, kind: Any, on: str, target: str, cutoff: float = 0.0
) -> None:
    objects = {"site": mujoco.mjtObj.mjOBJ_SITE, "joint": mujoco.mjtObj.mjOBJ_JOINT}
    sensor = spec.add_sensor(name=name, type=kind, objtype=objects[on], objname=target, cutoff=cutoff)
    if kind == mujoco.mjtSensor.mjSENS_RANGEFINDER:
        sensor.intprm[0] = 1 << int(mujoco.mjtRayDataField.mjRAYDATA_DIST)


def _exclude(spec: mujoco.MjSpec, first: str, second: str) -> None:
    spec.add_exclude(name=f"{first}-{second}", bodyname1=first, bodyname2=second)


def _quat(R: mounts.Array) -> mounts.Array:
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(R).ravel())
    return quat


def _built(made: Any, kind: type[Kind]) -> Kind:
    if not isinstance(made, kind):
        raise ModelError(f"A part was built as {type(made).__name__}. It must be a {kind.__name__}.")
    return made
