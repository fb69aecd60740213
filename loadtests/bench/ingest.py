"""
`make bench-ingest`: one ingest process on one core, Kafka and PostgreSQL (durable) on the other.

A round fills the topic, starts the process, and measures from its first commit until the given number of events is
stored. The topic holds as many more events as a process has in hand: at the end, as many are read but not stored as at
the beginning. The comparison, in turn, is `COPY` of as many of the same rows into a clone of the events' table, with
the same client and as many rows a transaction. At the end keys, rows, sums and ledger must agree to the event and to
the micro.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from loadtests.bench.ingest_servers import Servers, run_servers
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import SERVER_CORE, bench_seconds, cpu_seconds, pinned_to
from loadtests.bench.scale import measure_scale

_ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
_EVENTS_A_SECOND = 15_000
"""Converts a round's length to a number of events."""
_GIVE_UP_S = 120.0
_CHECK_S = 0.02


def main() -> int:
    events = int(bench_seconds() * _EVENTS_A_SECOND)
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        servers = steps.enter_context(run_servers(folder))
        stored: list[dict[str, float]] = []
        copied: list[float] = []
        for number in range(_ROUNDS):
            asyncio.run(servers.fill(events + servers.in_hand, seed=number))
            stored.append(asyncio.run(_ingest(servers, events)))
            copied.append(_copy(servers, events))
            print(f"  round {number + 1}: {_summary(stored[-1])}; COPY {copied[-1]:,.0f}/s")
        asyncio.run(servers.check((events + servers.in_hand) * _ROUNDS))
    report = _report(stored, copied, servers.batch)
    report.scale = measure_scale()
    return report.print()


async def _ingest(servers: Servers, events: int) -> dict[str, float]:
    """Events a second, and the processor time that each took of the process and of PostgreSQL."""
    async with servers.watching() as committed:
        with servers.ingesting() as pid:
            first, started = await _await(committed, 1)
            used_s, database_s = cpu_seconds(pid), servers.database_cpu_s()
            last, ended = await _await(committed, first + events)
            used_s = cpu_seconds(pid) - used_s
            database_s = servers.database_cpu_s() - database_s
            await _await(committed, events + servers.in_hand)
    count = last - first
    return {
        "rate": count / (ended - started),
        "process_us": 1e6 * used_s / count,
        "database_us": 1e6 * database_s / count,
    }


async def _await(committed: Callable[[], Awaitable[int]], least: int) -> tuple[int, float]:
    """Waits until *least* are committed; returns how many are, and when that was seen."""
    deadline = time.perf_counter() + _GIVE_UP_S
    while time.perf_counter() < deadline:
        if (found := await committed()) >= least:
            return found, time.perf_counter()
        await asyncio.sleep(_CHECK_S)
    raise SystemExit(f"{least} events were not stored within {_GIVE_UP_S:.0f} s")


def _copy(servers: Servers, rows: int) -> float:
    """Rows a second that `COPY` stores."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "loadtests.bench.ingest_copy"),
            *(servers.database_url, str(rows), str(servers.batch)),
        ],
        check=True,
        capture_output=True,
        preexec_fn=pinned_to(SERVER_CORE),
    )
    outcome: dict[str, Any] = orjson.loads(done.stdout)
    return float(outcome["rows"] / outcome["seconds"])


def _report(stored: list[dict[str, float]], copied: list[float], batch: int) -> Report:
    report = Report("ingest")
    events_per_s = median([one["rate"] for one in stored])
    report.figures = {
        "events_per_s": events_per_s,
        "copy_rows_per_s": median(copied),
        "process_cpu_us_per_event": median([one["process_us"] for one in stored]),
        "postgres_cpu_us_per_event": median([one["database_us"] for one in stored]),
        "load_average": os.getloadavg()[0],
        "batch": batch,
        "rounds": len(stored),
    }
    report.ratios = {"to_copy": events_per_s / median(copied)}
    report.reach = {"events_per_s": _EVENTS_A_SECOND, "to_copy": 0.3}
    return report


def _summary(one: dict[str, float]) -> str:
    return (
        f"{one['rate']:,.0f} events/s, {one['process_us']:.0f} us of the process and "
        f"{one['database_us']:.0f} us of PostgreSQL an event"
    )


if __name__ == "__main__":
    sys.exit(main())
