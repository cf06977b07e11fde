"""The made human: measures, skeleton, a closed and symmetric surface, smooth weights, annotations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from elsewhere.bodies.human.anthropometry import ANSUR, SHARES, measures
from elsewhere.bodies.human.helpers import TWIST_SHARES
from elsewhere.bodies.human.human import DIGITS, SIDES, Human
from elsewhere.bodies.human.load import load_human
from elsewhere.bodies.human.make import make_human
from elsewhere.bodies.human.mesh import signed_volume, unpaired_edges, vertex_normals
from elsewhere.bodies.human.surface import perimeter
from elsewhere.bodies.human.trunk import trunk_profile
from elsewhere.errors import ElsewhereError, ModelError, UnknownNameError

BODIES = [(1.75, "neutral", 1.0), (1.55, "female", 0.9), (1.95, "male", 1.2)]


@cache
def human(stature: float = 1.75, sex: str = "neutral", build: float = 1.0) -> Human:
    return make_human(stature, sex, build)


def dense(body: Human) -> np.ndarray:
    table = np.zeros((len(body.mesh.vertices), len(body.joints)))
    rows = np.arange(len(table))[:, None]
    np.add.at(table, (rows, body.mesh.skin_joints), body.mesh.skin_weights)
    return table


def mirrored_index(body: Human) -> np.ndarray:
    swap = {"left": "right", "right": "left"}
    names = [joint.name.split("_", 1) for joint in body.joints]
    return np.array([body.joint("_".join([swap.get(n[0], n[0]), *n[1:]])) for n in names])


@pytest.mark.parametrize("body", BODIES)
def test_the_surface_is_closed_outward_and_of_the_right_size(body):
    mesh = human(*body).mesh
    assert unpaired_edges(mesh.triangles) == 0
    assert 5_000 <= len(mesh.triangles) <= 15_000
    # The mean man of the survey weighs 85.5 kg at 1.756 m and has about the density of water: 0.0158 of the
    # cube of his stature. Clothes, hair and the overlap of the pieces add some.
    volume = signed_volume(mesh.vertices, mesh.triangles) / (body[0] ** 3 * body[2] ** 2)
    assert 0.0140 < volume < 0.0200
    normals = vertex_normals(mesh.vertices, mesh.triangles)
    np.testing.assert_allclose(normals, mesh.normals, atol=1e-12)
    assert len(np.unique(mesh.triangles)) == len(mesh.vertices)


def test_every_piece_of_the_surface_faces_outward():
    mesh = human().mesh
    piece = np.arange(len(mesh.vertices))
    while True:
        least = piece[mesh.triangles].min(axis=1)
        before = piece.copy()
        for k in range(3):
            np.minimum.at(piece, mesh.triangles[:, k], least)
        if (piece == before).all():
            break
    roots = np.unique(piece)
    assert len(roots) > 5  # body, eyes, brows, ears, mouth, hair, soles
    for root in roots:
        chosen = mesh.triangles[piece[mesh.triangles[:, 0]] == root]
        middle = mesh.vertices[np.unique(chosen)].mean(axis=0)
        assert signed_volume(mesh.vertices - middle, chosen) > 0.0


def test_an_open_surface_is_noticed():
    triangles = human().mesh.triangles
    assert unpaired_edges(triangles[1:]) == 3
    turned = triangles.copy()
    turned[0] = turned[0, ::-1]
    assert unpaired_edges(turned) > 0


@pytest.mark.parametrize("body", BODIES)
def test_left_and_right_are_the_same(body):
    made = human(*body)
    mesh = made.mesh
    places = {tuple(np.round(v, 9) + 0.0): i for i, v in enumerate(mesh.vertices)}
    twin = [places[tuple(np.round(v * (1, -1, 1), 9) + 0.0)] for v in mesh.vertices]
    table = dense(made)
    np.testing.assert_allclose(table, table[twin][:, mirrored_index(made)], atol=1e-9)
    np.testing.assert_array_equal(mesh.colours, mesh.colours[twin])
    np.testing.assert_allclose(made.rest, made.rest[mirrored_index(made)] * (1, -1, 1), atol=1e-12)


def test_weights_are_a_smooth_partition_of_one():
    made = human()
    weights = made.mesh.skin_weights
    assert weights.shape == (len(made.mesh.vertices), 4)
    assert (weights >= 0.0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    table = dense(made)
    for helper in made.helpers:  # what a bone and its helpers have together
        table[:, made.joint(f"{SIDES[helper.side]}_{helper.bone}")] += table[:, helper.joint]
        table[:, helper.joint] = 0.0
    edges = made.mesh.triangles[:, [0, 1]]
    change = np.abs(table[edges[:, 0]] - table[edges[:, 1]]).max(axis=1)
    # Over no edge a joint takes over at once; nearly everywhere the change is less than a half.
    assert change.max() < 0.75
    assert np.quantile(change, 0.99) < 0.45


def test_the_skeleton_has_the_promised_joints_with_parents_first():
    made = human()
    names = {joint.name for joint in made.joints}
    wanted = {"hips", "spine", "chest", "neck", "head"}
    for side in SIDES:
        wanted |= {
            f"{side}_{n}" for n in ("shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot")
        }
        wanted |= {f"{side}_{digit}_{k}" for digit in DIGITS for k in (1, 2, 3)}
    assert wanted <= names
    helpers = {made.joints[helper.joint].name for helper in made.helpers}
    assert names - wanted == helpers
    assert len(helpers) == 2 * (1 + sum(map(len, TWIST_SHARES.values())))
    hip = 0.5 * (made.rest[made.joint("left_thigh")] + made.rest[made.joint("right_thigh")])
    np.testing.assert_allclose(hip[:2], 0.0, atol=1e-12)
    assert made.mesh.vertices[:, 2].min() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("body", BODIES)
def test_lengths_are_shares_of_the_stature(body):
    made, stature = human(*body), body[0]
    for arm in made.arms:
        assert np.linalg.norm(arm.upper) == pytest.approx(SHARES["upper_arm"] * stature)
        assert np.linalg.norm(arm.fore) == pytest.approx(SHARES["forearm"] * stature)
    span = made.mesh.vertices[:, 1].max()
    wrist = made.arms[0].wrist[1]
    assert span - wrist == pytest.approx(SHARES["hand"] * stature, rel=0.02)
    # The hair stands over the crown by 1 to 3 cm.
    assert 0.005 < made.height - stature < 0.04


def test_girths_are_those_of_the_survey():
    m = measures(1.756, "male")
    assert m.girths.chest == pytest.approx(ANSUR["male"].chest)
    ring = trunk_profile(m).ring(0.735 * m.stature, np.linspace(0, 2 * np.pi, 400))
    girth = np.linalg.norm(np.diff(ring, axis=0), axis=1).sum()
    assert girth == pytest.approx(m.girths.chest, rel=0.002)
    assert perimeter(1.0, 1.0, 1.0, 2.0) == pytest.approx(2 * np.pi, rel=1e-3)
    wide = measures(1.756, "male", 1.2).girths
    assert wide.waist == pytest.approx(1.2 * ANSUR["male"].waist)
    assert wide.head == pytest.approx(ANSUR["male"].head)


def test_annotations_of_the_arms_and_hands():
    made = human()
    for arm, frame, out in zip(made.arms, made.hand_frames, (1.0, -1.0), strict=True):
        # Palms down, elbows flex forwards: turning the forearm by +90 degrees makes it point forward.
        np.testing.assert_allclose(np.cross(arm.elbow_axis, arm.fore)[0], np.linalg.norm(arm.fore))
        np.testing.assert_allclose(arm.wrist_vector, (0, 0, -1))
        np.testing.assert_allclose(frame[:, 0], (0, out, 0), atol=1e-12)
        np.testing.assert_allclose(frame[:, 2], -arm.wrist_vector, atol=1e-12)
        assert np.linalg.det(frame) == pytest.approx(1.0)
    for side, fingers in enumerate(made.fingers):
        assert [finger.digit for finger in fingers] == list(DIGITS)
        assert [finger.group for finger in fingers] == [0, 1, 2, 2, 2]
        for finger in fingers:
            np.testing.assert_allclose(np.linalg.norm(finger.axes, axis=1), 1.0)
            assert sum(finger.shares) == pytest.approx(1.0)
            tip = made.rest[finger.joints[2]] - made.rest[finger.joints[1]]
            moved = np.cross(finger.axes[1], tip)
            assert moved @ made.arms[side].wrist_vector > 0.0, "closing must lead to the palm"


def test_thumbs_point_forward_and_hands_lie_flat():
    made = human()
    for side in SIDES:
        hand, thumb = (made.rest[made.joint(f"{side}_{n}")] for n in ("hand", "thumb_3"))
        assert thumb[0] > hand[0] + 0.03
        knuckles = [made.rest[made.joint(f"{side}_{digit}_1")] for digit in DIGITS[1:]]
        assert np.ptp([k[2] for k in knuckles]) < 1e-9
        assert (np.diff([k[0] for k in knuckles]) < -0.01).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"stature": 175.0}, "in metres"),
        ({"stature": float("nan")}, "outside"),
        ({"build": 9.0}, "build"),
        ({"sex": "mael"}, "Did you mean 'male'"),
    ],
)
def test_wrong_measures_are_refused(arguments, words):
    with pytest.raises(ElsewhereError, match=words):
        make_human(**arguments)


def test_ready_humans_by_name(tmp_path):
    assert load_human("woman").height < load_human("man").height
    with pytest.raises(UnknownNameError, match="adult, man, woman"):
        load_human("adlut")
    with pytest.raises(ModelError, match="There is no file"):
        load_human(tmp_path / "nobody.glb")
    with pytest.raises(UnknownNameError, match="left_hand"):
        human().joint("left_hnad")
