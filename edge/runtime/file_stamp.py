"""Whether an operator's file was replaced since it was last read."""

from pathlib import Path

FileStamp = tuple[int, int, int]
"""Inode, size and modification time: if one of them differs, the file is another."""


def find_stamp(path: Path | None) -> FileStamp | None:
    """None where there is no file, or it cannot be looked at."""
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
