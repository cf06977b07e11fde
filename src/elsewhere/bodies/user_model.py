"""A user's own arm: a URDF or MJCF file named in a rig by its path.

The chain of joints from the root to `tip` becomes the arm; what moves off that chain is welded, and
the model's own actuators, sensors, keyframes, lights and floor are left out. A file that lacks what
control needs is refused with one sentence.

Neither format carries all limits. What is missing gets these conservative values: velocity 1 rad/s
(MJCF has none), acceleration 5 rad/s^2, jerk 500 rad/s^3, torque rate ten times the torque limit per
second. A position and a torque limit must be in the file.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from elsewhere.bodies.arm import ArmPart
from elsewhere.bodies.limits import JointLimits
from elsewhere.bodies.shapes import COLLISION_GROUP, VISUAL_GROUP
from elsewhere.errors import ModelError

VELOCITY, ACCELERATION, JERK, TORQUE_RATE_SHARE = 1.0, 5.0, 500.0, 10.0
_SUFFIXES = (".urdf", ".xml", ".mjcf")
_MOVING = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def is_path(name: str) -> bool:
    """Whether a rig names a model file and not a registered part."""
    return name.lower().endswith(_SUFFIXES)


def load_arm(path: Path, tip: str = "") -> ArmPart:
    """The arm in a file, up to the body or site `tip` (empty: the only end of the chain).

    The tip's +z must leave the arm, as a flange's does. Raises ModelError.
    """
    spec = _read(path)
    body, site = _find_tip(spec, path, tip)
    bodies = _way(body)
    joints = _joints(bodies, path)
    model = _compiled(spec, path)
    limits = _limits(path, spec, model, joints)
    _check_mass(path, model, bodies)
    _strip(spec, joints)
    flange = site or body.add_site(name="elsewhere_flange", group=4)
    flange.name = "flange"
    for index, joint in enumerate(joints):
        joint.name = f"joint{index + 1}"
        joint.armature = joint.armature or 0.01
        torque = float(limits.torque[index])
        spec.add_actuator(
            name=joint.name,
            target=joint.name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            ctrllimited=True,
            ctrlrange=[-torque, torque],
            forcelimited=True,
            forcerange=[-torque, torque],
        )
    names = [each.name for each in bodies]
    moving = [each.name for each in bodies if each.joints]
    return ArmPart(
        name=path.name,
        spec=spec,
        root=names[0],
        joints=tuple(joint.name for joint in joints),
        flange="flange",
        limits=limits,
        near_shoulder=tuple(names[: names.index(moving[min(1, len(moving) - 1)]) + 1]),
        near_hand=tuple(dict.fromkeys([*moving[-3:], names[-1]])),
    )


def _read(path: Path) -> mujoco.MjSpec:
    if not path.is_file():
        raise ModelError(
            f"The model file {path} does not exist. Paths in a rig are relative to the rig's file."
        )
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise ModelError(f"The model file {path.name} cannot be read: {_line(error)}.") from error
    # Fixed links keep their names, since one of them may be the tip.
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    for index, body in enumerate(spec.bodies):
        body.name = body.name or f"body{index}"
    return spec


def _compiled(spec: mujoco.MjSpec, path: Path) -> mujoco.MjModel:
    try:
        return spec.copy().compile()
    except ValueError as error:
        text = _line(error)
        if "inertia" in text:
            raise ModelError(
                f"{path.name}: a moving link has no mass or inertia ({text}). Give each link an <inertial>."
            ) from error
        raise ModelError(f"The model file {path.name} cannot be used: {text}.") from error


def _find_tip(spec: mujoco.MjSpec, path: Path, tip: str) -> tuple[mujoco.MjsBody, mujoco.MjsSite | None]:
    bodies = [body for body in spec.bodies if body.name != "world"]
    if not tip:
        ends = [body for body in bodies if not body.bodies]
        if len(ends) == 1:
            return ends[0], None
        names = ", ".join(body.name for body in ends) or "none"
        raise ModelError(
            f"{path.name} has {len(ends)} ends ({names}). Name the one that carries the hand: tip."
        )
    for site in spec.sites:
        if site.name == tip:
            return site.parent, site
    for body in bodies:
        if body.name == tip:
            return body, None
    names = ", ".join([body.name for body in bodies] + [site.name for site in spec.sites if site.name])
    raise ModelError(f"{path.name} has no body or site '{tip}' for the tip. It has: {names}.")


def _way(tip: mujoco.MjsBody) -> list[mujoco.MjsBody]:
    """Bodies from the root to the tip."""
    way = [tip]
    while way[0].parent.name != "world":
        way.insert(0, way[0].parent)
    return way


def _joints(bodies: list[mujoco.MjsBody], path: Path) -> list[mujoco.MjsJoint]:
    joints = [joint for body in bodies for joint in body.joints]
    if joints and joints[0].type == mujoco.mjtJoint.mjJNT_FREE:
        raise ModelError(f"{path.name} floats on a free joint. Remove it: the torso carries the arm.")
    if not joints:
        raise ModelError(
            f"{path.name} has no joint between its root and its tip. An arm needs at least one."
        )
    for joint in joints:
        if joint.type not in _MOVING:
            raise ModelError(
                f"{path.name}: joint '{joint.name}' is neither hinge nor slide. Replace it by hinges."
            )
        if not joint.name:
            raise ModelError(f"{path.name} has a joint without a name. Give each joint of the arm a name.")
    return joints


def _limits(
    path: Path, spec: mujoco.MjSpec, model: mujoco.MjModel, joints: list[mujoco.MjsJoint]
) -> JointLimits:
    velocities = _urdf_velocities(path)
    lower, upper, velocity, torque = [], [], [], []
    for joint in joints:
        # From the compiled model, which has radians whatever the file is written in.
        made = model.joint(joint.name)
        if not made.limited or made.range[0] >= made.range[1]:
            raise ModelError(f"{path.name}: joint '{joint.name}' has no position limits. Give it a range.")
        strength = _torque(model, made.id)
        if strength <= 0.0:
            raise ModelError(
                f"{path.name}: joint '{joint.name}' has no torque limit. Give it effort (URDF), or an "
                "actuator with forcerange, or actuatorfrcrange (MJCF)."
            )
        lower.append(float(made.range[0]))
        upper.append(float(made.range[1]))
        torque.append(strength)
        velocity.append(velocities.get(joint.name) or VELOCITY)
    count = len(joints)
    return JointLimits(
        lower=np.array(lower),
        upper=np.array(upper),
        velocity=np.array(velocity),
        acceleration=np.full(count, ACCELERATION),
        jerk=np.full(count, JERK),
        torque=np.array(torque),
        torque_rate=TORQUE_RATE_SHARE * np.array(torque),
    )


def _torque(model: mujoco.MjModel, joint: int) -> float:
    """The least torque limit that a model states for a joint, or 0."""
    stated = []
    if model.jnt_actfrclimited[joint]:
        stated.append(float(np.min(np.abs(model.jnt_actfrcrange[joint]))))
    for index in range(model.nu):
        on_joint = model.actuator_trntype[index] == mujoco.mjtTrn.mjTRN_JOINT
        if not on_joint or model.actuator_trnid[index, 0] != joint:
            continue
        gear = abs(float(model.actuator_gear[index, 0]))
        plain = model.actuator_biastype[index] == mujoco.mjtBias.mjBIAS_NONE
        if model.actuator_forcelimited[index]:
            stated.append(gear * float(np.min(np.abs(model.actuator_forcerange[index]))))
        elif model.actuator_ctrllimited[index] and plain:
            gain = gear * abs(float(model.actuator_gainprm[index, 0]))
            stated.append(gain * float(np.min(np.abs(model.actuator_ctrlrange[index]))))
    return min(stated, default=0.0)


def _urdf_velocities(path: Path) -> dict[str, float]:
    """Velocity limits by joint: MuJoCo's reader leaves them out."""
    if path.suffix.lower() != ".urdf":
        return {}
    found = {}
    for joint in ElementTree.parse(path).getroot().iter("joint"):
        limit = joint.find("limit")
        if limit is not None and float(limit.get("velocity", 0.0)) > 0.0:
            found[str(joint.get("name"))] = float(limit.get("velocity", 0.0))
    return found


