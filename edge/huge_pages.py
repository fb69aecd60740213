"""
A worker's memory in huge pages, where Linux lets a program have them.

A call looks things up all over a state of hundreds of megabytes. With pages of 4 KiB most of these look-ups miss the
processor's table of addresses as well as its caches; with pages of 2 MiB they fit.
"""

import asyncio
import ctypes
import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import structlog

from edge.collector import resident_bytes

_PAGE_BYTES = 2 * 1024 * 1024
_ADVISE, _COLLAPSE = 14, 25
"""MADV_HUGEPAGE, and MADV_COLLAPSE of Linux 6.1: at once, where else the kernel takes its time."""
_FULL = 0.9
"""The share of a range that must be in use already: a thread's stack is large and empty, and shall stay that way."""
_LOOK_S = 2.0
_GROWN_BYTES = 16 * 1024 * 1024
_ALLOWED = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_SMAPS = Path("/proc/self/smaps")
_ROLLUP = Path("/proc/self/smaps_rollup")

_log = structlog.get_logger(__name__)

Range = tuple[int, int]
"""First address, and the one behind the last."""


def ask_for_huge_pages() -> int:
    """
    Bytes of this process that stand in huge pages then; 0 where the system has none, or its operator chose ``never``.

    Blocks for some tenths of a millisecond a page, without the interpreter's lock.
    """
    try:
        if "[never]" in _ALLOWED.read_text():
            return 0
        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for start, end in full_ranges(_SMAPS.read_text()):
            for advice in (_ADVISE, _COLLAPSE):
                madvise(start, end - start, advice)
        return _huge_bytes(_ROLLUP.read_text())
    except OSError:
        return 0


def full_ranges(smaps: str) -> Iterator[Range]:
    """Of the memory that is nobody's but ours and in use, what can be huge pages. *smaps*: as proc(5) describes it."""
    start = end = 0
    for line in smaps.splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):
            first, last = (int(text, 16) for text in name.split("-"))
            is_ours = rest[0] == "rw-p" and rest[4:] in ([], ["[heap]"])
            start, end = (first, last) if is_ours else (0, 0)
        elif name == "Rss:" and int(rest[0]) * 1024 >= _FULL * (end - start):
            start = -(-start // _PAGE_BYTES) * _PAGE_BYTES
            end = end // _PAGE_BYTES * _PAGE_BYTES
            if start < end:
                yield start, end


class HugePages:
    """Asks for them when the process has grown, beside the loop."""

    def __init__(
        self,
        ask: Callable[[], int] = ask_for_huge_pages,
        size_bytes: Callable[[], int] = resident_bytes,
    ) -> None:
        self._ask = ask
        self._size_bytes = size_bytes
        self._asked_bytes = 0

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(_LOOK_S)

    async def look(self) -> None:
        if not gc.isenabled():  # a whole state is being taken in
            return
        size_bytes = self._size_bytes()
        self._asked_bytes = min(self._asked_bytes, size_bytes)
        if size_bytes - self._asked_bytes >= _GROWN_BYTES:
            self._asked_bytes = size_bytes
            huge_bytes = await asyncio.to_thread(self._ask)
            _log.info("edge_in_huge_pages", huge_bytes=huge_bytes, of_bytes=size_bytes)


def _huge_bytes(rollup: str) -> int:
    counts = (line.split() for line in rollup.splitlines() if line.startswith("AnonHugePages:"))
    return sum(int(count) * 1024 for _, count, *_ in counts)
