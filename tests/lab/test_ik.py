"""The experiment `ik`: its rows, its options, and the order of what it compares."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from elsewhere.errors import RecordingError, UnknownNameError
from elsewhere.lab import hand_path
from elsewhere.lab.cli import app
from elsewhere.lab.experiment import quiet
from elsewhere.lab.floor import reachable
from elsewhere.lab.ik import InverseKinematics, conclude, follow


def cut(path, begin, end):
    return hand_path.HandPath(path.name, path.t[begin:end], path.p[begin:end], path.q[begin:end])


def test_the_floor_is_nothing_in_front_and_all_outside(body):
    a, b = hand_path.stored("A"), hand_path.stored("B")
    assert reachable(body.arms[1], a).all()
    found = reachable(body.arms[1], b)
    outside = b.p[:, 1] < -1.3
    assert outside.mean() > 0.1
    assert not found[outside].any()
    assert found[b.p[:, 1] > -0.6].all()


def test_ours_is_below_both_others_and_comes_back(body):
    path = hand_path.stored("B")
    reach = reachable(body.arms[1], path)
    tracks = [
        follow(body.arms[1], name, "neutral", path, reach) for name in ("scout", "qp", "manipulability")
    ]
    result = conclude(tracks, {})
    ours, qp, mom = result.summary["rows"]
    assert set(ours) >= {"solver", "bias", "path", "m_track", "floor", "us_p50", "us_p99", "after_return"}
    assert ours["m_track"] < min(qp["m_track"], mom["m_track"])
    assert ours["excess"] < 0.07
    assert qp["paper"] == 0.4447
    assert any("holds" in note for note in result.notes)


def test_ours_follows_path_a(body):
    path = hand_path.stored("A")
    track = follow(body.arms[1], "scout", "neutral", path, np.ones(len(path.t), bool))
    assert track.row()["m_track"] <= 0.0013


def test_a_path_of_ones_own_by_the_command_line(tmp_path):
    path = cut(hand_path.stored("A"), 0, 60)
    lines = [",".join(hand_path.COLUMNS)]
    lines += [",".join(str(v) for v in (t, *p, *q)) for t, p, q in zip(path.t, path.p, path.q, strict=True)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(lines))
    arguments = ["ik", "--path", str(file), "--solver", "qp", "--bias", "neutral", "--json"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    (row,) = json.loads(ran.stdout)["rows"]
    assert (row["solver"], row["bias"], row["path"]) == ("qp", "neutral", "mine")
    assert row["m_track"] == row["floor"] == 0.0


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ({"solver": "newton"}, UnknownNameError),
        ({"bias": "elbow"}, UnknownNameError),
        ({"arm": "middle"}, UnknownNameError),
        ({"path": "nowhere.csv"}, RecordingError),
    ],
)
def test_wrong_options_are_refused_in_words(option, error):
    with pytest.raises(error):
        InverseKinematics(**option).run(quiet)
