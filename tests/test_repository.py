"""What must hold for the repository as a whole: its public names, and what it must not contain."""

from __future__ import annotations

import ast
import importlib
import subprocess
import tomllib
from pathlib import Path

import pytest

import elsewhere
from elsewhere.rig import load_rig, rig_names

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src" / "elsewhere").rglob("*.py"))
FOREIGN = {".stl", ".dae", ".obj", ".glb", ".gltf", ".urdf", ".onnx", ".pt", ".mp4", ".mcap"}
TALKERS = {"cli.py", "terminal.py", "__main__.py", "typescript.py"}  # the only files that may print


def files() -> list[Path]:
    """Every file that is, or would be, in the repository; all of the tree where git is absent."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        found = [ROOT / name for name in listed]
    except (OSError, subprocess.CalledProcessError):
        hidden = {".git", ".venv", "node_modules", "static", "__pycache__"}
        found = [path for path in ROOT.rglob("*") if not hidden & set(path.parts)]
    return [path for path in found if path.is_file()]


def test_public_names_exist_and_are_documented() -> None:
    assert elsewhere.__doc__
    assert list(elsewhere.__all__) == sorted(elsewhere.__all__)
    for name in elsewhere.__all__:
        value = getattr(elsewhere, name)
        assert not callable(value) or value.__doc__, f"elsewhere.{name} has no docstring"


def test_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert elsewhere.__version__ == project["version"]
    assert f"## [{project['version']}]" in (ROOT / "CHANGELOG.md").read_text()


def test_entry_points_lead_somewhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project.get("scripts", {}), *project.get("entry-points", {}).values()]
    for target in [target for group in groups for target in group.values()]:
        module, _, name = target.partition(":")
        found = importlib.import_module(module)
        assert not name or hasattr(found, name), target


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_modules_say_what_they_are_and_stay_quiet(path: Path) -> None:
    tree = ast.parse(path.read_text())
    if tree.body:
        assert ast.get_docstring(tree), f"{path.name} has no docstring"
    if path.name not in TALKERS:
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        prints = [
            node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"
        ]
        assert not prints, f"{path.name} prints in lines {prints}: libraries return values, the cli prints"


def test_nothing_foreign_and_nothing_large() -> None:
    for path in files():
        assert path.suffix.lower() not in FOREIGN, f"{path.relative_to(ROOT)}: models are written here"
        assert path.stat().st_size < 1_000_000, f"{path.relative_to(ROOT)} is larger than 1 MB"


def test_no_paths_of_one_machine() -> None:
    forbidden = ["/home" + "/", "/root" + "/", "/tmp" + "/work", "/Users" + "/"]
    for path in files():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for word in forbidden:
            assert word not in text, f"{path.relative_to(ROOT)} names a path of one machine: {word}"


def test_ready_rigs_load() -> None:
    assert "commodity" in rig_names()
    for name in rig_names():
        assert load_rig(name).name == name


def test_scripts_are_executable() -> None:
    for path in [*(ROOT / "scripts").glob("*.sh"), ROOT / ".ci" / "run"]:
        assert path.stat().st_mode & 0o111, f"{path.name} is not executable"
