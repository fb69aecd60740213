"""
Puts a worker's memory into huge pages, where Linux allows it.

A request reads from all over a state of hundreds of megabytes. With pages of 4 KiB most of these reads miss the
processor's TLB as well as its caches; with pages of 2 MiB they hit the TLB.
"""

import asyncio
import ctypes
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import structlog

from edge.runtime.gc_policy import resident_bytes

_PAGE_BYTES = 2 * 1024 * 1024
_ADVISE, _COLLAPSE = 14, 25
"""MADV_HUGEPAGE, and MADV_COLLAPSE of Linux 6.1, which collapses at once, while the kernel otherwise does it later."""
_FULL = 0.9
"""The share of a range that must be in use already. A thread's stack is large and mostly empty, and should stay so."""
_CHECK_S = 2.0
_GROWN_BYTES = 16 * 1024 * 1024
_WORK_S = 0.001
_REST, _LONG_REST, _SLOW_S = 5, 50, 0.002
"""
It pauses so many times as long as it worked; the long rest follows a step that took longer than `_SLOW_S`. The kernel
copies a page of 2 MiB under a lock that every thread needs to touch new memory. On a machine that must first free
memory, that takes 6 ms of a core: with the short rest it took a fifth of a worker's processor in its first half minute.
"""
_ALLOWED = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_SMAPS = Path("/proc/self/smaps")
_ROLLUP = Path("/proc/self/smaps_rollup")

_log = structlog.get_logger(__name__)

Range = tuple[int, int]
"""First address, and the address after the last."""


def collapse_steps(requested: set[int]) -> Iterator[None]:
    """
    Moves this process into huge pages, one page a step. No steps if the system has none, or its operator chose
    ``never``. A step blocks, without the interpreter's lock. *requested*: addresses that are huge pages already and are
    skipped; new ones are added.
    """
    try:
        if "[never]" in _ALLOWED.read_text():
            return
        madvise = ctypes.CDLL(None).madvise
        smaps = _SMAPS.read_text()
    except OSError:
        return
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for start, end in full_ranges(smaps):
        madvise(start, end - start, _ADVISE)
        for page in range(start, end, _PAGE_BYTES):
            if page in requested:
                continue
            if madvise(page, _PAGE_BYTES, _COLLAPSE) == 0:
                requested.add(page)
            yield


def count_huge_bytes() -> int:
    """Bytes of this process in huge pages; 0 if the system does not report it."""
    try:
        counts = [line.split() for line in _ROLLUP.read_text().splitlines()]
    except OSError:
        return 0
    return sum(int(words[1]) * 1024 for words in counts if words[0] == "AnonHugePages:")


def full_ranges(smaps: str) -> Iterator[Range]:
    """Ranges of private memory in use that can become huge pages. *smaps*: in the format of proc(5)."""
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
    """Requests huge pages when the process has grown, off the event loop."""

    def __init__(
        self,
        steps: Callable[[set[int]], Iterator[None]] = collapse_steps,
        size_bytes: Callable[[], int] = resident_bytes,
    ) -> None:
        self._steps = steps
        self._size_bytes = size_bytes
        self._requested_bytes = 0
        self._requested: set[int] = set()

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            await self.refresh()
            await asyncio.sleep(_CHECK_S)

    async def refresh(self) -> None:
        """Requests huge pages for all memory if the process has grown, with pauses."""
        if not gc.isenabled():  # a full state is being loaded
            return
        size_bytes = self._size_bytes()
        if size_bytes < self._requested_bytes:  # freed memory may return in small pages
            self._requested_bytes = size_bytes
            self._requested.clear()
        if size_bytes - self._requested_bytes >= _GROWN_BYTES:
            self._requested_bytes = size_bytes
            steps = self._steps(self._requested)
            while worked_s := await asyncio.to_thread(_work, steps):  # noqa: ASYNC110 - a rest
                await asyncio.sleep(rest_s(worked_s))
            _log.info("huge_pages_enabled", huge_bytes=count_huge_bytes(), of_bytes=size_bytes)


def rest_s(worked_s: float) -> float:
    """The pause after steps that took *worked_s* seconds."""
    return worked_s * (_LONG_REST if worked_s > _SLOW_S else _REST)


def _work(steps: Iterator[None]) -> float:
    """Seconds of work, about `_WORK_S` or one step; 0 at the end of *steps*."""
    began_s = perf_counter()
    for _ in steps:
        worked_s = perf_counter() - began_s
        if worked_s >= _WORK_S:
            return worked_s
    return 0.0
