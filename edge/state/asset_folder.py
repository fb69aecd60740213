"""
The folder of a local asset store. It is read by threads of its own, so that a slow disk does not delay the threads that
sync the spool.
"""

import asyncio
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

_THREADS = 2

Result = TypeVar("Result")


class AssetFolder:
    """
    File names come from `common.service.asset_folder` and are checked before. A file never changes: its name is the
    digest of its content.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="assets")

    async def find_size(self, name: str) -> int | None:
        """Bytes of the file; None if it does not exist."""
        return await self._do(lambda: _size(self._folder / name))

    async def read(self, name: str, start: int, count: int) -> bytes:
        """
        Reads one piece. Opens the file for each piece, so that a thousand slow clients do not hold a thousand open
        files. Raises OSError if the file is gone.
        """
        return await self._do(lambda: _read(self._folder / name, start, count))

    def close(self) -> None:
        """Waits for reads in progress."""
        self._threads.shutdown()

    async def _do(self, act: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, act)


def _size(path: Path) -> int | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _read(path: Path, start: int, count: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return os.pread(descriptor, count, start)
    finally:
        os.close(descriptor)
