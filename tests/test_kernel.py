"""Machine code that is kept must be that of the kernels as they are."""

from __future__ import annotations

import os
from pathlib import Path

import numba

from elsewhere.kernel import code_folder


def test_a_change_in_any_kernel_changes_the_place_of_all_machine_code(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "_kernels.py").write_text("a = 1")
    other = tmp_path / "room" / "_other_kernels.py"
    other.write_text("b = 1")
    before = code_folder(tmp_path)
    assert code_folder(tmp_path) == before
    other.write_text("b = 2")
    assert code_folder(tmp_path) != before
    (tmp_path / "plain.py").write_text("c = 1")
    other.write_text("b = 1")
    assert code_folder(tmp_path) == before


def test_this_is_where_numba_keeps_it() -> None:
    assert str(numba.config.CACHE_DIR) == os.environ.get("NUMBA_CACHE_DIR", str(code_folder()))
