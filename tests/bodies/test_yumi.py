"""The YuMi against published numbers that are written here, and what an overlay asks of a body."""

from __future__ import annotations

import dataclasses
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from elsewhere.bodies import yumi_meshes
from elsewhere.bodies.body import Body
from elsewhere.bodies.capsules import Capsules
from elsewhere.bodies.compose import compose
from elsewhere.bodies.pedestal import HEIGHT
from elsewhere.bodies.yumi_arm import AXES, MIRROR
from elsewhere.bodies.yumi_gripper import PALM_X
from elsewhere.errors import ModelError
from elsewhere.rig import load_rig
from elsewhere.status import LEFT, RIGHT

# Modified Denavit-Hartenberg parameters of the IRB 14050, one YuMi arm on its own: alpha [quarter turns],
# a, d [mm], offset of the angle [quarter turns].
DH = (
    (0, 0.0, 0.0, 0),
    (-1, -30.0, 0.0, 0),
    (1, 30.0, 251.5, 0),
    (-1, 40.5, 0.0, 1),
    (1, -40.5, 265.0, 0),
    (-1, 27.0, 0.0, 0),
    (1, -27.0, 36.0, 0),
)
SHOULDER_D = 0.1  # m, from the trunk to the crossing of axes 1 and 2; 305 mm for the single arm's own base
# Origins [m] and roll, pitch, yaw [rad] of the joints in the URDF of Örebro University.
HALF = np.pi / 2
URDF = (
    ((0.05355, -0.0725, 0.41492), (-0.9795, -0.5682, -2.3155)),
    ((0.03, 0.0, 0.1), (HALF, 0.0, 0.0)),
    ((-0.03, 0.17283, 0.0), (-HALF, 0.0, 0.0)),
    ((-0.04188, 0.0, 0.07873), (HALF, -HALF, 0.0)),
    ((0.0405, 0.16461, 0.0), (-HALF, 0.0, 0.0)),
    ((-0.027, 0.0, 0.10039), (HALF, 0.0, 0.0)),
    ((0.027, 0.029, 0.0), (-HALF, 0.0, 0.0)),
)
URDF_LEFT = ((0.05355, 0.0725, 0.41492), (0.9781, -0.5716, 2.3180))


@pytest.fixture(scope="module")
def yumi() -> Body:
    return compose(load_rig("overlay"))


def turn(axis: int, angle: float) -> np.ndarray:
    T = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T[i, i] = T[j, j] = np.cos(angle)
    T[j, i], T[i, j] = np.sin(angle), -np.sin(angle)
    return T


def shift(p) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = p
    return T


def urdf_frames(q, first) -> list[np.ndarray]:
    T, frames = shift((0, 0, HEIGHT)), []
    for ((x, y, z), (roll, pitch, yaw)), angle in zip((first, *URDF[1:]), q, strict=True):
        T = T @ shift((x, y, z)) @ turn(2, yaw) @ turn(1, pitch) @ turn(0, roll) @ turn(2, angle)
        frames.append(T)
    return frames


@pytest.mark.parametrize(("side", "first"), [(RIGHT, URDF[0]), (LEFT, URDF_LEFT)])
def test_joints_are_where_the_urdf_has_them(yumi, side, first):
    arm, rng = yumi.arms[side], np.random.default_rng(1)
    for _ in range(50):
        q = rng.uniform(arm.limits.lower, arm.limits.upper)
        wanted = urdf_frames(q, first)
        assert np.abs(arm.chain.origins(q) - [T[:3, 3] for T in wanted]).max() < 4e-3
        R, p = arm.palm(q)
        # The fingers leave along the last axis.
        assert R[:, 0] @ wanted[-1][:3, 2] > np.cos(np.radians(0.4))
        assert np.abs(p - R[:, 0] * (PALM_X + 0.007) - wanted[-1][:3, 3]).max() < 4e-3


def test_lengths_are_those_of_the_maker(yumi):
    """From axis 1 to the flange by the published parameters, exactly."""
    arm, rng = yumi.arms[RIGHT], np.random.default_rng(2)
    (p1, (roll, pitch, yaw)) = URDF[0]
    mount = shift((0, 0, HEIGHT)) @ shift(p1) @ turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)
    for _ in range(50):
        q = rng.uniform(arm.limits.lower, arm.limits.upper)
        T = mount @ shift((0, 0, SHOULDER_D)) @ turn(2, np.pi)  # its x points the other way
        for (alpha, a, d, offset), angle in zip(DH, q, strict=True):
            T = T @ turn(0, alpha * HALF) @ shift((a / 1e3, 0, 0))
            T = T @ turn(2, angle + offset * HALF) @ shift((0, 0, d / 1e3))
        R, p = arm.palm(q)
        assert np.allclose(p - R[:, 0] * PALM_X, T[:3, 3], atol=2e-5)
        assert np.allclose(R[:, 0], T[:3, 2], atol=2e-5)


