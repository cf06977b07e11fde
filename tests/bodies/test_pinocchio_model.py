from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from elsewhere.bodies.body import Body
from elsewhere.bodies.panda import LIMITS, panda
from elsewhere.bodies.pinocchio_model import pinocchio_model


def compare(model: mujoco.MjModel, other: pin.Model, joints: Sequence[str], sites: Sequence[str]) -> None:
    """Poses, gravity, Coriolis and inertia agree to 1e-9 wherever the joints are."""
    data, theirs = mujoco.MjData(model), other.createData()
    names = [model.joint(index).name for index in range(model.njnt)]
    at_q = [other.joints[other.getJointId(name)].idx_q for name in names]
    at_v = [other.joints[other.getJointId(name)].idx_v for name in names]
    watched = [model.joint(name).id for name in joints]
    random = np.random.default_rng(0)
    for _ in range(20):
        lower = np.where(model.jnt_limited, model.jnt_range[:, 0], -1.0)
        upper = np.where(model.jnt_limited, model.jnt_range[:, 1], 1.0)
        q, v = np.zeros(other.nq), np.zeros(other.nv)
        data.qpos[:] = q[at_q] = random.uniform(lower, upper)
        q[at_q] = data.qpos
        data.qvel[:] = random.uniform(-1.0, 1.0, model.nv)
        v[at_v] = data.qvel
        mujoco.mj_forward(model, data)
        pin.forwardKinematics(other, theirs, q)
        pin.updateFramePlacements(other, theirs)
        for site in sites:
            frame = theirs.oMf[other.getFrameId(site)]
            np.testing.assert_allclose(frame.translation, data.site(site).xpos, atol=1e-9)
            np.testing.assert_allclose(frame.rotation, data.site(site).xmat.reshape(3, 3), atol=1e-9)
        bias = pin.nonLinearEffects(other, theirs, q, v)[at_v]
        np.testing.assert_allclose(bias[watched], data.qfrc_bias[watched], atol=1e-8)
        data.qvel[:] = 0.0
        mujoco.mj_forward(model, data)
        gravity = pin.computeGeneralizedGravity(other, theirs, q)[at_v]
        np.testing.assert_allclose(gravity[watched], data.qfrc_bias[watched], atol=1e-9)


def test_the_panda_alone_agrees_with_mujoco() -> None:
    arm = panda(1)
    model = arm.spec.compile()
    compare(model, pinocchio_model(model), arm.joints, ["flange"])


def test_the_whole_avatar_agrees_with_mujoco(body: Body) -> None:
    joints = [name for arm in body.arms if arm for name in arm.joints]
    made = body.pinocchio()
    compare(body.model, made, joints, ["left_palm", "right_palm"])
    at = made.joints[made.getJointId("right_arm_joint7")].idx_v
    assert made.effortLimit[at] == LIMITS.torque[6]


def test_the_panda_has_its_published_reach() -> None:
    """Stretched up, the flange is at the sum of the published lengths."""
    model = panda(0).spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(
        data.site("flange").xpos, [0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107], atol=1e-12
    )
    assert model.body_mass.sum() == pytest.approx(16.69, abs=0.01)
