"""
Segments that could not be read, moved out of their writers' folders so that the segments after them are shipped.

They keep their writer and numbers. The replayer of the machine reads them when control requests what they hold, and an
adopter of their writer's folder takes back those that may be unsettled. Nothing deletes them except an operator.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from common.tracking.event import WriterId
from edge.spool.segment import Segment, list_segments, segment_path
from edge.spool.writer_lock import sync_folder, writer_folder

_FOLDER = "aside"
"""A subfolder of the spool's folder. No writer's folder can have this name."""
_SUFFIX = ".seg"
_MARK = "unreadable"
"""A file in the folder of a dead writer whose last segment cannot be read."""


def set_aside(folder: Path, segment: Segment, last: int) -> Path:
    """
    Moves *segment*, which ends with *last*, out of its writer's *folder*. A file that is gone needs no move. Raises
    OSError; blocks on the disk.
    """
    aside = folder.parent / _FOLDER / folder.name
    aside.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = aside / f"{segment.first:016d}-{last:016d}{_SUFFIX}"
    with suppress(FileNotFoundError):  # an operator took the file away
        segment.path.rename(path)
    sync_folder(aside)
    sync_folder(folder)
    return path


def take_back(folder: Path) -> None:
    """
    Moves those segments of the writer of *folder* back into it that may be unsettled. Raises OSError; blocks on the
    disk.

    Nothing behind an open sequence leaves the spool. A segment whose next one has left is settled, and stays aside: in
    the folder, all numbers up to the next segment would count as lost.
    """
    firsts = {one.first for one in list_segments(folder)}
    aside = folder.parent / _FOLDER / folder.name
    for segment in reversed(list(_list(aside))):
        is_last = segment.first > max(firsts, default=0)
        if is_last or (segment.last is not None and segment.last + 1 in firsts):
            segment.path.rename(segment_path(folder, segment.first))
            firsts.add(segment.first)
    with suppress(OSError):  # segments or files of the operator are there, or none was set aside
        aside.rmdir()


def set_aside_of(spool_dir: Path, writer: WriterId) -> list[Segment]:
    """Oldest first. Blocks on the disk."""
    return list(_list(writer_folder(spool_dir / _FOLDER, writer)))


def mark_unreadable(folder: Path) -> None:
    """Lets `count_unreadable` count a dead writer's *folder*. Never raises; blocks on the disk."""
    with suppress(OSError):
        (folder / _MARK).touch()


def count_unreadable(spool_dir: Path) -> int:
    """
    Segments set aside, and dead writers whose end cannot be read, of *spool_dir* and of the spools of decision records
    in its subfolder. Blocks on the disk.
    """
    patterns = f"{_FOLDER}/*/*{_SUFFIX}", f"*/{_MARK}"
    return sum(
        1 for pattern in patterns for level in ("", "*/") for _ in spool_dir.glob(level + pattern)
    )


def _list(aside: Path) -> Iterator[Segment]:
    for path in sorted(aside.glob(f"*{_SUFFIX}")):
        first, _, last = path.stem.partition("-")
        if first.isdecimal() and last.isdecimal():
            with suppress(FileNotFoundError):
                yield Segment(path, int(first), int(last), path.stat().st_size)
