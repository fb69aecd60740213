"""
The folder of a local asset store, read by threads of its own: a slow disk must not keep those waiting that sync the
spool.
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
    Names are those of `common.service.asset_folder`, checked before. A file never changes: its name is its content's
    digest.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="assets")

    async def find_size(self, name: str) -> int | None:
        """None where there is no such file."""
        return await self._do(lambda: _size(self._folder / name))

    async def read(self, name: str, start: int, count: int) -> bytes:
        """
        Opened anew for every piece, so that a thousand slow readers hold no thousand files. Raises OSError where the
        file is gone.
        """
        return await self._do(lambda: _read(self._folder / name, start, count))

    def close(self) -> None:
        """What is being read is waited for."""
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
