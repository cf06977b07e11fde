"""`elsewhere human`: make, import, show; bad input is one sentence and exit code 2."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from elsewhere.cli import app

runner = CliRunner()


def words(result) -> str:
    return " ".join((result.output + (result.stderr if result.stderr_bytes else "")).split())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("human") / "human.glb"
    result = runner.invoke(
        app, ["human", "make", "--stature", "1.68", "--sex", "female", "--out", str(path)]
    )
    assert result.exit_code == 0, result.output
    assert "triangles" in result.output
    return path


def test_a_made_human_is_imported_and_shown(made, tmp_path):
    out, picture = tmp_path / "again.glb", tmp_path / "annotate.png"
    result = runner.invoke(
        app, ["human", "import", str(made), "--out", str(out), "--picture", str(picture)]
    )
    assert result.exit_code == 0, result.output
    assert "left_forearm" in result.output
    assert out.stat().st_size > 100_000
    assert picture.stat().st_size > 10_000
    shown = runner.invoke(app, ["human", "show", str(out)])
    assert shown.exit_code == 0
    assert "female adult, 1.68 m" in words(shown)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["make", "--stature", "175"], "in metres"),
        (["make", "--sex", "x"], "Valid: female, male, neutral"),
        (["import", "none.glb"], "There is no file 'none.glb'"),
        (["show", "nobody"], "There is no human 'nobody'"),
    ],
)
def test_bad_input(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = runner.invoke(app, ["human", *arguments])
    assert result.exit_code == 2
    assert sentence in words(result)
    assert not list(tmp_path.iterdir())


def test_a_direction_must_be_three_numbers(made):
    result = runner.invoke(app, ["human", "import", str(made), "--elbow-axis", "0,1"])
    assert result.exit_code == 2
    assert "three numbers" in words(result)
