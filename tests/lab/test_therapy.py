"""The exercise: one session for every solver, which can be kept and gives the same numbers again."""

from __future__ import annotations

import json

import pytest

from elsewhere.lab.experiment import quiet
from elsewhere.lab.poses import Poses
from elsewhere.lab.report import plain, svg
from elsewhere.lab.therapy import Therapy


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("therapy") / "session.npz"


@pytest.fixture(scope="module")
def result(kept):
    return Therapy(frames=30, save=str(kept)).run(quiet)


def test_every_solver_has_means_and_rows(result):
    means = result.summary["means"]
    assert set(means) == {"onia", "dls", "fabrik", "bounded", "together"}
    assert len(result.summary["rows"]) == 5 * 30 * 2
    for each in means.values():
        assert 0.5 < each["overlay"] <= 1.0
        assert each["dropped_frames"] == 0
        assert each["seconds"] > 0
    json.dumps(plain(result.summary))


def test_bounds_and_exactness(result):
    means = result.summary["means"]
    assert max(means["onia"]["elbow_off_most"], means["onia"]["wrist_off_most"]) < 1e-9
    assert means["bounded"]["stretch_least"] >= 0.8 - 1e-9
    assert means["bounded"]["stretch_most"] <= 1.3 + 1e-9
    assert means["onia"]["overlay"] - means["bounded"]["overlay"] <= 0.02
    assert means["dls"]["elbow_off"] > 0.005


def test_a_kept_session_gives_the_same_numbers(result, kept):
    again = Therapy(frames=30, solver="onia", recording=str(kept)).run(quiet).summary["means"]["onia"]
    first = result.summary["means"]["onia"]
    for name in ("overlay", "overlay_left", "stretch_upper", "share_over_limit"):
        assert again[name] == first[name]


def test_another_seed_is_another_head(result):
    other = Therapy(frames=3, solver="onia", seed=9).run(quiet).summary["means"]["onia"]
    first = Therapy(frames=3, solver="onia").run(quiet).summary["means"]["onia"]
    assert other["overlay"] != first["overlay"]
    assert other["stretch_upper"] == first["stretch_upper"]


def test_still_poses_of_a_session_are_found(kept):
    found = Poses(recording=str(kept), solver="onia", others=False).run(quiet).summary
    # The exercise waits at its first pose, and whenever the arms are up or folded.
    assert len(found["rows"]) >= 6
    assert all(row["pose"].endswith(" s") for row in found["rows"])


def test_curves_and_key_frames_can_be_drawn(result):
    assert len(result.plots) == 10
    assert svg(result.plots[0]).startswith("<svg")
    assert len(result.pictures[0].images) == 5
    assert result.pictures[0].png.startswith(b"\x89PNG")
