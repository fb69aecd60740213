"""Atomic files: written to a temporary file, made durable, and then renamed to their final path."""

import os
import shutil
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

_UNFINISHED = "unfinished"
_CHUNK_BYTES = 1 << 20


def write_whole(folder: Path, path: Path, file: BinaryIO, *, mode: int) -> None:
    """
    Writes all of *file*, from its start, to *path*.

    The temporary file is below *folder*; both folders must exist.
    """
    unfinished = folder / _UNFINISHED / uuid4().hex
    try:
        file.seek(0)
        with unfinished.open("xb") as target:
            shutil.copyfileobj(file, target, _CHUNK_BYTES)
            target.flush()
            os.fsync(target.fileno())
        unfinished.chmod(mode)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    sync_folder(path.parent)


def make_folders(folder: Path, *others: Path, mode: int = 0o777) -> None:
    """Creates *folder* with its folder of unfinished files, and *others*."""
    for one in (folder, *others, folder / _UNFINISHED):
        one.mkdir(mode=mode, parents=True, exist_ok=True)


def remove_unfinished(folder: Path, before_s: float) -> None:
    """Removes unfinished files last written before *before_s*, seconds since the epoch; their writers are gone."""
    unfinished = folder / _UNFINISHED
    if not unfinished.is_dir():
        return
    for path in unfinished.iterdir():
        if path.stat().st_mtime < before_s:
            path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """A rename is durable only once its folder is synced."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
