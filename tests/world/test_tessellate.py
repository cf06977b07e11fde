from __future__ import annotations

from collections import Counter

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.world.tessellate import tessellate

sizes = st.floats(0.01, 1.5)

VOLUMES = {
    "box": lambda a, b, c: 8 * a * b * c,
    "sphere": lambda a, b, c: 4 / 3 * np.pi * a**3,
    "ellipsoid": lambda a, b, c: 4 / 3 * np.pi * a * b * c,
    "cylinder": lambda a, b, c: 2 * np.pi * a**2 * b,
    "capsule": lambda a, b, c: 2 * np.pi * a**2 * b + 4 / 3 * np.pi * a**3,
}


@given(st.sampled_from(sorted(VOLUMES)), sizes, sizes, sizes)
def test_solids_are_closed_face_outwards_and_hold_their_volume(
    kind: str, a: float, b: float, c: float
) -> None:
    shape = tessellate(_model(f'<geom type="{kind}" size="{a} {b} {c}"/>'))
    corners = shape.points.astype(float)[shape.faces]
    # Each edge is shared by two faces that run along it in opposite directions.
    places = np.round(shape.points.astype(float) / 1e-5).astype(int)
    runs = Counter(
        (tuple(places[face[k]]), tuple(places[face[(k + 1) % 3]])) for face in shape.faces for k in range(3)
    )
    assert all(runs[end, start] == count for (start, end), count in runs.items())
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert 0.7 * VOLUMES[kind](a, b, c) < volume < 1.001 * VOLUMES[kind](a, b, c)
    assert np.allclose(np.linalg.norm(shape.normals, axis=1), 1.0, atol=1e-5)
    faced = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", faced, shape.normals[shape.faces].sum(axis=1)) > 0.0).all()


def test_a_mesh_keeps_its_faces() -> None:
    vertices = "0 0 0  1 0 0  0 1 0  0 0 1"
    model = _model('<geom type="mesh" mesh="m"/>', f'<mesh name="m" vertex="{vertices}"/>')
    shape = tessellate(model)
    assert shape.count == 4
    corners = shape.points.astype(float)[shape.faces]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(1 / 6, rel=1e-4)


def test_hidden_groups_are_left_out() -> None:
    model = _model('<geom type="sphere" size="1" group="3"/><geom type="box" size="1 1 1"/>')
    shape = tessellate(model)
    assert shape.geoms.tolist() == [1]
    assert shape.count == 12


def test_an_endless_plane_ends_somewhere() -> None:
    shape = tessellate(_model('<geom type="plane" size="0 0 1"/>'))
    assert shape.count == 2
    assert np.abs(shape.points).max() >= 10.0


def _model(geoms: str, assets: str = "") -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><asset>{assets}</asset><worldbody>{geoms}</worldbody></mujoco>"
    )
