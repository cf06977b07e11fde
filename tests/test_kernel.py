"""Machine code that is kept must be that of the kernels as they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elsewhere import kernel
from elsewhere.bodies import _kernels as bodies_kernels
from elsewhere.spatial import _kernels as spatial_kernels


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Three files: `top` imports `middle`, which imports `bottom`."""
    package = tmp_path / "elsewhere"
    (package / "room").mkdir(parents=True)
    (package / "top.py").write_text("from elsewhere.room.middle import m\n")
    (package / "room" / "middle.py").write_text("import math\nfrom elsewhere.room import bottom\n")
    (package / "room" / "bottom.py").write_text("b = 1\n")
    return package


def _folders(package: Path) -> dict[str, Path]:
    kernel.imported.cache_clear()
    kernel.code_folder.cache_clear()
    return {path.stem: kernel.code_folder(path, package) for path in package.rglob("*.py")}


def test_a_change_moves_the_machine_code_of_all_that_import_it_and_of_nothing_else(package: Path) -> None:
    before = _folders(package)
    assert len(set(before.values())) == 3
    (package / "room" / "middle.py").write_text("from elsewhere.room import bottom\n")
    after = _folders(package)
    assert after["top"] != before["top"]
    assert after["middle"] != before["middle"]
    assert after["bottom"] == before["bottom"]


def test_a_change_two_imports_away_counts_too(package: Path) -> None:
    before = _folders(package)
    (package / "room" / "bottom.py").write_text("b = 2\n")
    after = _folders(package)
    assert all(after[name] != before[name] for name in before)


def test_files_that_import_each_other_end(package: Path) -> None:
    (package / "room" / "bottom.py").write_text("from elsewhere.top import t\n")
    assert len(_folders(package)) == 3


@pytest.mark.skipif("NUMBA_CACHE_DIR" in os.environ, reason="the person chose another place")
def test_this_is_where_numba_keeps_it() -> None:
    for module, function in (
        (spatial_kernels, spatial_kernels.quat_multiply),
        (bodies_kernels, bodies_kernels.forward),
    ):
        assert module.__file__ is not None
        assert function.stats.cache_path == str(kernel.code_folder(Path(module.__file__)))  # type: ignore[attr-defined]
