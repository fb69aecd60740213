"""What a process leaves that is killed between making a file or folder and renaming it."""

import shutil
from contextlib import suppress
from pathlib import Path

from common.values.clock import SystemClock

_LEFT_MS = 3_600_000
"""Far longer than anything has its first name."""


def remove_leftovers(folder: Path, pattern: str) -> None:
    """Deletes files and folders in *folder* that match *pattern* and are older than an hour. Never raises; blocks."""
    now_ms = SystemClock().now_ms()
    for path in folder.glob(pattern):
        with suppress(OSError):
            if now_ms - path.stat().st_mtime * 1000 < _LEFT_MS:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
