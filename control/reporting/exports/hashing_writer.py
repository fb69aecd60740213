"""Writes a file and computes its length and its SHA-256 on the way."""

import hashlib
from typing import BinaryIO


class TooLarge(Exception):
    """The file would exceed the size limit of an export."""


class HashingWriter:
    """Takes bytes in order, without seeking. Implements enough of a file for pyarrow."""

    def __init__(self, file: BinaryIO, *, max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._digest = hashlib.sha256()
        self.size_bytes = 0
        self.closed = False

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def write(self, data: bytes) -> int:
        """Raises `TooLarge`, before anything beyond the bound is written."""
        size = memoryview(data).nbytes
        if self.size_bytes + size > self._max_bytes:
            raise TooLarge
        self._file.write(data)
        self._digest.update(data)
        self.size_bytes += size
        return size

    def tell(self) -> int:
        return self.size_bytes

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        """The underlying file stays open: the caller reads it next."""
        self.closed = True
