"""
`make bench-pages`: the dashboard's pages of an account with ten thousand campaigns and ten million events.

One API process on its core, PostgreSQL and the visitor on the other. Each page is requested repeatedly, warm, one after
the other. The time is until the visitor has the last byte. Beside it are the core time of the API and of PostgreSQL,
which vary less on a busy machine. The weight is that of the page with every script, style and picture that it
references, each compressed with gzip. Use fewer events with ``ARGS=rows``, where a row counts forty.
"""

import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import orjson

from common.values.clock import SystemClock
from loadtests.bench.control_world import Api, run_api
from loadtests.bench.pages_weight import Weights
from loadtests.bench.pages_world import CAMPAIGNS, make_visit
from loadtests.bench.report import Report, median, percentile
from loadtests.bench.scale import measure_scale
from loadtests.bench.spent import spent_ms, with_below

_ROWS = 250_000
_TURNS, _WARM = 40, 4
_REACH_MS, _REACH_KIB = 150.0, 150.0
_PAGES = {
    "overview": "/live",
    "overview_28_days": "/live?range=28d",
    "campaigns": "/live/campaigns",
    "report": "/live/reports?compare=on",
    "report_by_campaign": "/live/reports?range=28d&group_by=campaign",
    "report_by_country_and_day": "/live/reports?range=28d&group_by=country&granularity=day",
    "events": "/live/events",
    "events_not_counted": "/live/events?valid=false",
    "exports": "/live/reports/exports",
}


@dataclass(frozen=True, slots=True)
class _Taken:
    """Milliseconds: of each turn, and core time of a turn. ``kib``: the page with its files."""

    turns_ms: list[float]
    api_ms: float
    postgres_ms: float
    kib: float

    @property
    def shown(self) -> dict[str, float]:
        return {
            "p50_ms": round(median(self.turns_ms), 1),
            "p95_ms": round(percentile(self.turns_ms, 0.95), 1),
            "api_core_ms": round(self.api_ms, 1),
            "postgres_core_ms": round(self.postgres_ms, 1),
            "kib": self.kib,
        }


def main() -> int:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else _ROWS
    pages = {
        name: path for name, path in _PAGES.items() if name in sys.argv[2:] or not sys.argv[2:]
    }
    report = Report("pages")
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        api = steps.enter_context(run_api(folder))
        visit = make_visit(api, rows=rows, now=SystemClock().now())
        http = steps.enter_context(
            httpx.Client(base_url=f"http://127.0.0.1:{api.port}", timeout=60)
        )
        http.headers["Cookie"] = visit.cookie
        weights = Weights(http)
        taken = {name: _visit(http, api, weights, path) for name, path in pages.items()}
    print(orjson.dumps({name: one.shown for name, one in taken.items()}).decode())
    report.figures = {
        "events_millions": visit.events / 1e6,
        "campaigns": CAMPAIGNS,
        "slowest_page_p95_ms": max(percentile(one.turns_ms, 0.95) for one in taken.values()),
        "heaviest_page_gzip_kib": max(one.kib for one in taken.values()),
    }
    report.reach = {
        "max_slowest_page_p95_ms": _REACH_MS,
        "max_heaviest_page_gzip_kib": _REACH_KIB,
    }
    report.scale = measure_scale()
    return report.print()


def _visit(http: httpx.Client, api: Api, weights: Weights, path: str) -> _Taken:
    """The first turns are not counted: they open connections and prepare statements."""
    for _ in range(_WARM):
        page = _shown(http, path)
    servers = [[api.pid], with_below(api.postgres_pid)]
    before = [spent_ms(pids) for pids in servers]
    turns = [_timed_ms(http, path) for _ in range(_TURNS)]
    api_ms, postgres_ms = (
        (spent_ms(pids) - earlier) / _TURNS for pids, earlier in zip(servers, before, strict=True)
    )
    return _Taken(turns, api_ms, postgres_ms, weights.kib_of(page))


def _timed_ms(http: httpx.Client, path: str) -> float:
    started_s = time.perf_counter()
    _shown(http, path)
    return (time.perf_counter() - started_s) * 1000


def _shown(http: httpx.Client, path: str) -> str:
    answer = http.get(path)
    if answer.status_code != httpx.codes.OK:
        raise SystemExit(f"{path} answered {answer.status_code}: {answer.text[:500]}")
    return answer.text


if __name__ == "__main__":
    sys.exit(main())
