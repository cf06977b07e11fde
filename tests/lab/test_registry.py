"""Experiments by name, and their command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from elsewhere.errors import LinkError, UnknownNameError
from elsewhere.lab import registry
from elsewhere.lab.cli import _command, app
from elsewhere.lab.experiment import Experiment, Progress, Result, option, options_of
from elsewhere.lab.statistics import Row


@dataclass(frozen=True)
class Coin(Experiment):
    title = "A fair coin"
    question = "How often does it show heads?"
    paper = "Bernoulli, 1713"

    throws: int = option(10, "how often to throw")
    bias: float = option(0.5, "how likely heads are")
    broken: bool = option(False, "fail")

    def run(self, progress: Progress) -> Result:
        progress("throwing")
        if self.broken:
            raise LinkError("The coin is lost. Bring another.")
        heads = self.bias * self.throws
        return Result(rows=(Row("heads", heads, asked=5.0),), summary={"heads": heads, "bad": float("nan")})


class Abstract(Experiment):
    """Has no options and no run."""


@pytest.fixture(autouse=True)
def _restore(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_experiments", dict(registry._experiments))
    monkeypatch.setattr(registry, "_faults", {})


def commands() -> Typer:
    own = Typer()
    own.command("coin")(_command(Coin))
    own.command("other")(lambda: None)
    return own


def test_latency_is_built_in() -> None:
    assert "latency" in registry.experiments()
    assert registry.find_experiment("latency").question


def test_unknown_names_list_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'latency'\? Valid: .*latency"):
        registry.find_experiment("latensy")


def test_registering_gives_the_name() -> None:
    assert registry.experiment("coin")(Coin).name == "coin"
    assert registry.find_experiment("coin") is Coin


def test_packages_add_experiments_and_a_broken_one_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(group: str) -> list[EntryPoint]:
        return [
            EntryPoint("coin", f"{__name__}:Coin", group),
            EntryPoint("ghost", "no_such_module_anywhere:Ghost", group),
        ]

    monkeypatch.setattr(registry, "entry_points", found)
    assert registry.experiments()["coin"].title == Coin.title
    assert "no_such_module_anywhere" in registry.faults()["ghost"]


def test_every_experiment_says_what_it_asks_and_explains_its_options() -> None:
    for name, kind in registry.experiments().items():
        assert kind.name == name
        assert kind.title
        assert kind.question
        assert all(item.metadata.get("help") for item in options_of(kind))
        kind()  # every option has a default


def test_fields_become_options() -> None:
    assert [item.name for item in options_of(Coin)] == ["throws", "bias", "broken"]
    assert options_of(Abstract) == []
    shown = CliRunner().invoke(commands(), ["coin", "--help"], env={"COLUMNS": "120"})
    assert shown.exit_code == 0
    for word in ("--throws", "--bias", "how likely heads are", "--json", "--out", "Bernoulli"):
        assert word in shown.output


def test_json_is_one_clean_object() -> None:
    done = CliRunner().invoke(commands(), ["coin", "--throws", "8", "--bias", "0.25", "--json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {"heads": 2.0, "bad": None}


def test_without_json_a_table_is_shown_and_out_writes_a_page(tmp_path: Path) -> None:
    registry.experiment("coin")(Coin)
    done = CliRunner().invoke(commands(), ["coin", "--out", str(tmp_path / "deep" / "folder")])
    assert done.exit_code == 0
    assert "heads" in done.stdout
    assert (tmp_path / "deep" / "folder" / "coin.html").is_file()
    assert (tmp_path / "deep" / "folder" / "coin.json").is_file()


def test_errors_for_people_end_with_code_2() -> None:
    done = CliRunner().invoke(commands(), ["coin", "--broken"])
    assert done.exit_code == 2
    assert "The coin is lost." in done.stderr


def test_the_lab_lists_experiments_and_refuses_unknown_ones() -> None:
    shown = CliRunner().invoke(app, [], env={"COLUMNS": "120"})
    assert shown.exit_code == 0
    assert "latency" in shown.output
    refused = CliRunner().invoke(app, ["latensy"])
    assert refused.exit_code == 2
    assert "Did you mean 'latency'?" in refused.stderr
