"""`elsewhere human`: make a person, import a scan, look at one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from elsewhere.errors import ElsewhereError

if TYPE_CHECKING:
    from elsewhere.bodies.human.human import Human

app = typer.Typer(help="The human whose body is drawn over the robot.", no_args_is_help=True)
console = Console()

Picture = Annotated[Path | None, typer.Option(help="draw joints and annotations into this picture (.png)")]


def _fail(error: ElsewhereError) -> NoReturn:
    Console(stderr=True).print(f"[bold red]✗[/] {error}", highlight=False)
    raise SystemExit(2)


def _vector(text: str | None, option: str) -> np.ndarray | None:
    """Three numbers, separated by commas."""
    if text is None:
        return None
    try:
        values = np.array([float(part) for part in text.split(",")])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (3,) or not np.isfinite(values).all() or not values.any():
        raise ElsewhereError(
            f"{option} '{text}' is no direction. Give three numbers, as in {option} 0,0,-1."
        )
    return values


@app.command()
def make(
    stature: Annotated[float, typer.Option(help="height of the person in metres")] = 1.75,
    sex: Annotated[str, typer.Option(help="mean proportions: neutral, female or male")] = "neutral",
    build: Annotated[float, typer.Option(help="girths over their mean")] = 1.0,
    out: Annotated[Path, typer.Option(help="file to write (.glb)")] = Path("human.glb"),
    picture: Picture = None,
) -> None:
    """Make a person from published anthropometry and write it as glTF."""
    from elsewhere.bodies.human.gltf import write_glb
    from elsewhere.bodies.human.make import make_human

    try:
        human = make_human(stature, sex, build)
        target = write_glb(human, out)
    except ElsewhereError as error:
        _fail(error)
    console.print(
        f"{target}: {len(human.mesh.triangles)} triangles, {len(human.joints)} joints, "
        f"{target.stat().st_size / 1000:.0f} kB",
        highlight=False,
    )
    _draw(human, picture)


@app.command("import")
def import_(
    scan: Annotated[Path, typer.Argument(help="a rigged scan (.glb or .gltf)")],
    out: Annotated[Path | None, typer.Option(help="write it with its annotations (.glb)")] = None,
    picture: Picture = None,
    elbow_axis: Annotated[
        str | None,
        typer.Option(
            help="left elbow's axis x,y,z (x forward, y left, z up): flexing is positive about it"
        ),
    ] = None,
    wrist_vector: Annotated[str | None, typer.Option(help="left palm's normal x,y,z")] = None,
) -> None:
    """Take a person's own rigged scan: recognise its bones and annotate its arms."""
    from elsewhere.bodies.human.gltf import write_glb
    from elsewhere.bodies.human.scan import import_scan

    try:
        result = import_scan(
            scan, _vector(elbow_axis, "--elbow-axis"), _vector(wrist_vector, "--wrist-vector")
        )
        written = write_glb(result.human, out) if out else None
    except ElsewhereError as error:
        _fail(error)
    table = Table("joint", "bone in the file", "x", "y", "z", box=None, header_style="bold")
    known = {joint.name: joint for joint in result.human.joints}
    for ours, bone in result.bones.items():
        at = [f"{value:.3f}" for value in known[ours].position]
        table.add_row(ours if ours != bone else f"[dim]{ours}[/]", bone, *at)
    console.print(table)
    for note in result.notes:
        console.print(f"• {note}", highlight=False)
    _arms(result.human)
    _draw(result.human, picture)
    if written:
        console.print(f"Written: {written}", highlight=False)


@app.command()
def show(
    human: Annotated[
        str, typer.Argument(help="a ready human (adult, woman, man) or a .glb file")
    ] = "adult",
    picture: Picture = None,
) -> None:
    """Say what a human consists of, and draw it."""
    from elsewhere.bodies.human.load import load_human

    try:
        found = load_human(human)
    except ElsewhereError as error:
        _fail(error)
    console.print(
        f"[bold]{found.name}[/]: {found.height:.2f} m with hair and shoes, {len(found.joints)} joints, "
        f"{len(found.mesh.vertices)} vertices, {len(found.mesh.triangles)} triangles",
        highlight=False,
    )
    _arms(found)
    _draw(found, picture)


def _arms(human: Human) -> None:
    table = Table(
        "arm", "upper arm", "forearm", "elbow axis", "wrist vector", box=None, header_style="bold"
    )
    for side, arm in zip(("left", "right"), human.arms, strict=True):
        table.add_row(
            side,
            f"{np.linalg.norm(arm.upper):.3f} m",
            f"{np.linalg.norm(arm.fore):.3f} m",
            " ".join(f"{v + 0.0:.2f}" for v in arm.elbow_axis),
            " ".join(f"{v + 0.0:.2f}" for v in arm.wrist_vector),
        )
    console.print(table)


def _draw(human: Human, picture: Path | None) -> None:
    if picture is None:
        return
    from elsewhere.bodies.human.picture import annotation_sheet

    console.print(f"Picture: {annotation_sheet(human, picture)}", highlight=False)
