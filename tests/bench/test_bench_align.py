"""The comparison of alignment solvers: its stream, and what it tells."""

from __future__ import annotations

import json

import numpy as np

from bench import align


def test_the_stream_is_smooth_and_comes_back():
    rows = align.stream()
    path = np.vstack([rows, rows[:1]])[:, :6]
    assert np.linalg.norm(np.diff(path, axis=0)[:, :3], axis=1).max() < 0.02
    assert np.linalg.norm(np.diff(path, axis=0)[:, 3:], axis=1).max() < 0.04
    hands = rows[:, 6:15].reshape(-1, 3, 3)
    assert np.abs(hands @ hands.transpose(0, 2, 1) - np.eye(3)).max() < 1e-12
    assert np.abs(np.diff(hands, axis=0)).max() < 0.2


def test_all_solvers_are_told(capsys):
    result = align.compare(1, lambda text: None)
    rows = {row["solver"]: row for row in result["rows"]}
    assert set(rows) == set(align.NAMES)
    assert set(result["over_onia"]) == {"bounded", "dls", "fabrik"}
    assert json.loads(json.dumps(result)) == result
    assert rows["onia"]["elbow_mm_mean"] < 1e-9 > rows["onia"]["wrist_mm_mean"]
    for name in ("bounded", "dls", "fabrik"):
        assert 0.8 - 1e-9 <= rows[name]["stretch_least"] <= rows[name]["stretch_most"] <= 1.3 + 1e-9
    # What the defaults of the baselines promise on this stream.
    assert rows["dls"]["wrist_mm_mean"] < 2.0
    assert rows["fabrik"]["wrist_mm_mean"] < 25.0
    align.show(result)
    assert "fabrik" in capsys.readouterr().out
