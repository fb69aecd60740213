"""PostgreSQL's own client programs, which do the work."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path


class BackupFailed(RuntimeError):
    """The message names the program and its last line, or what to change."""


def run_program(folder: Path | None, name: str, arguments: Sequence[str]) -> None:
    """Runs program *name* of *folder*, or of the path. Raises `BackupFailed`."""
    found = shutil.which(name, path=None if folder is None else str(folder))
    if found is None:
        raise BackupFailed(
            f"{name} was not found. Install PostgreSQL's client programs of the server's version, or name their "
            "folder with --programs."
        )
    done = subprocess.run(  # noqa: S603 - the program is PostgreSQL's, and its arguments are ours
        [found, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise BackupFailed(f"{name} failed: {lines[-1]}")


def require_empty(folder: Path, option: str) -> None:
    """Raises `BackupFailed` where *folder* holds something."""
    if folder.exists() and any(folder.iterdir()):
        raise BackupFailed(f"{option}: {folder} is not empty. Name a new folder.")
