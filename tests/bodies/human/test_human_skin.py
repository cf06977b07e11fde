"""Skinning against a plain NumPy reference, and pictures."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.bodies.human.make import make_human
from elsewhere.bodies.human.picture import FRONT, shaded
from elsewhere.bodies.human.skin import skinned


@pytest.fixture(scope="module")
def human():
    return make_human(1.6, "female")


def reference(human, matrices):
    mesh = human.mesh
    blend = np.einsum("nk,nkij->nij", mesh.skin_weights, matrices[mesh.skin_joints])
    vertices = np.einsum("nij,nj->ni", blend[:, :3, :3], mesh.vertices) + blend[:, :3, 3]
    normals = np.einsum("nij,nj->ni", np.linalg.inv(blend[:, :3, :3]).transpose(0, 2, 1), mesh.normals)
    return vertices, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def test_skinning_equals_the_reference(human):
    rng = np.random.default_rng(4)
    matrices = np.tile(np.eye(4), (len(human.joints), 1, 1))
    # Near the identity, so that every blend keeps its orientation.
    matrices[:, :3] += 0.15 * rng.standard_normal((len(human.joints), 3, 4))
    vertices, normals = skinned(human, matrices)
    expected, expected_normals = reference(human, matrices)
    np.testing.assert_allclose(vertices, expected, atol=1e-9)
    np.testing.assert_allclose(normals, expected_normals, atol=1e-9)


def test_given_arrays_are_written_to(human):
    out = np.empty_like(human.mesh.vertices), np.empty_like(human.mesh.normals)
    result = skinned(human, np.tile(np.eye(4), (len(human.joints), 1, 1)), out)
    assert result[0] is out[0]
    np.testing.assert_allclose(out[0], human.mesh.vertices, atol=1e-12)


def test_a_picture_shows_the_body_where_it_is(human):
    mesh = human.mesh
    picture = shaded(
        mesh.vertices, mesh.normals, mesh.triangles, mesh.colours, FRONT, (0, 0, 0.8), 200, 200, 100.0
    ).astype(int)
    covered = (np.abs(picture - picture[0, 0]) > 8).any(axis=2)
    # 100 pixels a metre: the silhouette is as tall and as wide as the body, and the legs leave a gap.
    assert np.flatnonzero(covered.any(axis=1)).size == pytest.approx(100 * human.height, abs=2)
    assert np.flatnonzero(covered.any(axis=0)).size == pytest.approx(
        100 * np.ptp(mesh.vertices[:, 1]), abs=2
    )
    assert covered[100, 100]
    assert not covered[20, 20]
