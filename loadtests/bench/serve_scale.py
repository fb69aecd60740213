"""
`make bench-serve-scale`: the edge of bench-serve at 100, 10 000 and 100 000 campaigns of the property, all on the slot
that is asked for. Three edges take turns; the same callers ask each.
"""

import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from loadtests.bench.heads import Heads, serve_heads
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import Side, bench_seconds, run_rounds
from loadtests.bench.servers import Running, edge_on, engines, make_keys, metrics_of
from loadtests.bench.serving import make_serving
from loadtests.bench.wire import write_requests

_SIZES = (100, 10_000, 100_000)
_HEADS = 100_000
_ROUNDS = 5
_CONNECTIONS = 64
_GOOD = frozenset({"200"})


def main() -> int:
    keys, now_ms = make_keys(), time.time_ns() // 1_000_000
    report, signatures = Report("serve-scale"), 0
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory()))
        behind = steps.enter_context(engines())
        edges: dict[int, tuple[Running, Side]] = {}
        for size in _SIZES:
            world = make_serving(keys, campaigns=size, now_ms=now_ms)
            heads: Heads = serve_heads(world, _HEADS, seed=1)
            signatures = heads.signatures
            requests = folder / f"serve-{size}"
            write_requests(requests, heads.requests)
            began_s = time.perf_counter()
            running = steps.enter_context(edge_on(behind, world, keys, f"scale-{size}"))
            report.figures[f"ready_s_at_{size}"] = time.perf_counter() - began_s
            edges[size] = running, Side(f"{size}", running.port, requests, _GOOD, running.pid)
        run_rounds(
            [side for _, side in edges.values()],
            rounds=_ROUNDS,
            seconds=bench_seconds(3.0),
            connections=_CONNECTIONS,
        )
        for size, (running, side) in edges.items():
            report.figures |= _figures(size, side, metrics_of(running))
    _compare(report, edges[100][1], edges[100_000][1], signatures)
    return report.print()


def _figures(size: int, side: Side, metrics: dict[str, float]) -> dict[str, float]:
    decisions = sum(v for name, v in metrics.items() if name.startswith("decisions_total/"))
    return {
        f"per_s_at_{size}": median(side.rates),
        f"per_cpu_s_at_{size}": median(side.per_cpu_s),
        f"p99_us_at_{size}": median(side.p99_us),
        f"memo_hit_ratio_at_{size}": 1 - metrics["searches_total"] / decisions,
        f"answered_at_once_at_{size}": metrics["answered_at_once_total"] / decisions,
        f"longest_stall_ms_at_{size}": metrics["loop_longest_stall_seconds/own"] * 1000,
    }


def _compare(report: Report, few: Side, many: Side, signatures: int) -> None:
    report.figures["distinct_signatures"] = signatures
    report.ratios = {
        "rate_at_100000_to_100": median(many.rates) / median(few.rates),
        "rate_at_100000_to_100_by_cpu": median(many.per_cpu_s) / median(few.per_cpu_s),
    }
    report.reach = {
        "rate_at_100000_to_100": 0.8,
        "rate_at_100000_to_100_by_cpu": 0.8,
        "distinct_signatures": 20_000,
    }


if __name__ == "__main__":
    sys.exit(main())
