"""Processor time of processes, which varies less on a busy machine than wall-clock time."""

from collections.abc import Sequence
from pathlib import Path

from deploy.standalone.process import list_below

_NS_PER_MS = 1e6


def with_below(pid: int) -> list[int]:
    """The process and all below it, as they are now."""
    return [pid, *list_below(pid)]


def spent_ms(pids: Sequence[int]) -> float:
    """
    Milliseconds on a core since each process began, summed over threads; ended threads and
    processes no longer count.
    """
    return sum(_ran_ns(pid) for pid in pids) / _NS_PER_MS


def _ran_ns(pid: int) -> int:
    """The first figure of the kernel's ``schedstat`` is nanoseconds on a core."""
    try:
        found = list(Path(f"/proc/{pid}/task").glob("*/schedstat"))
        return sum(int(thread.read_text().split()[0]) for thread in found)
    except (FileNotFoundError, ProcessLookupError):
        return 0
