"""
`make bench-idle`: what the whole one-machine stack takes while nobody uses it, in processor time and memory.

It starts a stack of its own (``KAFKA=1``: with a broker), waits ``BENCH_SETTLE_SECONDS`` after it is ready, and reads
/proc before and after ``BENCH_SECONDS``. A JSON line for each process comes first, the totals last. Processor time of
processes that ended meanwhile counts at their parent, which has reaped them.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import orjson

from deploy.standalone.background import running_stack
from loadtests.bench.report import Report
from loadtests.bench.rounds import bench_seconds
from loadtests.bench.spent import with_below

_SETTLE_S = float(os.environ.get("BENCH_SETTLE_SECONDS", "120"))
_SECONDS = 60.0
_COMMAND_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Usage:
    """``cpu_s``: user and system time since its start, with that of its ended children. ``wakes``: of all threads."""

    command: str
    cpu_s: float
    wakes: int
    pss_kb: int
    threads: int


def main() -> int:
    with running_stack({}) as stack:
        sleep(_SETTLE_S)
        before, begun_s = _read_all(with_below(stack.process.pid)), monotonic()
        sleep(bench_seconds(_SECONDS))
        after, took_s = _read_all(with_below(stack.process.pid)), monotonic() - begun_s
    for row in _rows(before, after, took_s):
        print(orjson.dumps(row).decode())
    report = Report("idle")
    report.figures = {
        "cpu_percent": 100 * (_cpu_s(after) - _cpu_s(before)) / took_s,
        "pss_mb": sum(one.pss_kb for one in after.values()) / 1024,
        "processes": float(len(after)),
        "seconds": took_s,
    }
    report.reach = {"max_cpu_percent": 5.0, "max_pss_mb": 900.0}
    return report.print()


def _rows(
    before: dict[int, Usage], after: dict[int, Usage], took_s: float
) -> list[dict[str, object]]:
    """The processes of *after*, the busiest first."""
    new = Usage("", 0.0, 0, 0, 0)
    changes = [(pid, before.get(pid, new), one) for pid, one in after.items()]
    changes.sort(key=lambda change: change[1].cpu_s - change[2].cpu_s)
    return [
        {
            "pid": pid,
            "cpu_percent": round(100 * (now.cpu_s - then.cpu_s) / took_s, 2),
            "wakes_per_s": round((now.wakes - then.wakes) / took_s, 1),
            "pss_mb": round(now.pss_kb / 1024, 1),
            "threads": now.threads,
            "command": now.command,
        }
        for pid, then, now in changes
    ]


def _cpu_s(usages: dict[int, Usage]) -> float:
    return sum(one.cpu_s for one in usages.values())


def _read_all(pids: Sequence[int]) -> dict[int, Usage]:
    found = {}
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            found[pid] = _read(Path(f"/proc/{pid}"))
    return found


def _read(process: Path) -> Usage:
    """The fields of ``stat`` are those of proc(5): 14 to 17, utime, stime, cutime and cstime in clock ticks."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    wakes = [
        _field(one / "status", "voluntary_ctxt_switches") for one in (process / "task").iterdir()
    ]
    words = (process / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode()
    return Usage(
        command=words[:_COMMAND_CHARACTERS],
        cpu_s=sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"),
        wakes=sum(wakes),
        pss_kb=_field(process / "smaps_rollup", "Pss"),
        threads=len(wakes),
    )


def _field(file: Path, name: str) -> int:
    """The number of a line ``name: 12 kB``; 0 where there is none."""
    for line in file.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