def test_limits_are_those_of_the_maker(yumi):
    by_axis = {1: (-168.5, 168.5), 2: (-143.5, 43.5), 3: (-123.5, 80), 4: (-290, 290)}
    by_axis |= {5: (-88, 138), 6: (-229, 229), 7: (-168.5, 168.5)}
    for arm in yumi.arms:
        ends = np.array([by_axis[axis] for axis in AXES])
        assert np.allclose(np.degrees([arm.limits.lower, arm.limits.upper]), ends.T)
        speeds = [180 if axis in (1, 2, 3, 7) else 400 for axis in AXES]
        assert np.allclose(np.degrees(arm.limits.velocity), speeds)


def test_reach_lies_between_wrist_and_flange(yumi):
    """559 mm: more than to the crossing of the wrist's axes, less than to the flange."""
    arm = yumi.arms[RIGHT]
    straight = np.radians([51.0, -83.0, 0.0, -66.0, 0.0, -12.0, 0.0])
    shoulder, _, _ = arm.reference_points(straight)
    R, p = arm.palm(straight)
    wrist = arm.chain.origins(straight)[AXES.index(5)]
    assert np.linalg.norm(wrist - shoulder) < 0.559 < np.linalg.norm(p - R[:, 0] * PALM_X - shoulder)


def test_the_left_arm_mirrors_the_right_one(yumi):
    left, right = yumi.arms
    assert np.allclose(left.home, right.home * MIRROR, atol=1e-6)
    q = np.random.default_rng(3).uniform(right.limits.lower, right.limits.upper)
    for a, b in zip(left.reference_points(q * MIRROR), right.reference_points(q), strict=True):
        assert np.allclose(a, b * [1, -1, 1], atol=1e-12)


def test_reference_points_are_the_centres_of_axes_2_3_and_6(yumi):
    arm = yumi.arms[RIGHT]
    q = arm.home
    shoulder, elbow, wrist = arm.reference_points(q)
    # A centre stays where it is when its own axis turns, and all that turn before it are still.
    for point, axis in ((shoulder, 2), (elbow, 3), (wrist, 6)):
        moved = q.copy()
        moved[AXES.index(axis)] += 0.5
        again = arm.reference_points(moved)[(2, 3, 6).index(axis)]
        assert np.allclose(again, point, atol=1e-12)
    # What a person's are like: upper arm and forearm, wherever the arm is.
    assert 0.24 < np.linalg.norm(elbow - shoulder) < 0.28
    assert 0.24 < np.linalg.norm(wrist - elbow) < 0.32


def test_an_arm_without_reference_points_says_so(yumi, body):
    panda = body.arms[RIGHT]
    with pytest.raises(
        ModelError, match=r"'panda' of 7 joints names 0 as reference.*shoulder, elbow, wrist"
    ):
        panda.reference_points(panda.home)
    short = dataclasses.replace(yumi.arms[RIGHT], reference=(1, 3, 7))
    with pytest.raises(ModelError, match="names three"):
        short.reference_points(short.home)


def test_home_is_free_and_inside(yumi):
    q = np.zeros((2, 8))
    for side, arm in enumerate(yumi.arms):
        assert arm.limits.margin(arm.home) > 0.3
        q[side, :7] = arm.home
    assert Capsules.from_body(yumi).least_gap(q)[0] > 0.03


def test_the_marker_is_on_the_base_and_faces_ahead(yumi):
    marker = yumi.marker
    assert (marker.dictionary, marker.id, marker.size) == ("DICT_APRILTAG_36h11", 7, 0.12)
    assert np.allclose(marker.R[:, 2], [1, 0, 0])
    assert np.isclose(np.linalg.det(marker.R), 1.0)
    geom = yumi.model.geom("marker")
    assert yumi.model.body(geom.bodyid[0]).name == "base"
    assert np.allclose(geom.pos + marker.R[:, 2] * geom.size[2], marker.p)


def test_the_true_shape_needs_the_extra_and_changes_nothing_else(yumi, monkeypatch, tmp_path):
    rig = yumi.rig
    arms = {side: dataclasses.replace(choice, part="yumi-meshes") for side, choice in rig.arms.items()}
    rig = dataclasses.replace(rig, arms=arms, torso=dataclasses.replace(rig.torso, part="yumi-meshes"))
    monkeypatch.setattr(yumi_meshes, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"Install the extra elsewhere\[models\], or take the part 'yumi'"):
        compose(rig)
    # A package with a pyramid for each link stands for it.
    folder = tmp_path / yumi_meshes.FOLDER
    folder.mkdir(parents=True)
    corners = 0.05 * np.array([(0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, -1, 0)])
    for name in ("body", *(f"link_{number}" for number in range(1, 8))):
        with (folder / f"{name}.stl").open("wb") as file:
            file.write(bytes(80) + struct.pack("<I", 4))
            for face in ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)):
                file.write(struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0))
    found = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(yumi_meshes, "find_spec", lambda name: found)
    true = compose(rig)
    assert true.model.nmesh == 15
    for one, other in zip(true.arms, yumi.arms, strict=True):
        assert one.part == other.part
        assert np.array_equal(one.chain.p, other.chain.p)
        assert np.array_equal(one.chain.inertia, other.chain.inertia)
