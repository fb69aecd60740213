"""
What a worker committed, in a mapped file that outlives its process. Another worker that finds it dead returns the rest
of its leases.

The kernel owns a mapped page once it is written, however the process ends. Only a crash of the kernel loses it, so a
file of another boot of the machine is ignored. The worker holds a lock on its file while it lives: each map has a copy
of the descriptor, and the lock ends with the last copy.
"""

import fcntl
import mmap
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

import structlog

from common.pacing.worker_leases import Counts
from edge.runtime.leftovers import remove_leftovers

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_WORD = 8
_HEAD_WORDS = 8
"""Words of the header: the boot id in the first five, then `_SEQUENCE`, `_CHANGED_MS`, `_VERSION`."""
_SEQUENCE, _CHANGED_MS, _VERSION = 5, 6, 7
_UNUSABLE, _SHORT_NAMES, _LONG_NAMES = 0, 1, 2
"""Versions: the file had no room; as older releases write it, without holds; as this one does."""
_NAME_BYTES = {_SHORT_NAMES: 40, _LONG_NAMES: 56}
MAX_NAME_BYTES = _NAME_BYTES[_LONG_NAMES]
_ENTRY_WORDS = MAX_NAME_BYTES // _WORD + 1
"""A campaign's id or a hold's name, then its micros."""
_PART_ENTRIES = 4096
_SPARE = _PART_ENTRIES // 2
_SUFFIX = ".commits"
_YOUNG = ".new"
_log: structlog.stdlib.BoundLogger = structlog.get_logger("leases")


@dataclass(frozen=True, slots=True)
class Ended:
    """
    State of a dead worker: the sequence of its last report, that report's time, and its total commits by campaign and
    by `common.pacing.holds.hold_name`.
    """

    worker: str
    sequence: int
    changed_ms: int
    committed: dict[str, int]


def open_commit_file(folder: Path, worker: str) -> "CommitFile | None":
    """
    Returns None if the disk has no room: if the worker is killed, its leases then end only with their term. Blocks on
    the disk.
    """
    try:
        return CommitFile(folder, worker)
    except OSError as error:
        _log.warning("commit_file_open_failed", reason=str(error))
        return None


class CommitFile:
    """The file of one living worker. Raises OSError if the disk is full, or if another worker has the same name."""

    def __init__(self, folder: Path, worker: str) -> None:
        self.worker = worker
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = _path_of(folder, worker)
        remove_leftovers(folder, f"*{_YOUNG}")
        young = self.path.with_suffix(_YOUNG)
        self._fd = os.open(young, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._size = 0
            self._free: list[tuple[Counts, int]] = []
            self._head = self._grow(mmap.PAGESIZE)
            boot = _boot_id().ljust(_SEQUENCE * _WORD, b"\0")
            self._head[:_SEQUENCE] = memoryview(boot).cast("q")
            self._head[_VERSION] = _LONG_NAMES
            self._add_part()
            # The file gets its final name only while its lock is held, so no other worker takes it for a dead worker's.
            young.rename(self.path)
        except OSError:
            young.unlink(missing_ok=True)
            os.close(self._fd)
            raise

    def place(self, name: str) -> tuple[Counts, int]:
        """Where the micros of *name* are counted from now on. Without room the whole file is marked unusable."""
        raw = name.encode()
        if not self._free or len(raw) > MAX_NAME_BYTES:
            self._head[_VERSION] = _UNUSABLE
            return self._head, _HEAD_WORDS
        counts, first = self._free.pop()
        last = first + MAX_NAME_BYTES // _WORD
        counts[first:last] = memoryview(raw.ljust(MAX_NAME_BYTES, b"\0")).cast("q")
        return counts, last

    def record_report(self, sequence: int, now_ms: int) -> None:
        self._head[_SEQUENCE] = sequence
        self._head[_CHANGED_MS] = now_ms

    @property
    def needs_room(self) -> bool:
        return len(self._free) < _SPARE

    def make_room(self) -> None:
        """Allocates room for some thousand more campaigns, if the disk has any. Blocks on the disk."""
        with suppress(OSError):
            self._add_part()

    def remove(self) -> None:
        """Call after the worker returned its leases itself. Commits written later are lost."""
        self.path.unlink(missing_ok=True)
        fd, self._fd = self._fd, -1
        os.close(fd)

    def _add_part(self) -> None:
        part = self._grow(_part_bytes())
        places = range((_PART_ENTRIES - 1) * _ENTRY_WORDS, -1, -_ENTRY_WORDS)
        self._free[:0] = [(part, first) for first in places]

    def _grow(self, size: int) -> Counts:
        """Allocates the space at once: a write into a hole of a full disk would kill the process."""
        os.posix_fallocate(self._fd, self._size, size)
        mapped = mmap.mmap(self._fd, size, offset=self._size)
        self._size += size
        return memoryview(mapped).cast("q")


class DeadFile:
    """A dead worker's file, locked so that no other process reads it."""

    def __init__(self, path: Path, fd: int, ended: Ended | None) -> None:
        self._path = path
        self._fd = fd
        self.ended = ended
        """None if its content is unusable: the machine was rebooted since, or the file had no room."""

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        os.close(self._fd)


def find_dead(folder: Path) -> Iterator[DeadFile]:
    """The files of all dead workers. Blocks on the disk."""
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        try:
            fd = os.open(path, os.O_RDWR)
        except OSError:
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another process may have removed it between our open and our lock.
            if os.path.samestat(os.fstat(fd), path.stat()):
                yield DeadFile(path, fd, _read(path))
                continue
        except OSError:
            pass
        os.close(fd)


def _read(path: Path) -> Ended | None:
    raw = path.read_bytes()
    if len(raw) < mmap.PAGESIZE:
        return None
    head = memoryview(raw)[: _HEAD_WORDS * _WORD].cast("q")
    name_bytes = _NAME_BYTES.get(head[_VERSION])
    if raw[: _SEQUENCE * _WORD].rstrip(b"\0") != _boot_id() or name_bytes is None:
        return None
    entry_words = name_bytes // _WORD + 1
    words = memoryview(raw)[mmap.PAGESIZE : len(raw) // _WORD * _WORD].cast("q")
    committed = {}
    for first in range(0, len(words) - entry_words + 1, entry_words):
        last = first + entry_words - 1
        name = words[first:last].tobytes().rstrip(b"\0")
        if name:
            committed[name.decode()] = words[last]
    worker = unquote(path.name.removesuffix(_SUFFIX))
    return Ended(worker, head[_SEQUENCE], head[_CHANGED_MS], committed)


def _part_bytes() -> int:
    """A whole number of pages, for every page size in use."""
    return _PART_ENTRIES * _ENTRY_WORDS * _WORD


def _path_of(folder: Path, worker: str) -> Path:
    return folder / f"{quote(worker, safe='')}{_SUFFIX}"


def _boot_id() -> bytes:
    return _BOOT_ID.read_bytes().strip()
