"""The `elsewhere` command."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
import time
import webbrowser
from collections.abc import Coroutine, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from elsewhere.errors import ElsewhereError
from elsewhere.human_cli import app as human_app
from elsewhere.rig import load_rig, rig_names

if TYPE_CHECKING:
    from elsewhere.motion.script import Script
    from elsewhere.server.overlay_motion import MotionServer

os.environ.setdefault("MUJOCO_GL", "egl")

app = typer.Typer(
    name="elsewhere",
    help="An open robot-avatar system: see, touch, move and speak through a robot at another place.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(human_app, name="human")
console = Console()
errors = Console(stderr=True)


class OperatorChoice(StrEnum):
    """Who drives."""

    browser = "browser"
    scripted = "scripted"


@contextlib.contextmanager
def _said_plainly() -> Iterator[None]:
    """Turn an error made for people into one sentence and exit code 2."""
    try:
        yield
    except ElsewhereError as error:
        errors.print(f"[bold red]✗[/] {error}", highlight=False)
        raise typer.Exit(2) from None


@app.command()
def run(
    rig: Annotated[str, typer.Argument(help="a ready rig by name, or a rig file (.toml)")] = "commodity",
    port: Annotated[int, typer.Option(help="port of the operator's page; 0 takes any free one")] = 8765,
    host: Annotated[
        str, typer.Option(help="address to listen on; others than this machine need the key")
    ] = "127.0.0.1",
    seed: Annotated[int | None, typer.Option(help="seed of the scene", min=0)] = None,
    operator: Annotated[OperatorChoice, typer.Option(help="who drives")] = OperatorChoice.browser,
    task: Annotated[
        str, typer.Option(help="what the scripted operator does: block, peg, lever or all")
    ] = "block",
    script: Annotated[
        str, typer.Option(help="what the arms do: poses, therapy, wave, or a script file (.toml)")
    ] = "",
    seconds: Annotated[float, typer.Option(help="stop after this long; 0 runs until Ctrl+C")] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="print the outcome as JSON")] = False,
    record: Annotated[bool, typer.Option(help="record the session")] = True,
    stamp: Annotated[
        bool, typer.Option(help="write the frame number into the picture (for measuring)")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="open the page in a browser")] = False,
) -> None:
    """Start an avatar and serve its page."""
    from elsewhere.bodies.compose import compose
    from elsewhere.host import Host
    from elsewhere.motion.script import check_script, load_script
    from elsewhere.operator.scripts import find_tasks
    from elsewhere.scripted_run import SECONDS_A_TASK, drive

    async def main() -> int:
        started = time.monotonic()
        talk = errors if as_json else console
        ending = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, ending.set)
        talk.print(f"Starting [bold]{chosen.title or chosen.name}[/] …", highlight=False)
        async with Host(chosen, host=host, port=port, seed=seed, record=record, stamp=stamp) as avatar:
            talk.print(f"Ready in {time.monotonic() - started:.1f} s.", highlight=False)
            talk.print(
                f"\n  Open [bold cyan]{avatar.url}[/] in a browser.  Ctrl+C ends.\n", highlight=False
            )
            if avatar.overlay_url:
                talk.print(f"  The overlay: [bold cyan]{avatar.overlay_url}[/]\n", highlight=False)
            if avatar.recorder:
                talk.print(f"  Recording to {chosen.recording.folder}/", highlight=False)
            for notice in avatar.supervisor.notices():
                talk.print(f"  [yellow]Note:[/] {notice}", highlight=False)
            if open_page:
                webbrowser.open(avatar.url)
            if operator is OperatorChoice.scripted:
                outcome = await drive(
                    avatar.url,
                    seconds or SECONDS_A_TASK * len(tasks),
                    lambda text: talk.print(f"  {text}", highlight=False),
                    tasks,
                )
                if as_json:
                    print(json.dumps(outcome.as_dict()))
                else:
                    word = "[green]completed[/]" if outcome.completed else "[red]not completed[/]"
                    talk.print(f"{word} after {outcome.seconds} s", highlight=False)
                return 0 if outcome.completed else 1
            if programme:
                done = await _play(avatar.server.motion, programme, ending)
                if as_json:
                    print(json.dumps(avatar.server.motion.status()))
                    return 0 if done else 1
                talk.print(f"  {programme.title}: {'done' if done else 'ended'}", highlight=False)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), seconds or None)
            talk.print("Ending …", highlight=False)
        return 0

    with _said_plainly():
        chosen, tasks = load_rig(rig), find_tasks(task)
        programme = load_script(script) if script else None
        if programme:
            check_script(programme, compose(chosen))  # a mistake is said before anything starts
        logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
        raise typer.Exit(_run(main()))


async def _play(motion: MotionServer, script: Script, ending: asyncio.Event) -> bool:
    """Play a script to its end, or to the first Ctrl+C. Raises ScriptError."""
    motion.play(script)
    ways = [asyncio.ensure_future(motion.finished()), asyncio.ensure_future(ending.wait())]
    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    ways[1].cancel()
    if ending.is_set():
        motion.end()
        ways[0].cancel()
        return False
    await ways[0]
    return True


def _run(main: Coroutine[Any, Any, int]) -> int:
    """Run the event loop: uvloop's where it is installed, which carries packets at half the cost."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


