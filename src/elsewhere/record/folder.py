"""The folder of recordings: which files are ours, how much room they take, which one goes first.

A file is ours when its name has our form *and* its MCAP header names us. One that is being written is
locked by its writer; it is never deleted, whoever writes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import struct
import time
from pathlib import Path

from elsewhere.record.container import LIBRARY, MAGIC

_NAME = re.compile(r"elsewhere-\d{8}-\d{6}-\d{3,}\.mcap")


def recording_name(started_ns: int, segment: int) -> str:
    """File name of a segment of a session: names sort by age (UTC)."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(started_ns // 1_000_000_000))
    return f"elsewhere-{stamp}-{segment:03d}.mcap"


def is_ours(path: Path) -> bool:
    """Whether Elsewhere wrote this file."""
    return _NAME.fullmatch(path.name) is not None and library_of(path).startswith(LIBRARY)


def library_of(path: Path) -> str:
    """The library that the file's MCAP header names; empty where there is none."""
    try:
        with path.open("rb") as file:
            head = file.read(512)
    except OSError:
        return ""
    if not head.startswith(MAGIC + b"\x01") or len(head) < 25:
        return ""
    (profile,) = struct.unpack_from("<I", head, 17)
    try:
        (size,) = struct.unpack_from("<I", head, 21 + profile)
        return head[25 + profile : 25 + profile + size].decode()
    except (struct.error, UnicodeDecodeError):
        return ""


def recordings(folder: Path) -> list[Path]:
    """Our recordings in a folder, oldest first."""
    return sorted(path for path in folder.glob("elsewhere-*.mcap") if is_ours(path))


def segments(path: Path) -> list[Path]:
    """The files of the session that `path` belongs to, in order."""
    stem = path.name.rsplit("-", 1)[0]
    return sorted(path.parent.glob(f"{stem}-*.mcap")) if _NAME.fullmatch(path.name) else [path]


def locked(path: Path) -> bool:
    """Whether a recorder is writing this file now."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def prune(folder: Path, limit_bytes: int, keep: Path | None = None) -> int:
    """Delete our oldest recordings until those left take at most `limit_bytes`; returns what they take.

    Foreign files, `keep` and files being written are left alone.
    """
    sizes: dict[Path, int] = {}
    for path in recordings(folder):
        with contextlib.suppress(FileNotFoundError):  # someone else prunes too
            sizes[path] = path.stat().st_size
    total = sum(sizes.values())
    for path, size in sizes.items():
        if total <= limit_bytes:
            break
        if path != keep and not locked(path):
            path.unlink(missing_ok=True)
            total -= size
    return total
