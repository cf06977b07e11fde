"""The same body for pinocchio, built from the compiled MuJoCo model.

Not through MJCF text: that is rounded to six digits, and pinocchio's reader drops what hangs on a
body with several joints. Here each number is taken over as it is, so that kinematics and dynamics
agree to rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from elsewhere.errors import ModelError

if TYPE_CHECKING:
    import pinocchio as pin


def pinocchio_model(model: mujoco.MjModel, name: str = "avatar") -> pin.Model:
    """A pinocchio model with MuJoCo's joints (same names), and a frame for each body and site.

    Joints keep MuJoCo's order of bodies, but pinocchio orders by tree: look indices up by name.
    """
    import pinocchio as pin

    made = pin.Model()
    made.name = name
    made.gravity.linear = model.opt.gravity.copy()
    joint_of, place_of = [0], [pin.SE3.Identity()]
    for index in range(1, model.nbody):
        body = model.body(index)
        parent = int(body.parentid[0])
        joint = joint_of[parent]
        place = place_of[parent] * _pose(body.pos, body.quat)
        for number in range(int(body.jntnum[0])):
            joint, place = _add_joint(made, joint, place, model.joint(int(body.jntadr[0]) + number))
        turn = _pose(body.ipos, body.iquat)
        inertia = pin.Inertia(float(body.mass[0]), np.zeros(3), np.diag(body.inertia))
        made.appendBodyToJoint(joint, inertia.se3Action(turn), place)
        made.addFrame(pin.Frame(body.name, joint, 0, place, pin.FrameType.BODY), False)
        joint_of.append(joint)
        place_of.append(place)
    for index in range(model.nsite):
        site = model.site(index)
        parent = int(site.bodyid[0])
        place = place_of[parent] * _pose(site.pos, site.quat)
        made.addFrame(pin.Frame(site.name, joint_of[parent], 0, place, pin.FrameType.OP_FRAME), False)
    return made


def _add_joint(made: pin.Model, parent: int, place: pin.SE3, joint: mujoco.MjModel) -> tuple[int, pin.SE3]:
    """Add one joint; returns it and where the body's frame then is in the joint's frame.

    MuJoCo turns and slides a body about an anchor in its own frame, from a reference value on.
    """
    import pinocchio as pin

    anchor = pin.SE3(np.eye(3), joint.pos.copy())
    axis, start = joint.axis.copy(), float(joint.qpos0[0])
    kind = int(joint.type[0])
    if kind == mujoco.mjtJoint.mjJNT_HINGE:
        moving = pin.JointModelRevoluteUnaligned(axis)
        back = pin.SE3(pin.exp3(-start * axis), np.zeros(3))
    elif kind == mujoco.mjtJoint.mjJNT_SLIDE:
        moving = pin.JointModelPrismaticUnaligned(axis)
        back = pin.SE3(np.eye(3), -start * axis)
    else:
        raise ModelError(
            f"The joint {joint.name} is neither a hinge nor a slide. Only these are supported."
        )
    index = made.addJoint(parent, moving, place * anchor, joint.name)
    at, free = made.joints[index].idx_q, not joint.limited
    made.lowerPositionLimit[at] = -np.inf if free else joint.range[0]
    made.upperPositionLimit[at] = np.inf if free else joint.range[1]
    made.armature[made.joints[index].idx_v] = joint.armature[0]
    return int(index), back * anchor.inverse()


def _pose(position: np.ndarray, quat: np.ndarray) -> pin.SE3:
    import pinocchio as pin

    w, x, y, z = quat
    return pin.SE3(
        pin.Quaternion(float(w), float(x), float(y), float(z)).matrix(), np.asarray(position, float)
    )
