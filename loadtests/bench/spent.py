"""How long processes ran on a core: what a busy machine changes less than the time that passed."""

from collections.abc import Sequence
from pathlib import Path

from deploy.standalone.process import list_below

_NS_PER_MS = 1e6


def with_below(pid: int) -> list[int]:
    """The process and all below it, as they are now."""
    return [pid, *list_below(pid)]


def spent_ms(pids: Sequence[int]) -> float:
    """On a core since each began, its threads together; what has ended counts no more."""
    return sum(_ran_ns(pid) for pid in pids) / _NS_PER_MS


def _ran_ns(pid: int) -> int:
    """The first figure of the kernel's ``schedstat`` is nanoseconds on a core."""
    try:
        found = list(Path(f"/proc/{pid}/task").glob("*/schedstat"))
        return sum(int(thread.read_text().split()[0]) for thread in found)
    except (FileNotFoundError, ProcessLookupError):
        return 0
