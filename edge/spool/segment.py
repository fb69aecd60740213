"""
Segment files of one spool folder. Each is named by its first sequence, appended to at its end, and
read by position.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from errno import EMFILE, ENFILE, ENOMEM
from itertools import pairwise
from pathlib import Path

from common.tracking.record import EncodedRecord, find_encoded
from edge.spool.frame import find_frame

SEGMENT_BYTES = 8 << 20
_SUFFIX = ".seg"
_OF_THE_PROCESS = frozenset({EMFILE, ENFILE, ENOMEM})
"""Errors of a read that say nothing about the file."""


@dataclass(slots=True)
class Segment:
    """``last`` is None if it is unknown: in the last segment of a writer that died."""

    path: Path
    first: int
    last: int | None
    size_bytes: int


def segment_path(folder: Path, first: int) -> Path:
    return folder / f"{first:016d}{_SUFFIX}"


def list_segments(folder: Path) -> list[Segment]:
    """Oldest first. A segment ends where the next begins. Foreign files are ignored."""
    found = [
        Segment(path, int(path.stem), None, path.stat().st_size)
        for path in sorted(folder.glob(f"*{_SUFFIX}"))
        if path.stem.isdecimal()
    ]
    for segment, following in pairwise(found):
        segment.last = following.first - 1
    return found


class SegmentFile:
    """The segment being written. Used by one thread at a time; every call may block on the disk."""

    def __init__(self, path: Path) -> None:
        """Raises FileExistsError: a segment has one writer only."""
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._size_bytes = 0

    def append(self, data: bytes) -> None:
        """
        Writes all of *data*; it is on disk when this returns. Raises OSError (disk full), and then none of it stays.

        Raises `WriteStuck` if the partial write cannot be undone either: the file's content is then unknown.
        """
        try:
            self._write(data)
            os.fdatasync(self._fd)
        except OSError as error:
            self._take_back(error)
            raise
        self._size_bytes += len(data)

    def close(self) -> None:
        os.close(self._fd)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._fd, rest) :]

    def _take_back(self, error: OSError) -> None:
        try:
            os.ftruncate(self._fd, self._size_bytes)
            os.fdatasync(self._fd)
        except OSError as second:
            raise WriteStuck(f"{error}; then {second}") from second


class WriteStuck(Exception):
    """A failed write could not be undone. Its sequences may be on disk and must not be assigned again."""


class SegmentUnreadable(OSError):
    """The disk did not return *segment*."""

    def __init__(self, segment: Segment, error: OSError) -> None:
        super().__init__(error.errno, error.strerror, str(segment.path))
        self.segment = segment


class SegmentReader:
    """Reads records in order of sequence. It keeps its position, so that continuing needs no second search."""

    def __init__(self) -> None:
        self.damaged = 0
        """Ranges that were skipped because no checksum was correct, and frames that hold no record of ours."""
        self._path: Path | None = None
        self._data = b""
        self._offset = 0
        self._returned = 0

    def read(self, segments: Sequence[Segment], after: int, limit: int) -> list[EncodedRecord]:
        """
        Up to *limit* records with sequences beyond *after*; empty at the end. Blocks on the disk.

        A damaged frame leaves a gap in the sequences; a torn tail simply ends the records. Raises `SegmentUnreadable`,
        but first returns what precedes that segment. Raises OSError where the process lacks descriptors or memory.
        """
        if after != self._returned:
            self._path = None
        found: list[EncodedRecord] = []
        for segment in segments:
            if segment.last is not None and segment.last <= after:
                continue
            try:
                self._open(segment)
            except SegmentUnreadable:
                if found:
                    break
                raise
            self._take(found, after, limit)
            if len(found) >= limit:
                break
        self._returned = found[-1].sequence if found else after
        return found

    def _open(self, segment: Segment) -> None:
        if self._path == segment.path and len(self._data) >= segment.size_bytes:
            return
        if self._path != segment.path:
            self._path, self._offset = segment.path, 0
        try:
            with segment.path.open("rb") as file:
                self._data = file.read(segment.size_bytes)
        except OSError as error:
            self._path = None
            if error.errno in _OF_THE_PROCESS:
                raise
            raise SegmentUnreadable(segment, error) from error

    def _take(self, found: list[EncodedRecord], after: int, limit: int) -> None:
        while len(found) < limit:
            frame = find_frame(self._data, self._offset)
            if frame is None:
                return
            self.damaged += frame.start > self._offset
            self._offset = frame.end
            record = find_encoded(frame.payload)
            if record is None:
                self.damaged += 1
            elif record.sequence > after:
                found.append(record)
