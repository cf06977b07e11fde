"""The overlay ratio against a per-pixel reference, exact areas, and the rules of edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.lab.overlay_ratio import (
    LEFT_ARM,
    NO_ARM,
    RIGHT_ARM,
    Mesh,
    OverlayView,
    joined,
    overlap,
)
from elsewhere.lab.viewer import Viewer, looking

QUAD = np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def ahead(width=64, height=48, fov_deg=50.0):
    """A camera at the origin whose axes are those of the frame: x right, y down, z forward."""
    return Viewer(np.eye(3), np.zeros(3), fov_deg, width, height)


def rectangle(viewer, left, top, right, bottom, z=1.0, label=LEFT_ARM):
    """A rectangle that covers exactly these columns and rows of the picture."""
    on_screen = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)
    flat = (on_screen - viewer.centre) * z / viewer.focal
    return Mesh.labelled(np.column_stack([flat, np.full(4, z)]), QUAD, label)


def reference(viewer, mesh):
    """Label and 1/z of every pixel: a ray through each centre against each triangle."""
    labels = np.zeros((viewer.height, viewer.width), int)
    nearest = np.zeros(labels.shape)
    columns, rows = np.meshgrid(np.arange(viewer.width) + 0.5, np.arange(viewer.height) + 0.5)
    rays = np.stack([columns - viewer.centre[0], rows - viewer.centre[1]], 2) / viewer.focal
    rays = np.concatenate([rays, np.ones((*labels.shape, 1))], 2)
    points = (mesh.points - viewer.p) @ viewer.R
    for face, label in zip(mesh.faces, mesh.labels, strict=True):
        a, b, c = points[face]
        matrix = np.stack([a, b, c], 1)
        if abs(np.linalg.det(matrix)) < 1e-12:
            continue
        # ray = a u + b v + c w with u, v, w >= 0 passes through the triangle, at 1/z = u + v + w.
        shares = rays @ np.linalg.inv(matrix).T
        inverse = shares.sum(2)
        hit = (shares > 0).all(2) & (inverse > nearest) & (inverse < 1 / 0.05)
        labels[hit], nearest[hit] = label, inverse[hit]
    return labels, nearest


def counted(viewer, robot, human, occlusion=False):
    arm, depth = reference(viewer, robot)
    person, before = reference(viewer, human)
    shown = (person > 0) & (~np.bool_(occlusion) | (arm == 0) | (before >= depth))
    covered = tuple(int((shown & (arm == side)).sum()) for side in (LEFT_ARM, RIGHT_ARM))
    bare = tuple(int((~shown & (arm == side)).sum()) for side in (LEFT_ARM, RIGHT_ARM))
    return covered, bare, int((shown & ((arm == 0) | (arm == NO_ARM))).sum())


def blob(rng, count, spread, z, label):
    points = rng.normal((0.0, 0.0, z), spread, (3 * count, 3))
    return Mesh.labelled(points, np.arange(3 * count).reshape(-1, 3), label)


def test_one_when_the_model_hides_the_arm_and_zero_when_it_is_off_the_picture():
    viewer = ahead()
    arm = rectangle(viewer, 20, 10, 40, 30)
    assert overlap(viewer, arm, rectangle(viewer, 15, 5, 45, 35)).ratio == 1.0
    assert overlap(viewer, arm, rectangle(viewer, 100, 5, 145, 35)).ratio == 0.0
    behind_the_eye = Mesh.labelled(rectangle(viewer, 15, 5, 45, 35).points * (1, 1, -1), QUAD, NO_ARM)
    assert overlap(viewer, arm, behind_the_eye).ratio == 0.0


def test_no_arm_in_view_has_no_ratio():
    viewer = ahead()
    human, trunk = rectangle(viewer, 15, 5, 45, 35), rectangle(viewer, 10, 5, 20, 40, label=NO_ARM)
    found = overlap(viewer, trunk, human)
    assert found.ratio is None
    assert found.arms == (None, None)
    assert found.human == 30 * 30


def test_areas_of_rectangles_are_exact():
    viewer = ahead()
    robot = joined(
        rectangle(viewer, 4, 10, 24, 20, label=LEFT_ARM),
        rectangle(viewer, 40, 10, 60, 20, label=RIGHT_ARM),
        rectangle(viewer, 24, 5, 40, 48, label=NO_ARM),
    )
    found = overlap(viewer, robot, rectangle(viewer, 14, 0, 45, 15))
    assert found.covered == (10 * 5, 5 * 5)
    assert found.bare == (20 * 10 - 50, 20 * 10 - 25)
    assert found.human == 31 * 15 - 75
    assert found.ratio == 75 / 400
    assert found.arms == (50 / 200, 25 / 200)


def test_a_disc_has_the_area_of_a_disc():
    viewer, sides, radius, z = ahead(640, 480), 200, 0.3, 1.5
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(sides, z)])
    fan = np.array([(sides, k, (k + 1) % sides) for k in range(sides)])
    disc = Mesh.labelled(np.vstack([ring, (0, 0, z)]), fan, LEFT_ARM)
    found = overlap(viewer, disc, rectangle(viewer, 0, 0, 320, 480))
    area = np.pi * (viewer.focal * radius / z) ** 2
    assert sum(found.covered) + sum(found.bare) == pytest.approx(area, rel=2e-3)
    assert found.ratio == pytest.approx(0.5, abs=2e-3)


@given(seed=st.integers(0, 10**6), occlusion=st.booleans())
def test_any_triangles_are_counted_as_by_rays(seed, occlusion):
    rng = np.random.default_rng(seed)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    R[:, 2] *= np.linalg.det(R)
    p = rng.normal(size=3)
    viewer = Viewer(R, p, 60.0, 40, 30)

    def moved(mesh):
        return Mesh(mesh.points @ R.T + p, mesh.faces, mesh.labels)

    # Some corners lie behind the eye: those faces are cut at the near plane.
    robot = moved(joined(*(blob(rng, 4, 0.7, 1.2, label) for label in (LEFT_ARM, RIGHT_ARM, NO_ARM))))
    human = moved(blob(rng, 6, 0.7, 1.2, NO_ARM))
    found = overlap(viewer, robot, human, occlusion=occlusion)
    expected = counted(viewer, robot, human, occlusion)
    # A centre may lie on an edge up to rounding; hardly ever.
    assert np.abs(np.subtract((*found.covered, *found.bare), (*expected[0], *expected[1]))).max() <= 1
    assert abs(found.human - expected[2]) <= 1


def test_each_pixel_of_a_triangulated_sheet_is_drawn_once():
    rng = np.random.default_rng(5)
    viewer = ahead(64, 48)
    # Corners on whole and half pixels put centres onto edges and corners, where rules matter.
    columns, rows = np.meshgrid(np.arange(0, 65, 8.0), np.arange(0, 49, 8.0))
    inner = (columns > 0) & (columns < 64) & (rows > 0) & (rows < 48)
    columns[inner] += rng.integers(-6, 7, inner.sum()) / 2
    rows[inner] += rng.integers(-6, 7, inner.sum()) / 2
    screen = np.column_stack([columns.ravel(), rows.ravel()])
    points = np.column_stack([(screen - viewer.centre) / viewer.focal, np.ones(len(screen))])
    wide, faces = columns.shape[1], []
    for j in range(columns.shape[0] - 1):
        for i in range(wide - 1):
            k = j * wide + i
            faces += [(k, k + 1, k + wide + 1), (k + wide + 1, k + wide, k)]
    view, drawn = OverlayView(64, 48), np.zeros((48, 64), int)
    nothing = Mesh.labelled(points, np.zeros((0, 3), int))
    for face in faces:
        view.see_robot(viewer, Mesh.labelled(points, np.array([face]), LEFT_ARM))
        view.over(nothing)
        drawn += view.classes > 0
    assert (drawn == 1).all()


def test_with_occlusion_only_what_is_nearer_hides():
    viewer = ahead()
    arm = rectangle(viewer, 20, 10, 40, 30, z=1.0)
    behind = rectangle(viewer, 10, 5, 50, 35, z=2.0)
    assert overlap(viewer, arm, behind).ratio == 1.0
    found = overlap(viewer, arm, behind, occlusion=True)
    assert found.ratio == 0.0
    assert found.human == 40 * 30 - 20 * 20
    assert overlap(viewer, arm, rectangle(viewer, 10, 5, 50, 35, z=0.5), occlusion=True).ratio == 1.0


def test_an_arm_behind_the_robots_trunk_is_no_arm_pixel():
    viewer = ahead()
    robot = joined(
        rectangle(viewer, 0, 10, 40, 20, z=2.0, label=LEFT_ARM),
        rectangle(viewer, 20, 0, 64, 48, z=1.0, label=NO_ARM),
    )
    found = overlap(viewer, robot, rectangle(viewer, 0, 0, 10, 48))
    assert (found.covered[0], found.bare[0]) == (100, 100)


def test_numbers_that_are_none_draw_nothing():
    viewer = ahead()
    human = rectangle(viewer, 10, 5, 50, 35)
    human.points[1] = np.nan
    found = overlap(viewer, rectangle(viewer, 20, 10, 40, 30), human)
    assert found.human <= 40 * 30  # and no crash, no stray memory


def test_the_picture_has_the_colours_of_the_paper():
    viewer = ahead()
    view = OverlayView(viewer.width, viewer.height)
    view.see_robot(viewer, rectangle(viewer, 20, 10, 40, 30))
    view.over(rectangle(viewer, 10, 5, 30, 35))
    picture = view.picture()
    strongest = {"green": picture[20, 25], "red": picture[20, 35], "blue": picture[7, 15]}
    assert [int(np.argmax(colour)) for colour in strongest.values()] == [1, 0, 2]


def test_a_viewer_looks_where_it_is_told():
    eye, target = np.array([2.0, 0.5, 1.4]), np.array([0.0, 0.0, 1.0])
    R = looking(eye, target)
    assert np.allclose(R.T @ R, np.eye(3))
    assert np.linalg.det(R) == pytest.approx(1.0)
    seen = R.T @ (target - eye)
    assert np.allclose(seen[:2], 0.0)
    assert seen[2] > 0
    assert (R.T @ (0, 0, 1.0))[1] < 0  # up is up
