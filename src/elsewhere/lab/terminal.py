"""Experiments and results as tables in a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from elsewhere.lab.experiment import Experiment, Result
from elsewhere.lab.statistics import Row


def experiments_table(kinds: Mapping[str, type[Experiment]]) -> Table:
    """Every experiment with its question and its paper."""
    table = Table(title="Experiments", title_justify="left", caption="elsewhere lab NAME --help")
    for column in ("name", "question", "paper"):
        table.add_column(column, no_wrap=column == "name")
    for name, kind in kinds.items():
        table.add_row(name, kind.question, kind.paper)
    return table


def rows_table(title: str, rows: tuple[Row, ...]) -> Table:
    """Ours beside what is asked."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("ours", justify="right")
    table.add_column("asked", justify="right")
    table.add_column("met")
    table.add_column("source")
    for row in rows:
        style = {None: "", True: "green", False: "red"}[row.met]
        met = f"[{style}]{row.met_text}[/]" if style else ""
        table.add_row(row.what, row.ours_text, row.asked_text, met, row.source)
    return table


def show(console: Console, kind: type[Experiment], result: Result) -> None:
    """A whole result."""
    console.print(rows_table(kind.title, result.rows))
    for note in result.notes:
        console.print(f"[dim]{note}[/]")
