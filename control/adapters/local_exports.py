"""Exports in a folder of this machine. The API serves them from there."""

import asyncio
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

import structlog

from control.exports.folder import path_of
from control.exports.links import ExportLinks
from control.ports.exports import ExportsAway

_CHUNK_BYTES = 1 << 20
_UNFINISHED = "unfinished"
_log: structlog.stdlib.BoundLogger = structlog.get_logger("local_exports")


class LocalExports:
    """A file appears under its name whole and synced, by a rename, readable by the service's own user alone."""

    def __init__(self, folder: Path, links: ExportLinks) -> None:
        self._folder = folder
        self._links = links

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:  # noqa: ARG002 - the link says it
        await self._do(lambda: self._put(path_of(self._folder, name), file))

    async def remove(self, name: str) -> None:
        await self._do(lambda: _remove(path_of(self._folder, name)))

    async def link(
        self,
        name: str,
        *,
        filename: str,
        media_type: str,  # noqa: ARG002 - the API knows it
        expires_at: datetime,
    ) -> str:
        return self._links.make(name.partition("/")[0], filename, expires_at)

    async def tidy(self, before: datetime) -> None:
        await self._do(lambda: self._tidy(before.timestamp()))

    async def _do(self, act: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(act)
        except OSError as error:
            _log.warning("store_away", reason=str(error))
            raise ExportsAway from error

    def _put(self, path: Path, file: BinaryIO) -> None:
        unfinished = self._folder / _UNFINISHED / uuid4().hex
        for folder in (self._folder, path.parent, unfinished.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            file.seek(0)
            with unfinished.open("xb") as target:
                shutil.copyfileobj(file, target, _CHUNK_BYTES)
                target.flush()
                os.fsync(target.fileno())
            unfinished.chmod(0o600)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        for folder in (path.parent, self._folder):
            _sync_folder(folder)

    def _tidy(self, before_s: float) -> None:
        folder = self._folder / _UNFINISHED
        if not folder.is_dir():
            return
        for path in folder.iterdir():
            if path.stat().st_mtime < before_s:
                path.unlink(missing_ok=True)


def _remove(path: Path) -> None:
    """Its folder too, once nothing else is in it."""
    path.unlink(missing_ok=True)
    with suppress(OSError):
        path.parent.rmdir()


def _sync_folder(folder: Path) -> None:
    """A rename is durable once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
