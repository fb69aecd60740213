"""
A writer's folder in the spool. Its name identifies the writer; its lock shows whether that writer is alive.

A folder gets its name only when its lock is already held, so no other process can take a living writer's folder.
"""

import fcntl
import os
import shutil
from pathlib import Path
from urllib.parse import quote, unquote

from common.tracking.event import WriterId
from edge.runtime.leftovers import remove_leftovers

_LOCK = "lock"
_YOUNG = ".new-"
_BOOT_CHARS = 32


class WriterLock:
    """Held until `release`. The kernel releases it when the process dies, however it dies."""

    def __init__(self, folder: Path, fd: int) -> None:
        self.folder = folder
        self._fd = fd

    def release(self) -> None:
        os.close(self._fd)

    def remove(self) -> None:
        """Deletes the folder and releases the lock."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.release()


def make_folder(spool_dir: Path, writer: WriterId) -> WriterLock:
    """A new locked folder for *writer*. Raises FileExistsError, OSError."""
    spool_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = writer_folder(spool_dir, writer)
    if folder.exists():
        raise FileExistsError(f"{folder} has a writer already")
    remove_leftovers(spool_dir, f"{_YOUNG}*")
    young = spool_dir / f"{_YOUNG}{writer.boot}"
    young.mkdir(mode=0o700)
    fd = os.open(young / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    young.rename(folder)
    sync_folder(spool_dir)
    return WriterLock(folder, fd)


def lock_folder(folder: Path) -> WriterLock | None:
    """The lock of a dead writer's folder; None if its writer is alive, or another adopter was first."""
    path = folder / _LOCK
    try:
        fd = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another adopter may have removed the folder between our open and our lock.
        if os.path.samestat(os.fstat(fd), path.stat()):
            return WriterLock(folder, fd)
    except OSError:
        pass
    os.close(fd)
    return None


def writer_folder(spool_dir: Path, writer: WriterId) -> Path:
    """The folder of *writer*, whether it exists or not."""
    return spool_dir / f"{quote(writer.edge, safe='')}-{writer.boot}"


def find_writer(folder: Path) -> WriterId | None:
    """The writer that a folder belongs to; None if the name is not a writer folder's."""
    edge, _, boot = folder.name.rpartition("-")
    if not edge or edge.startswith(".") or len(boot) != _BOOT_CHARS:
        return None
    return WriterId(unquote(edge), boot)


def sync_folder(folder: Path) -> None:
    """Makes the names in *folder* durable. Blocks on the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
