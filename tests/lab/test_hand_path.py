"""The two hand paths: what is stored is what their seeds give; files of others are checked."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.errors import RecordingError
from elsewhere.lab import hand_path

HEAD = ",".join(hand_path.COLUMNS) + "\n"
GOOD = "0,0.5,0,1,1,0,0,0\n0.008,0.5,0,1,1,0,0,0\n"


@pytest.mark.parametrize("name", ["A", "B"])
def test_the_stored_path_is_the_one_of_its_seed(name):
    stored, made = hand_path.stored(name), hand_path.make(name)
    assert np.allclose(stored.t, made.t)
    assert np.allclose(stored.p, made.p, atol=2e-5)
    assert np.allclose(stored.q, made.q, atol=3e-5)
    assert (hand_path.FOLDER / f"{name}.csv.gz").stat().st_size < 300_000


def test_a_stays_in_front_at_a_persons_pace_and_b_leaves_at_eight_metres_a_second():
    a, b = hand_path.stored("A"), hand_path.stored("B")
    assert len(a.t) == len(b.t) == 7500
    assert a.dt == b.dt == pytest.approx(1 / 125)
    assert 1.0 < a.top_speed < 2.1
    assert 7.5 < b.top_speed < 8.1
    assert a.p[:, 1].min() > -0.6
    assert b.p[:, 1].min() < -1.3


def test_writing_and_reading_gives_the_same(tmp_path):
    path = hand_path.stored("A")
    hand_path.write(path, tmp_path / "again.csv.gz")
    again = hand_path.read(tmp_path / "again.csv.gz", "A")
    assert np.allclose(again.p, path.p, atol=1e-9)
    assert again.mirrored().mirrored().p.tobytes() == again.p.tobytes()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "first line"),
        ("x,y\n1,2\n", "first line"),
        (HEAD + "0,0.5,0,1,1,0,0\n", "at least 2 lines of 8"),
        (HEAD + GOOD + "0.016,a,0,1,1,0,0,0\n", "numbers"),
        (HEAD + GOOD + "0.016,1,1\n", "numbers"),
        (HEAD + GOOD + "0.016,nan,0,1,1,0,0,0\n", "line 4 .* not finite"),
        (HEAD + GOOD + "0.5,0.5,0,1,1,0,0,0\n", "equal steps"),
        (HEAD + GOOD + "0.004,0.5,0,1,1,0,0,0\n", "equal steps"),
        (HEAD + GOOD + "0.016,0.5,0,1,2,0,0,0\n", "length 2.000"),
    ],
)
def test_bad_files_are_refused_in_words(tmp_path, text, says):
    file = tmp_path / "path.csv"
    file.write_text(text)
    with pytest.raises(RecordingError, match=says):
        hand_path.read(file)
