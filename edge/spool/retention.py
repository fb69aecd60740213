"""
Segments that were shipped, kept for a while: what the log lost after it had taken it is sent again from here.

They lie in a folder of their own beside the spools of the machine's workers, dead or alive, a folder a writer. They
are what goes first when the disk is needed.
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from common.tracking.event import WriterId
from edge.spool.segment import Segment, list_segments
from edge.spool.writer_lock import find_writer, writer_folder

_FOLDER = "kept"
"""In the spool's folder; no writer's folder has such a name."""
_SUFFIX = ".seg"


@dataclass(frozen=True, slots=True)
class _Kept:
    path: Path
    first: int
    last: int
    size_bytes: int
    at_s: float
    """When it was written to last."""


class RetainedSegments:
    """The kept segments of one machine. Every call may block on the disk."""

    def __init__(self, spool_dir: Path) -> None:
        self._spool_dir = spool_dir
        self._folder = spool_dir / _FOLDER

    def keep(self, writer: WriterId, segment: Segment, last: int) -> None:
        """Moves *segment*, which ends with *last*, out of the spool. What cannot be kept is deleted."""
        folder = writer_folder(self._folder, writer)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            segment.path.rename(folder / f"{segment.first:016d}-{last:016d}{_SUFFIX}")
        except OSError:
            segment.path.unlink(missing_ok=True)

    def writers(self) -> dict[WriterId, int]:
        """Whose segments are kept, and the highest sequence of each."""
        highest: dict[WriterId, int] = {}
        for one in self._list():
            writer = find_writer(one.path.parent)
            if writer is not None:
                highest[writer] = max(one.last, highest.get(writer, 0))
        return highest

    def segments_of(self, writer: WriterId) -> list[Segment]:
        """Oldest first: what is kept, then what is in the spool still."""
        kept = [
            Segment(one.path, one.first, one.last, one.size_bytes)
            for one in self._list()
            if find_writer(one.path.parent) == writer
        ]
        with suppress(FileNotFoundError):
            kept += list_segments(writer_folder(self._spool_dir, writer))
        return kept

    def sweep(self, *, max_bytes: float, before_s: float) -> int:
        """
        Deletes what was written before *before_s* (epoch), then the oldest until *most_bytes* are kept. Gives the
        bytes that stay.
        """
        kept = sorted(self._list(), key=lambda one: one.at_s)
        size_bytes = sum(one.size_bytes for one in kept)
        for one in kept:
            if size_bytes <= max_bytes and one.at_s >= before_s:
                break
            one.path.unlink(missing_ok=True)
            size_bytes -= one.size_bytes
            with suppress(OSError):  # not the last of its folder
                one.path.parent.rmdir()
        return size_bytes

    def make_room(self) -> bool:
        """Deletes all of it, for the disk is full; False where there is nothing."""
        found = any(self._list())
        shutil.rmtree(self._folder, ignore_errors=True)
        return found

    def spooled_bytes(self) -> int:
        """What the spools beside it hold: segments that are not settled."""
        return sum(_size(path) for path in self._spool_dir.glob(f"*/*{_SUFFIX}"))

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
