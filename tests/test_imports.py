"""The direction of imports, checked by import-linter with the contracts of `.importlinter`."""

from __future__ import annotations

from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parent.parent


def test_imports_point_one_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    code = lint_imports(str(ROOT / ".importlinter"), cache_dir=str(tmp_path), no_logo=True)
    assert code == 0, capsys.readouterr().out