@app.command()
def rigs() -> None:
    """List the ready rigs, and the parts and mounts that a rig may name."""
    from elsewhere.bodies.mounts import ARM_MOUNTS, HAND_MOUNTS, OWN_ARM_MOUNTS, OWN_HAND_MOUNTS
    from elsewhere.bodies.registry import KINDS, part_names

    table = Table("rig", "title", box=None, header_style="bold")
    for name in rig_names():
        table.add_row(name, load_rig(name).title)
    console.print(table)
    parts = Table("kind", "parts", box=None, header_style="bold")
    for kind in KINDS:
        parts.add_row(kind, ", ".join(part_names(kind)))
    parts.add_row("arm mounts", ", ".join((*ARM_MOUNTS, *OWN_ARM_MOUNTS)))
    parts.add_row("hand mounts", ", ".join((*HAND_MOUNTS, *OWN_HAND_MOUNTS)))
    console.print()
    console.print(parts)


@app.command()
def info(
    file: Annotated[Path, typer.Argument(help="a recording (.mcap)")],
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
) -> None:
    """Say what a recording holds."""
    from elsewhere.record.info import describe, render

    with _said_plainly():
        facts = describe(file)
        if as_json:
            print(json.dumps(facts))
        else:
            console.print(render(facts))


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="a recording (.mcap)")],
    as_json: Annotated[bool, typer.Option("--json", help="print as JSON")] = False,
) -> None:
    """Run a recording through the same tick and compare every command to the last bit."""
    from elsewhere.record.replay import replay_session

    with _said_plainly():
        with errors.status("Replaying …"):
            result = replay_session(file)
        if as_json:
            print(json.dumps(result.as_dict()))
        elif result.identical:
            console.print(
                f"[green]Identical[/]: {result.ticks} ticks, every command equal to the last bit."
            )
        else:
            console.print(
                f"[red]Different[/]: {result.ticks - result.equal} of {result.ticks} commands, "
                f"first at tick {result.first_difference}, "
                f"by up to {result.largest_torque_difference:.3g} N m."
            )
        if result.skipped and not as_json:
            console.print(f"{result.skipped} ticks before the first snapshot or after a gap were left out.")
        raise typer.Exit(0 if result.identical else 1)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="a recording (.mcap)")],
    csv: Annotated[bool, typer.Option("--csv", help="one CSV for each stream")] = False,
    video: Annotated[bool, typer.Option("--video", help="the video as MP4")] = False,
    out: Annotated[
        Path | None, typer.Option(help="folder to write to; default: beside the recording")
    ] = None,
    every: Annotated[int, typer.Option(help="keep every n-th tick", min=1)] = 1,
) -> None:
    """Write a recording as CSV tables or as a video."""
    from elsewhere.record.export import export_csv, export_video

    with _said_plainly():
        if not (csv or video):
            raise ElsewhereError("Nothing to export was named. Give --csv, --video or both.")
        folder = out or file.with_suffix("")
        folder.mkdir(parents=True, exist_ok=True)
        if csv:
            for path in export_csv(file, folder, every=every):
                console.print(path, highlight=False)
        if video:
            target = folder / "video.mp4"
            count = export_video(file, target)
            console.print(f"{target} ({count} pictures)", highlight=False)


def _add_lab() -> None:
    from elsewhere.lab.cli import app as lab

    app.add_typer(lab, name="lab")


def main() -> None:
    """Entry point."""
    # Loading the experiments costs half a second: only when they are asked for, or listed in the help.
    if "lab" in sys.argv[1:2] or len(sys.argv) == 1 or "--help" in sys.argv[1:2]:
        _add_lab()
    app()


if __name__ == "__main__":
    main()
