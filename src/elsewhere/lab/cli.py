"""`elsewhere lab`: lists the experiments; `elsewhere lab NAME`: runs one.

Every registered experiment is a sub-command, and its fields are the options.
"""

from __future__ import annotations

import inspect
import json
import signal
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from elsewhere.errors import ElsewhereError, UnknownNameError
from elsewhere.lab.experiment import Experiment, options_of
from elsewhere.lab.registry import experiments, faults
from elsewhere.lab.report import plain, write_report
from elsewhere.lab.terminal import experiments_table, show


def _fail(error: ElsewhereError) -> typing.NoReturn:
    Console(stderr=True).print(f"[red]{error}[/]", highlight=False)
    raise SystemExit(2)


class _Experiments(TyperGroup):
    """A group that answers an unknown name with the valid ones."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that experiment."""
        found = super().get_command(ctx, cmd_name)
        if found is None and not ctx.resilient_parsing:
            _fail(UnknownNameError("experiment", cmd_name, self.commands))
        return found


app = typer.Typer(
    cls=_Experiments,
    name="lab",
    help="Measure: one experiment for each table or figure of a paper.",
    invoke_without_command=True,
    no_args_is_help=False,
)


@app.callback()
def _list(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        console = Console()
        console.print(experiments_table(experiments()))
        for name, reason in faults().items():
            console.print(f"[yellow]{name} is left out: {reason}[/]")


def _command(kind: type[Experiment]) -> Callable[..., None]:
    """The function of one sub-command, with the experiment's fields as its options."""

    def run(**values: Any) -> None:
        as_json, out = values.pop("json"), values.pop("out")
        # Unwind when we are ended from outside, so that no avatar and no browser stay behind.
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        try:
            experiment = kind(**values)
            # Progress goes to the error stream, so that --json leaves one clean object on the other.
            with Console(stderr=True).status(f"{kind.title}…") as status:
                result = experiment.run(status.update)
            page = write_report(out, experiment, result) if out else None
        except ElsewhereError as error:
            _fail(error)
        if as_json:
            typer.echo(json.dumps(plain(result.summary)))
        else:
            console = Console()
            show(console, kind, result)
            if page:
                console.print(f"Report: {page}", highlight=False)

    hints = typing.get_type_hints(kind)
    parameters = [
        _parameter(
            item.name, Annotated[hints[item.name], typer.Option(help=item.metadata["help"])], item.default
        )
        for item in options_of(kind)
    ]
    out_help = "write a page with plots, and its numbers, into this folder"
    parameters += [
        _parameter(
            "json", Annotated[bool, typer.Option("--json", help="print the summary as JSON")], False
        ),
        _parameter(
            "out", Annotated[Path | None, typer.Option("--out", metavar="DIR", help=out_help)], None
        ),
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = f"{kind.question}\n\n{kind.paper}"
    return run


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


for _name, _kind in experiments().items():
    app.command(_name)(_command(_kind))
