"""Assets in a folder of this machine. The edge serves from the same folder."""

import asyncio
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, TypeVar

import structlog

from common.service.asset_folder import find_media_type
from control.adapters.atomic_files import make_folders, remove_unfinished, write_whole
from control.foundation.signed_links import UploadLinks
from control.ports.assets import ObjectAbsent, StoreUnavailable, UploadLink

_CHUNK_BYTES = 1 << 20
_UPLOAD = re.compile(r"uploads/[0-9a-f-]{36}")
_log: structlog.stdlib.BoundLogger = structlog.get_logger("local_assets")

Result = TypeVar("Result")


class LocalAssets:
    """A file appears under its name complete and synced, by a rename. Names that are not the service's are refused."""

    def __init__(self, folder: Path, links: UploadLinks) -> None:
        self._folder = folder
        self._links = links

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:  # noqa: ARG002 - the name's extension states it
        await self._do(lambda: self._put(self._path(name), file))

    async def fetch(self, name: str, into: BinaryIO, *, max_bytes: int) -> int:
        return await self._do(lambda: _fetch(self._path(name), into, max_bytes + 1))

    async def size(self, name: str) -> int | None:
        return await self._do(lambda: _size(self._path(name)))

    async def remove(self, name: str) -> None:
        await self._do(lambda: self._path(name).unlink(missing_ok=True))

    async def upload_link(
        self,
        name: str,
        *,
        media_type: str,
        size_bytes: int,
        sha256: str | None,  # noqa: ARG002 - compared when the upload is looked at
        expires_at: datetime,
    ) -> UploadLink:
        upload_id = name.removeprefix("uploads/")
        url = self._links.make(upload_id, size_bytes=size_bytes, expires_at=expires_at)
        return UploadLink(url, {"Content-Type": media_type, "Content-Length": str(size_bytes)})

    async def tidy(self, before: datetime) -> None:
        await self._do(lambda: remove_unfinished(self._folder, before.timestamp()))

    async def _do(self, act: Callable[[], Result]) -> Result:
        try:
            return await asyncio.to_thread(act)
        except OSError as error:
            _log.warning("object_store_unavailable", reason=str(error))
            raise StoreUnavailable from error

    def _path(self, name: str) -> Path:
        if find_media_type(name) is None and not _UPLOAD.fullmatch(name):
            raise ValueError(f"{name!r} is no name of ours")
        return self._folder / name

    def _put(self, path: Path, file: BinaryIO) -> None:
        make_folders(self._folder, path.parent)
        write_whole(self._folder, path, file, mode=0o644)


def _fetch(path: Path, into: BinaryIO, max_bytes: int) -> int:
    try:
        source = path.open("rb")
    except FileNotFoundError:
        raise ObjectAbsent(path.name) from None
    size = 0
    into.seek(0)
    with source:
        while size < max_bytes and (chunk := source.read(min(_CHUNK_BYTES, max_bytes - size))):
            into.write(chunk)
            size += len(chunk)
    into.truncate()
    into.flush()
    into.seek(0)
    return size


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
