"""
Rounds of one run: A B A B …, each against its own server, with the server alone on one core and the rest on the other.

A ratio is the median of one side's rates over the median of the other's, from the same run.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from loadtests.bench.slow import join_slow_group, slow_means

SERVER_CORE = 0
_KERNEL = 2
"""Parent of the kernel's threads."""
OTHER_CORE = 1


@dataclass(slots=True)
class Side:
    """
    One server under test: its port, its requests, the statuses that count as good, and its rates.

    *pid*: the server's process, if its CPU time is measured, too. ``per_cpu_s`` is what a core would answer that does
    nothing else, whatever the generator reached and however busy the machine was.
    """

    name: str
    port: int
    requests: Path
    good: frozenset[str]
    pid: int | None = None
    rates: list[float] = field(default_factory=list)
    per_cpu_s: list[float] = field(default_factory=list)
    generator_busy: list[float] = field(default_factory=list)
    p99_us: list[float] = field(default_factory=list)


def bench_seconds(default: float = 5.0) -> float:
    """Seconds of a round; ``BENCH_SECONDS`` shortens it."""
    return float(os.environ.get("BENCH_SECONDS", default))


def pin(pid: int, core: int) -> None:
    """Pins all threads of a process to *core*, if the machine has that core and the process has not ended."""
    if (os.cpu_count() or 1) > core:
        with suppress(FileNotFoundError, ProcessLookupError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), {core})


def pinned_to(core: int) -> Any:
    """For ``preexec_fn``: the child starts on *core*; a server is slowed as set by ``SLOW``."""
    is_slow = core == SERVER_CORE and slow_means(core) == "quota"

    def before_start() -> None:
        if is_slow:
            join_slow_group()
        if (os.cpu_count() or 1) > core:
            os.sched_setaffinity(0, {core})

    return before_start


@contextmanager
def kernel_threads_off(core: int) -> Iterator[int]:
    """
    Moves the kernel's threads that may run anywhere to the other cores while it lasts; yields how many. Needs root.

    The server is then alone on its core: some machines scan memory use, 7 ms twice a second.
    """
    moved: list[tuple[int, set[int]]] = []
    for pid in _kernel_threads():
        with suppress(OSError):
            allowed = os.sched_getaffinity(pid)
            if core in allowed and len(allowed) > 1:
                os.sched_setaffinity(pid, allowed - {core})
                moved.append((pid, allowed))
    try:
        yield len(moved)
    finally:
        for pid, allowed in moved:
            with suppress(OSError):
                os.sched_setaffinity(pid, allowed)


def _kernel_threads() -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == _KERNEL:
                    yield int(entry.name)


def run_rounds(
    sides: Sequence[Side], *, rounds: int, seconds: float, connections: int = 32
) -> None:
    """Fills the rates of each side; raises if a response was wrong."""
    for number in range(rounds + 1):
        for side in sides:
            used_s = cpu_seconds(side.pid)
            outcome = generate(
                side, seconds=seconds if number else min(1.0, seconds), connections=connections
            )
            if number:  # the first is a warm-up
                note(side, number, outcome, cpu_seconds(side.pid) - used_s)


def note(side: Side, number: int, outcome: dict[str, Any], used_s: float) -> None:
    """Records the outcome of a round of `generate`. *used_s*: the CPU time that the server used for it."""
    side.rates.append(outcome["requests"] / outcome["seconds"])
    side.p99_us.append(outcome["p99_us"])
    side.generator_busy.append(outcome["busy"])
    line = f"  round {number} {side.name}: {side.rates[-1]:,.0f}/s, p99 {side.p99_us[-1]:,.0f} us"
    if side.pid is not None:
        side.per_cpu_s.append(outcome["requests"] / max(used_s, 0.01))
        line += f", {side.per_cpu_s[-1]:,.0f} a CPU second"
    print(line)


def cpu_seconds(pid: int | None) -> float:
    """CPU seconds that a process and all below it have used so far; 0 without a process."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    used_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return used_s + sum(cpu_seconds(int(child)) for child in children)


def generate(
    side: Side, *, seconds: float, connections: int, rate: float | None = None
) -> dict[str, Any]:
    """Runs a closed loop, or *rate* requests a second; raises if a response was wrong."""
    command = _generator(side, seconds, connections, None if rate is None else str(rate))
    done = subprocess.run(
        command, check=True, capture_output=True, preexec_fn=pinned_to(OTHER_CORE)
    )
    return _outcome(side, done.stdout)


@contextmanager
def generating_first(
    side: Side, *, seconds: float, connections: int
) -> Iterator[Callable[[], dict[str, Any]]]:
    """
    A closed loop that waits for a server that has yet to start, and begins when it is ready. Yields a function that
    waits for the outcome, as of `generate`.
    """
    command = _generator(side, seconds, connections, "first")
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        preexec_fn=pinned_to(OTHER_CORE),  # noqa: PLW1509 - no threads here
    )

    def outcome() -> dict[str, Any]:
        return _outcome(side, process.communicate()[0])

    try:
        yield outcome
    finally:
        process.kill()
        process.wait()


def _generator(side: Side, seconds: float, connections: int, mode: str | None) -> list[str]:
    return [
        sys.executable,
        "-m",
        "loadtests.bench.generator",
        str(side.port),
        str(seconds),
        str(connections),
        str(side.requests),
        *([] if mode is None else [mode]),
    ]


def _outcome(side: Side, printed: bytes) -> dict[str, Any]:
    outcome: dict[str, Any] = orjson.loads(printed)
    strange = set(outcome["statuses"]) - side.good
    if strange or outcome["errors"]:
        raise SystemExit(
            f"{side.name} answered {outcome['statuses']} with {outcome['errors']} broken connections"
        )
    return outcome
