"""
``SLOW=2 make bench-NAME``: the servers under test get half of their core, as on a machine half as fast.

A control group limits them: 1 ms of the processor, the shortest slice that Linux accepts, in every ``SLOW`` ms. If no
control group can be created, processes that only burn time share the core with them, at the same priority.
"""

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

_SLICE_US = 1_000
_UNIFIED = Path("/sys/fs/cgroup/cgroup.controllers")
_V1 = Path("/sys/fs/cgroup/cpu")
_NAME = f"placard-bench-{os.getpid()}"
_BURN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
while os.getppid() == int(sys.argv[2]):
    sum(range(10_000))
"""


def slowness() -> float:
    """How many times slower than this machine the servers run; 1 unless ``SLOW`` is set."""
    return max(1.0, float(os.environ.get("SLOW", "1")))


def slow_means(core: int) -> str:
    """The method used here: ``none``, ``quota`` or ``burner``. Sets up what it needs."""
    if slowness() == 1.0:
        return "none"
    if _quota_group() is not None:
        return "quota"
    _start_burners(core)
    return "burner"


def join_slow_group() -> None:
    """Call it in a process that is about to become a server, after `slow_means`."""
    group = _quota_group()
    if group is not None:
        (group / "cgroup.procs").write_text(str(os.getpid()))


def refuse_slow(bench: str) -> None:
    """Ends a bench whose servers have no core of their own."""
    if slowness() != 1.0:
        raise SystemExit(f"SLOW has no effect on bench-{bench}: run it without.")


@cache
def _quota_group() -> Path | None:
    """None if this machine does not allow such a group."""
    unified = _UNIFIED.exists()
    group = (_UNIFIED.parent if unified else _V1) / _NAME
    period_us = round(_SLICE_US * slowness())
    limits = (
        {"cpu.max": f"{_SLICE_US} {period_us}"}
        if unified
        else {"cpu.cfs_period_us": str(period_us), "cpu.cfs_quota_us": str(_SLICE_US)}
    )
    try:
        group.mkdir()
        atexit.register(_remove, group)
        for name, value in limits.items():
            (group / name).write_text(value)
    except OSError:
        return None
    return group


def _remove(group: Path) -> None:
    with suppress(OSError):  # a server that was killed may still be in it
        group.rmdir()


@cache
def _start_burners(core: int) -> None:
    for _ in range(round(slowness()) - 1):
        command = [sys.executable, "-c", _BURN, str(core), str(os.getpid())]
        burner = subprocess.Popen(command)
        atexit.register(burner.kill)
