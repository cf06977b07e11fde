"""Run by a test, and killed: records in virtual time until it dies. Arguments: folder, slots."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from conftest import Run, make_ticks

run = Run(Path(sys.argv[1]), Path(sys.argv[2]))
first = 0
while True:
    run.advance(make_ticks(1000, first, noise=0.01))
    first += 1000
