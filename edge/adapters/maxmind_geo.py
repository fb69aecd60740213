"""Places from a database file in MaxMind's format, with the layout of GeoIP2 or GeoLite2, City or Country."""

import asyncio
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import maxminddb
import structlog
from maxminddb import InvalidDatabaseError, Reader

from common.privacy.anonymize import find_address
from edge.ports import NOWHERE, GeoLocation
from edge.runtime.file_stamp import FileStamp, find_stamp

CHECK_S = 10.0
_KEPT = 65_536

_UNCHECKED: FileStamp = (0, 0, 0)

_log = structlog.get_logger(__name__)


class MaxmindGeo:
    """
    Reads *path* through memory mapped by the kernel, so that all workers share one copy, and caches recent addresses.
    Replace the file by renaming a new one over it: a file written in place would change while it is read.

    Until the file can be read, every place is unknown. If a new file cannot be read, the previous one stays in use.
    Both are logged, and counted in ``failures``.
    """

    def __init__(self, path: Path) -> None:
        self.failures = 0
        self.built_s = 0
        """When the database in use was built, in epoch seconds; 0: none is in use."""
        self.edition = 0
        self._path = path
        self._stamp: FileStamp | None = _UNCHECKED
        self._find: Callable[[str], GeoLocation] = _nowhere

    def find(self, address: str) -> GeoLocation:
        return self._find(address)

    def refresh(self) -> None:
        """
        Loads the file if it changed since the last look, or if it is there and the last look failed to read it. Blocks:
        call it in a thread.
        """
        stamp = find_stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            reader = _open(self._path)
        except (OSError, ValueError, InvalidDatabaseError) as error:
            if isinstance(error, OSError):
                self._stamp = None  # the same file may be readable at the next look
            self.failures += 1
            _log.warning("geo_database_unreadable", path=str(self._path), reason=str(error))
            return
        self.built_s = reader.metadata().build_epoch
        # The previous reader lives until its last lookup ends.
        self._find = lru_cache(maxsize=_KEPT)(partial(_look_up, reader))
        self.edition += 1
        _log.info("geo_database_read", path=str(self._path), built_s=self.built_s)

    async def run(self, every_s: float = CHECK_S) -> None:
        """Looks again every *every_s*, for ever."""
        while True:
            await asyncio.sleep(every_s)
            await asyncio.to_thread(self.refresh)


def _open(path: Path) -> Reader:
    """Raises OSError, ValueError, InvalidDatabaseError; also if the first record cannot be read."""
    reader = maxminddb.open_database(path, maxminddb.MODE_MMAP_EXT)
    next(iter(reader), None)
    return reader


def _nowhere(_address: str) -> GeoLocation:
    return NOWHERE


def _look_up(reader: Reader, text: str) -> GeoLocation:
    address = find_address(text)
    if address is None:
        return NOWHERE
    try:
        record = reader.get(address)
    except (ValueError, InvalidDatabaseError):  # an IPv6 address in an IPv4 file, a damaged record
        return NOWHERE
    return _place(record) if isinstance(record, dict) else NOWHERE


def _place(record: dict[str, Any]) -> GeoLocation:
    country = _code(record.get("country"))
    parts = record.get("subdivisions")
    region = _code(parts[0]) if country and isinstance(parts, list) and parts else None
    return GeoLocation(country, region)


def _code(part: object) -> str | None:
    code = part.get("iso_code") if isinstance(part, dict) else None
    return code.lower() if isinstance(code, str) and code else None
