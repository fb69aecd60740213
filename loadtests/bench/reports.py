"""
`make bench-reports`: reports over 90 days of a hundred million events, whole and split by any two dimensions.

The API runs on one core; PostgreSQL and the client share the other. Each split is requested repeatedly, warm, in UTC
and in a time zone whose days are not UTC's. The figures of a split are its slowest response, and the mean processor
time of PostgreSQL and of the API for a response, which varies less on a busy machine. Use fewer rows with
``ARGS=rows``.
"""

import asyncio
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import httpx
import orjson
from sqlalchemy import text

from common.values.clock import SystemClock, to_iso
from control.reporting.reports.vocabulary import Dimension
from control.storage.database import open_engine
from loadtests.bench.control_world import Api, run_api
from loadtests.bench.report import Report, median, percentile
from loadtests.bench.reports_world import DAYS, ReportData, make_books
from loadtests.bench.rounds import cpu_seconds
from loadtests.bench.scale import measure_scale

_ROWS = 5_000_000
_TURNS = 10
_ZONES = ("UTC", "America/New_York")
_SPLITS = ((), *((each,) for each in Dimension), *combinations(Dimension, 2))
_METRICS = (
    "requests,fills,fill_rate,impressions,viewable_impressions,clicks,conversions,spend_cents,earnings_cents,ctr,"
    "ecpm_cents"
)
_REACH_MS = 300.0


@dataclass(frozen=True, slots=True)
class Taken:
    """``slowest_ms``: until the last byte. ``cpu_ms``: of PostgreSQL and of the API, the mean of a response."""

    slowest_ms: float
    cpu_ms: float


def main() -> int:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else _ROWS
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        api = steps.enter_context(run_api(folder))
        books = make_books(api, rows=rows, decisions=rows // 4, now=SystemClock().now())
        http = steps.enter_context(
            httpx.Client(base_url=f"http://127.0.0.1:{api.port}", timeout=60)
        )
        http.headers["Authorization"] = books.authorization
        report = Report("reports")
        taken: dict[str, Taken] = {}
        for zone in _ZONES:
            for split in _SPLITS:
                name = f"{'×'.join(split) or 'total'} {zone}"
                taken[name] = _ask(api, http, books, zone, split)
        by_day = {
            zone: _ask(api, http, books, zone, (), granularity="day").slowest_ms for zone in _ZONES
        }
        sizes = asyncio.run(_sizes(api))
    slowest = {name: one.slowest_ms for name, one in taken.items()}
    cpu = {name: one.cpu_ms for name, one in taken.items()}
    print(orjson.dumps({"slowest_ms": _by_size(slowest), "cpu_ms": _by_size(cpu)}).decode())
    report.figures = {
        "event_hours_rows": sizes["event_hourly"][0],
        "decision_hours_rows": sizes["serve_hourly"][0],
        "rolled_rows": sizes["report_sums"][0],
        "event_hours_mib": sizes["event_hourly"][1],
        "rolled_mib": sizes["report_sums"][1],
        "events_millions": sizes["events"][0] / 1e6,
        "roll_day_s": median(books.roll_day_s),
        "total_ms": max(slowest[f"total {zone}"] for zone in _ZONES),
        "split_p50_ms": median(list(slowest.values())),
        "split_p99_ms": percentile(list(slowest.values()), 0.99),
        "slowest_ms": max(slowest.values()),
        "split_cpu_p50_ms": median(list(cpu.values())),
        "slowest_cpu_ms": max(cpu.values()),
        "by_day_utc_ms": by_day["UTC"],
        "by_day_new_york_ms": by_day["America/New_York"],
        "splits": len(_SPLITS),
        "days": DAYS,
    }
    report.reach = {"max_slowest_ms": _REACH_MS, "max_by_day_new_york_ms": _REACH_MS}
    report.scale = measure_scale()
    return report.print()


def _by_size(figures: dict[str, float]) -> dict[str, float]:
    return dict(sorted(figures.items(), key=lambda one: -one[1]))


def _ask(
    api: Api,
    http: httpx.Client,
    books: ReportData,
    zone: str,
    split: tuple[Dimension, ...],
    **more: str,
) -> Taken:
    """Requests the report in turn, after one request that only warms."""
    requested = {
        "from": to_iso(books.start),
        "to": to_iso(books.until),
        "tz": zone,
        "environment": "live",
        "group_by": ",".join(split),
        "metrics": _METRICS,
        **more,
    }
    _time_ms(http, requested)
    before_s = _used_s(api)
    slowest_ms = max(_time_ms(http, requested) for _ in range(_TURNS))
    return Taken(slowest_ms, (_used_s(api) - before_s) * 1000 / _TURNS)


def _time_ms(http: httpx.Client, requested: dict[str, str]) -> float:
    started_s = time.perf_counter()
    answer = http.get("/v1/reports/delivery", params=requested)
    taken_ms = (time.perf_counter() - started_s) * 1000
    if answer.status_code != httpx.codes.OK or not answer.json()["data"]:
        raise SystemExit(f"{answer.request.url} answered {answer.status_code}: {answer.text}")
    return taken_ms


def _used_s(api: Api) -> float:
    return cpu_seconds(api.pid) + cpu_seconds(api.postgres_pid)


async def _sizes(api: Api) -> dict[str, tuple[float, float]]:
    """Rows and mebibytes, indexes included."""
    engine = open_engine(api.database_url, None, is_hurried=False)
    found: dict[str, tuple[float, float]] = {}
    async with engine.connect() as connection:
        for table in ("event_hourly", "serve_hourly", "report_sums"):
            size = f"select count(*), pg_total_relation_size('{table}') / 1048576.0 from {table}"  # noqa: S608 - our own names
            rows, mib = (await connection.execute(text(size))).one()
            found[table] = (float(rows), float(mib))
        events = await connection.scalar(
            text("select sum(count) from event_hourly where kind <> 'viewable'")
        )
        found["events"] = (float(events), 0.0)
    await engine.dispose()
    return found


if __name__ == "__main__":
    sys.exit(main())
