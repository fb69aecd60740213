"""
Rounds of one run: A B A B …, each against its own server, the server alone on one core, everything else on the other.

A ratio is the median of one side's rates over the median of the other's, from the same run.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

SERVER_CORE = 0
OTHER_CORE = 1


@dataclass(slots=True)
class Side:
    """One server under test: its port, its requests, the statuses that count as good, the rates it reached."""

    name: str
    port: int
    requests: Path
    good: frozenset[str]
    rates: list[float] = field(default_factory=list)
    p99_us: list[float] = field(default_factory=list)


def bench_seconds(default: float = 5.0) -> float:
    """Seconds of a round; ``BENCH_SECONDS`` shortens it."""
    return float(os.environ.get("BENCH_SECONDS", default))


def pin(pid: int, core: int) -> None:
    """Pins all threads of a process, where the machine has that core."""
    if (os.cpu_count() or 1) > core:
        for task in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), {core})


def pinned_to(core: int) -> Any:
    """For ``preexec_fn``: the child starts on *core*."""

    def before_start() -> None:
        if (os.cpu_count() or 1) > core:
            os.sched_setaffinity(0, {core})

    return before_start


def run_rounds(
    sides: Sequence[Side], *, rounds: int, seconds: float, connections: int = 32
) -> None:
    """Fills the rates of each side; raises where an answer was not what it should be."""
    for number in range(rounds + 1):
        for side in sides:
            outcome = generate(
                side, seconds=seconds if number else min(1.0, seconds), connections=connections
            )
            if number:  # the first is a warm-up
                side.rates.append(outcome["requests"] / outcome["seconds"])
                side.p99_us.append(outcome["p99_us"])
                print(
                    f"  round {number} {side.name}: {side.rates[-1]:,.0f}/s, p99 {side.p99_us[-1]:,.0f} us"
                )


def generate(side: Side, *, seconds: float, connections: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "loadtests.bench.generator",
        str(side.port),
        str(seconds),
        str(connections),
        str(side.requests),
    ]
    done = subprocess.run(
        command, check=True, capture_output=True, preexec_fn=pinned_to(OTHER_CORE)
    )
    outcome: dict[str, Any] = orjson.loads(done.stdout)
    strange = set(outcome["statuses"]) - side.good
    if strange or outcome["errors"]:
        raise SystemExit(
            f"{side.name} answered {outcome['statuses']} with {outcome['errors']} broken connections"
        )
    return outcome
