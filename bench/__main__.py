"""Run every bench, or the named ones: `python -m bench [NAME...] [--json]`.

A bench is a file of this folder with `measure() -> list[Row]`, or one with its own command line that
takes `--json` and prints one JSON object, and without it a table. Each runs in a process of its own.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
HELPERS = {"__init__", "__main__", "row"}


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in HELPERS)


def has_rows(name: str) -> bool:
    """Whether a bench leaves printing to us."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    return any(isinstance(node, ast.FunctionDef) and node.name == "measure" for node in tree.body)


def run(name: str) -> dict[str, object]:
    """The JSON of one bench."""
    arguments = ["bench", "--rows", name] if has_rows(name) else [f"bench.{name}", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=FOLDER.parent, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        return {"failed": done.returncode}
    found: dict[str, object] = json.loads(done.stdout)
    return found


def show(name: str, result: dict[str, object]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=name, title_justify="left")
    rows = result.get("rows")
    if isinstance(rows, list):
        for column in ("", "ours [us]", "peer", "peer [us]", "peer / ours"):
            table.add_column(column, justify="left" if column in ("", "peer") else "right")
        for row in rows:
            for peer, time_us in row["peers_us"].items():
                ratio = row["peer_over_ours"][peer]
                table.add_row(row["what"], f"{row['ours_us']:.2f}", peer, f"{time_us:.2f}", f"{ratio:.1f}")
    else:
        table.add_column("")
        table.add_column("", justify="right")
        for key, value in result.items():
            table.add_row(key, f"{value:.3f}" if isinstance(value, float) else str(value))
    Console().print(table)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Speed against peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(names())}")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rows", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rows:
        rows = importlib.import_module(f"bench.{options.rows}").measure()
        print(json.dumps({"rows": [row.as_dict() for row in rows]}))
        return 0
    unknown = set(options.names) - set(names())
    if unknown:
        parser.error(f"there is no bench {', '.join(sorted(unknown))}. Valid: {', '.join(names())}.")
    results = {}
    for name in options.names or names():
        print(f"Measuring {name}…", file=sys.stderr)
        if options.json or has_rows(name):
            results[name] = run(name)
        else:
            done = subprocess.run([sys.executable, "-m", f"bench.{name}"], cwd=FOLDER.parent)
            results[name] = {"failed": done.returncode} if done.returncode else {}
        if not options.json and has_rows(name):
            show(name, results[name])
    if options.json:
        print(json.dumps({"python": platform.python_version(), "cores": os.cpu_count(), **results}))
    return int(any("failed" in result for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
