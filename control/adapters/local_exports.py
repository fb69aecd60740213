"""Exports in a folder of this machine, from which the API serves them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import structlog

from control.adapters.atomic_files import make_folders, remove_unfinished, sync_folder, write_whole
from control.foundation.signed_links import ExportLinks
from control.foundation.store_folder import path_of
from control.ports.exports import ExportsUnavailable

_log: structlog.stdlib.BoundLogger = structlog.get_logger("local_exports")


class LocalExports:
    """A file appears under its name complete and synced, by a rename, readable only by the service's own user."""

    def __init__(self, folder: Path, links: ExportLinks) -> None:
        self._folder = folder
        self._links = links

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:  # noqa: ARG002 - the link states it
        await self._do(lambda: self._put(path_of(self._folder, name), file))

    async def remove(self, name: str) -> None:
        await self._do(lambda: _remove(path_of(self._folder, name)))

    async def link(
        self,
        name: str,
        *,
        filename: str,
        media_type: str,  # noqa: ARG002 - the API sets it
        expires_at: datetime,
    ) -> str:
        return self._links.make(name.partition("/")[0], filename, expires_at)

    async def tidy(self, before: datetime) -> None:
        await self._do(lambda: remove_unfinished(self._folder, before.timestamp()))

    async def _do(self, act: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(act)
        except OSError as error:
            _log.warning("object_store_unavailable", reason=str(error))
            raise ExportsUnavailable from error

    def _put(self, path: Path, file: BinaryIO) -> None:
        make_folders(self._folder, path.parent, mode=0o700)
        write_whole(self._folder, path, file, mode=0o600)
        sync_folder(self._folder)


def _remove(path: Path) -> None:
    """Removes the file, and its folder once that is empty."""
    path.unlink(missing_ok=True)
    with suppress(OSError):
        path.parent.rmdir()
