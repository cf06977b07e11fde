"""The comparison of solvers, as far as it can be tested without the peers."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from bench.peers.arm_models import PALM, joint_names, mujoco_model, urdf
from bench.peers.cvxpy_follower import Cvxpy
from bench.peers.follower import MissingPeerError, ModelsDifferError, check_kinematics, matrix, peer
from bench.peers.mink_follower import Mink
from bench.peers.ours import ours
from bench.peers.pink_follower import Pink
from bench.peers.placo_follower import Placo

from elsewhere.bodies.chain import Chain
from elsewhere.bodies.mounts import rotation
from elsewhere.status import LEFT, RIGHT

ROOT = Path(__file__).resolve().parents[2]


def pinocchio_palm(arm, q):
    model = pin.buildModelFromXML(urdf(arm))
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    place = data.oMf[model.getFrameId(PALM)]
    return place.rotation, place.translation


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_urdf_has_our_kinematics_and_limits(body, side):
    arm = body.arms[side]
    random = np.random.default_rng(side)
    for _ in range(20):
        q = random.uniform(arm.limits.lower, arm.limits.upper)
        R, p, _ = arm.chain.forward(q)
        R_urdf, p_urdf = pinocchio_palm(arm, q)
        assert np.abs(R - R_urdf).max() < 1e-9
        assert np.abs(p - p_urdf).max() < 1e-9
    model = pin.buildModelFromXML(urdf(arm))
    assert list(model.names)[1:] == joint_names(arm)
    assert np.array_equal(model.lowerPositionLimit, arm.limits.lower)
    assert np.array_equal(model.upperPositionLimit, arm.limits.upper)
    assert np.array_equal(model.velocityLimit, arm.limits.velocity)


def with_prismatic(arm, pitch_deg):
    """The arm with a third joint that slides, and one frame at the pitch where angles are not unique."""
    chain = arm.chain
    kind, R = chain.kind.copy(), chain.R.copy()
    kind[2], R[3] = 1, rotation((25.0, pitch_deg, -40.0))
    fields = {item.name: getattr(chain, item.name) for item in dataclasses.fields(Chain)}
    return dataclasses.replace(arm, chain=Chain(**{**fields, "kind": kind, "R": R}))


@pytest.mark.parametrize("pitch_deg", [90.0, -90.0, 89.99999, 30.0])
def test_urdf_of_a_prismatic_joint_and_of_a_right_pitch(body, pitch_deg):
    arm = with_prismatic(body.arms[RIGHT], pitch_deg)
    q = np.linspace(-0.4, 0.6, arm.chain.n)
    R, p, _ = arm.chain.forward(q)
    R_urdf, p_urdf = pinocchio_palm(arm, q)
    assert np.abs(R - R_urdf).max() < 1e-6
    assert np.abs(p - p_urdf).max() < 1e-6


def test_mujoco_model_has_our_kinematics_and_ranges(body):
    import mujoco

    arm = with_prismatic(body.arms[RIGHT], 30.0)
    model = mujoco_model(arm)
    data = mujoco.MjData(model)
    data.qpos[:] = q = np.linspace(-0.4, 0.6, arm.chain.n)
    mujoco.mj_kinematics(model, data)
    R, p, _ = arm.chain.forward(q)
    assert np.abs(data.site(PALM).xmat.reshape(3, 3) - R).max() < 1e-9
    assert np.abs(data.site(PALM).xpos - p).max() < 1e-9
    assert np.allclose(model.jnt_range, np.stack([arm.limits.lower, arm.limits.upper], 1))


def test_a_wrong_arm_is_refused(body):
    arm = body.arms[RIGHT]
    follower = ours(arm, 0.008)[0]
    assert check_kinematics(follower) < 1e-12
    honest = follower.palm
    follower.palm = lambda q: (honest(q)[0], honest(q)[1] + 2e-6)
    with pytest.raises(ModelsDifferError, match="within 1e-06"):
        check_kinematics(follower)


def test_our_solvers_go_to_a_near_target(body):
    arm = body.arms[RIGHT]
    R, p, _ = arm.chain.forward(arm.home)
    quat = np.array(pin.Quaternion(R).coeffs())[[3, 0, 1, 2]]
    assert np.abs(matrix(p, quat, np.eye(4))[:3, :3] - R).max() < 1e-9
    for follower in ours(arm, 0.008):
        follower.start(arm.home)
        target = p + np.array([0.03, -0.02, 0.02])
        for _ in range(300):
            follower.step(target, quat)
        # A pull towards a posture may leave a steady error of some millimetres (eq. 4).
        assert np.linalg.norm(arm.chain.forward(follower.joints)[1] - target) < 0.02


@pytest.mark.parametrize("kind", [Mink, Pink, Placo, Cvxpy])
def test_a_missing_peer_is_named_with_the_way_to_get_it(body, kind, monkeypatch):
    for name in ("mink", "pink", "placo", "cvxpy"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPeerError, match=r"cannot be imported here.*`make bench`"):
        kind(body.arms[RIGHT], 0.008)


def test_a_peer_that_exists_is_found():
    assert peer("json").__name__ == "json"


def test_without_peers_the_bench_ends_with_one_sentence():
    code = (
        "import sys; sys.argv = ['bench/ik.py', '--json', '--samples', '5']\n"
        "for name in ('mink', 'pink', 'placo', 'cvxpy'): sys.modules[name] = None\n"
        "import runpy; runpy.run_path('bench/ik.py', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "make bench" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
