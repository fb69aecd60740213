"""
`make bench-pages`: the dashboard's pages of an account with ten thousand campaigns and ten million events.

One API process on its core, PostgreSQL and the visitor on the other; each page is asked for again and again, warm, one
after the other. The time is of the answer's last byte at the visitor; the weight is of the page alone, as gzip has it.
Ask for fewer events with ``ARGS=rows`` of forty.
"""

import gzip
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import orjson

from common.clock import SystemClock
from loadtests.bench.control_world import run_api
from loadtests.bench.pages_world import CAMPAIGNS, make_visit
from loadtests.bench.report import Report, median, percentile

_ROWS = 250_000
_TURNS = 40
_REACH_MS, _REACH_KIB = 150.0, 150.0
_PAGES = {
    "overview": "/live",
    "overview_28_days": "/live?range=28d",
    "report": "/live/reports?compare=on",
    "report_by_campaign": "/live/reports?range=28d&group_by=campaign",
    "report_by_country_and_day": "/live/reports?range=28d&group_by=country&granularity=day",
    "events": "/live/events",
    "events_not_counted": "/live/events?valid=false",
    "exports": "/live/reports/exports",
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
        taken = {name: _visit(http, path) for name, path in pages.items()}
    each = {
        name: {"p50_ms": round(median(ms), 1), "p95_ms": round(percentile(ms, 0.95), 1), "kib": kib}
        for name, (ms, kib) in taken.items()
    }
    print(orjson.dumps(each).decode())
    report.figures = {
        "events_millions": visit.events / 1e6,
        "campaigns": CAMPAIGNS,
        "slowest_page_p95_ms": max(percentile(ms, 0.95) for ms, _ in taken.values()),
        "heaviest_page_gzip_kib": max(kib for _, kib in taken.values()),
    }
    report.reach = {
        "max_slowest_page_p95_ms": _REACH_MS,
        "max_heaviest_page_gzip_kib": _REACH_KIB,
    }
    return report.print()


def _visit(http: httpx.Client, path: str) -> tuple[list[float], float]:
    """Milliseconds of each turn but the first, which warms, and KiB."""
    taken: list[float] = []
    weight = 0.0
    for _ in range(_TURNS + 1):
        started_s = time.perf_counter()
        answer = http.get(path)
        taken.append((time.perf_counter() - started_s) * 1000)
        if answer.status_code != httpx.codes.OK:
            raise SystemExit(f"{path} answered {answer.status_code}: {answer.text[:500]}")
        weight = round(len(gzip.compress(answer.content)) / 1024, 1)
    return taken[1:], weight


if __name__ == "__main__":
    sys.exit(main())
