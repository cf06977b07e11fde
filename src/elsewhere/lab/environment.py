"""Facts about the machine that a measurement was made on, without its name or its owner's."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("elsewhere", "mujoco", "numpy", "numba", "aiortc", "av")


def environment() -> dict[str, str]:
    """CPU, cores, memory, system and versions. Never a host name, a user name or a path."""
    facts = {
        "processor": _processor(),
        "cores": str(os.cpu_count() or 0),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            continue
    return {name: fact for name, fact in facts.items() if fact}


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"
    except (AttributeError, OSError, ValueError):
        return ""
