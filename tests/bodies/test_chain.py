"""A serial chain agrees with MuJoCo on random trees, prismatic joints and frozen fingers included."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from elsewhere.bodies import _kernels
from elsewhere.bodies.chain import Chain, scratch
from elsewhere.errors import ModelError

TYPES = {"hinge": mujoco.mjtJoint.mjJNT_HINGE, "slide": mujoco.mjtJoint.mjJNT_SLIDE}


def random_arm(rng, joints, slides=()):
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    body = spec.worldbody.add_body(name="root", pos=[0.1, 0.2, 0.3], quat=[0.9, 0.1, 0.3, 0.2])
    for i in range(joints):
        q = rng.normal(size=4)
        body = body.add_body(name=f"link{i}", pos=rng.normal(size=3) * 0.2, quat=q / np.linalg.norm(q))
        kind = TYPES["slide" if i in slides else "hinge"]
        body.add_joint(name=f"j{i}", type=kind, axis=rng.normal(size=3), pos=rng.normal(size=3) * 0.05)
        size = [0.05, 0.1, 0.03]
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, pos=rng.normal(size=3) * 0.1)
    finger = body.add_body(name="finger", pos=[0.1, 0, 0])
    finger.add_joint(name="finger", axis=[0, 0, 1])
    finger.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.03, 0, 0])
    body.add_site(name="tip", pos=[0.1, 0.2, 0.3], quat=[0.5, 0.5, 0.5, 0.5])
    return spec.compile()


@pytest.mark.parametrize(("joints", "slides"), [(6, ()), (7, (3,)), (8, (0, 7))])
def test_agrees_with_mujoco(joints, slides):
    rng = np.random.default_rng(joints)
    model = random_arm(rng, joints, slides)
    data = mujoco.MjData(model)
    chain = Chain.from_mujoco(model, [f"j{i}" for i in range(joints)], "tip", "root")
    R_root = None
    for _ in range(40):
        q, dq = rng.normal(size=joints), rng.normal(size=joints)
        data.qpos[:joints], data.qvel[:joints] = q, dq
        mujoco.mj_forward(model, data)
        R_root, p_root = data.xmat[1].reshape(3, 3), data.xpos[1]
        site = data.site("tip")
        R, p, J = chain.forward(q)
        assert np.allclose(p, R_root.T @ (site.xpos - p_root), atol=1e-9)
        assert np.allclose(R, R_root.T @ site.xmat.reshape(3, 3), atol=1e-9)
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, linear, angular, site.id)
        expected = np.vstack([R_root.T @ linear[:, :joints], R_root.T @ angular[:, :joints]])
        assert np.allclose(J, expected, atol=1e-9)
        assert np.allclose(chain.bias(q, dq), data.qfrc_bias[:joints], atol=1e-8)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        assert np.allclose(chain.inertia_diagonal(q), np.diag(mass)[:joints], atol=1e-9)
        ddq = rng.normal(size=joints)
        expected = mass[:joints, :joints] @ ddq + data.qfrc_bias[:joints]
        assert np.allclose(chain.inverse_dynamics(q, dq, ddq), expected, atol=1e-8)


def test_jacobian_by_finite_differences():
    model = random_arm(np.random.default_rng(0), 7, (2,))
    chain = Chain.from_mujoco(model, [f"j{i}" for i in range(7)], "tip", "root")
    q, h = np.linspace(-1, 1, 7), 1e-6
    R, _, J = chain.forward(q)
    for i in range(7):
        step = np.zeros(7)
        step[i] = h
        R2, p2, _ = chain.forward(q + step)
        R1, p1, _ = chain.forward(q - step)
        turn = (R2 - R1) / (2 * h) @ R.T
        angular = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
        assert np.allclose(J[:, i], np.concatenate([(p2 - p1) / (2 * h), angular]), atol=1e-6)


def test_errors_name_what_is_missing():
    model = random_arm(np.random.default_rng(0), 6)
    with pytest.raises(ModelError, match="no joint named 'elbow'"):
        Chain.from_mujoco(model, ["elbow"], "tip", "root")
    with pytest.raises(ModelError, match="no site named 'hand'"):
        Chain.from_mujoco(model, ["j0"], "hand", "root")
    with pytest.raises(ModelError, match="1 to 8 joints"):
        Chain.from_mujoco(model, [], "tip", "root")


@pytest.mark.parametrize(("joints", "slides"), [(1, ()), (7, (3,)), (8, (0, 7))])
def test_a_packed_chain_is_the_same_chain(joints, slides):
    rng = np.random.default_rng(joints)
    chain = Chain.from_mujoco(
        random_arm(rng, joints, slides), [f"j{i}" for i in range(joints)], "tip", "root"
    )
    for packed, own in zip(_kernels.unpack(chain.packed), chain.arrays, strict=True):
        assert np.array_equal(packed[: len(own)], own)
    q = rng.normal(size=joints)
    p, quat, R, J = np.zeros(3), np.zeros(4), np.zeros((3, 3)), np.zeros((6, joints))
    _kernels.tip_pose(chain.packed, q, p, quat, R, J, scratch())
    R_tip, p_tip, J_tip = chain.forward(q)
    assert np.array_equal(p, p_tip)
    assert np.array_equal(J, J_tip)
    assert Rotation.from_quat(quat, scalar_first=True).as_matrix() == pytest.approx(R_tip, abs=1e-9)