def _check_mass(path: Path, model: mujoco.MjModel, bodies: list[mujoco.MjsBody]) -> None:
    for body in bodies:
        made = model.body(body.name)
        # A URDF link without <inertial> has none; MuJoCo would guess it from the shapes.
        guessed = path.suffix.lower() == ".urdf" and not body.explicitinertial
        if body.joints and (guessed or made.mass[0] < 1e-4 or min(made.inertia) < 1e-9):
            raise ModelError(
                f"{path.name}: link '{body.name}' has no mass or inertia. Give each link an <inertial>."
            )


def _strip(spec: mujoco.MjSpec, joints: list[mujoco.MjsJoint]) -> None:
    """Leave only what an arm is: bodies, its joints, its shapes."""
    kept = {joint.name for joint in joints}
    loose = [joint for joint in spec.joints if joint.name not in kept]
    lists: list[Any] = [spec.keys, spec.sensors, spec.actuators, spec.equalities, spec.tendons]
    lists += [spec.lights, spec.cameras, loose]
    lists.append([geom for geom in spec.geoms if geom.type == mujoco.mjtGeom.mjGEOM_PLANE])
    for elements in lists:
        for element in list(elements):
            spec.delete(element)
    drawn = any(geom.contype == 0 and geom.conaffinity == 0 for geom in spec.geoms)
    for geom in spec.geoms:
        solid = geom.contype != 0 or geom.conaffinity != 0
        geom.group = COLLISION_GROUP if solid and drawn else VISUAL_GROUP


def _line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")
