"""
Segments that were shipped, kept for a while. Records that the log lost after it had acknowledged them are replayed from
here.

They are in a folder of their own beside the spools of the machine's workers, dead or alive, with a folder a writer.
They are the first to be deleted when the disk is needed.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from common.tracking.event import WriterId
from edge.spool.segment import Segment, list_segments
from edge.spool.set_aside import count_unreadable, set_aside_of
from edge.spool.writer_lock import find_writer, writer_folder

_FOLDER = "kept"
"""A subfolder of the spool's folder. No writer's folder can have this name."""
_SUFFIX = ".seg"


@dataclass(frozen=True, slots=True)
class _Kept:
    path: Path
    first: int
    last: int
    size_bytes: int
    at_s: float
    """When the file was last written."""


class RetainedSegments:
    """The retained segments of one machine. Every call may block on the disk."""

    def __init__(self, spool_dir: Path) -> None:
        self._spool_dir = spool_dir
        self._folder = spool_dir / _FOLDER

    def keep(self, writer: WriterId, segment: Segment, last: int) -> None:
        """Moves *segment*, which ends with *last*, out of the spool. Deletes it if it cannot be moved."""
        folder = writer_folder(self._folder, writer)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            segment.path.rename(folder / f"{segment.first:016d}-{last:016d}{_SUFFIX}")
        except OSError:
            segment.path.unlink(missing_ok=True)

    def writers(self) -> dict[WriterId, int]:
        """The writers with retained segments, and the highest sequence of each."""
        highest: dict[WriterId, int] = {}
        for one in self._list():
            writer = find_writer(one.path.parent)
            if writer is not None:
                highest[writer] = max(one.last, highest.get(writer, 0))
        return highest

    def segments_of(self, writer: WriterId) -> list[Segment]:
        """Oldest first: the retained segments, those set aside, then those that are still in the spool."""
        kept = [
            Segment(one.path, one.first, one.last, one.size_bytes)
            for one in self._list()
            if find_writer(one.path.parent) == writer
        ]
        kept += set_aside_of(self._spool_dir, writer)
        with suppress(FileNotFoundError):
            kept += list_segments(writer_folder(self._spool_dir, writer))
        return kept

    def sweep(self, *, max_bytes: float, before_s: float) -> int:
        """
        Deletes segments written before *before_s* (epoch), then the oldest until *max_bytes* are kept. Returns the
        bytes that remain.
        """
        kept = sorted(self._list(), key=lambda one: one.at_s)
        size_bytes = sum(one.size_bytes for one in kept)
        for one in kept:
            if size_bytes <= max_bytes and one.at_s >= before_s:
                break
            one.path.unlink(missing_ok=True)
            size_bytes -= one.size_bytes
            with suppress(OSError):  # the folder has other segments
                one.path.parent.rmdir()
        return size_bytes

    def make_room(self) -> bool:
        """Deletes all retained segments because the disk is full. False if there are none."""
        found = any(self._list())
        shutil.rmtree(self._folder, ignore_errors=True)
        return found

    def spooled_bytes(self) -> int:
        """Size of the unsettled segments in the spools beside it."""
        return sum(_size(path) for path in self._spool_dir.glob(f"*/*{_SUFFIX}"))

    def count_unreadable(self) -> int:
        """As `edge.spool.set_aside.count_unreadable`."""
        return count_unreadable(self._spool_dir)

    def _list(self) -> Iterator[_Kept]:
        for path in sorted(self._folder.glob(f"*/*{_SUFFIX}")):
            first, _, last = path.stem.partition("-")
            if first.isdecimal() and last.isdecimal():
                with suppress(FileNotFoundError):
                    state = path.stat()
                    yield _Kept(path, int(first), int(last), state.st_size, state.st_mtime)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
