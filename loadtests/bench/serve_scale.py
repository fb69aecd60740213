"""
`make bench-serve-scale`: the edge of bench-serve at 100, 10 000 and 100 000 campaigns of the property, all on the
requested slot. Three edges take turns with the same requests.

The first two seconds of each are measured alone, from the moment its worker is ready. Nearly every request is then the
first of its reader, address or page, which costs twenty times a cached one, whatever the number of campaigns. The first
seconds of 10 000 campaigns are therefore compared with those of 100, not with the settled rate, which is printed beside
them. Then all edges get requests until their caches have settled. The rates compared are those after that, as of a site
whose edge has seen its usual clients.
"""

import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from loadtests.bench.generator import WINDOW_S
from loadtests.bench.heads import Heads, serve_heads
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import (
    Side,
    bench_seconds,
    cpu_seconds,
    generate,
    generating_first,
    run_rounds,
)
from loadtests.bench.scale import measure_scale
from loadtests.bench.servers import (
    Running,
    await_ready,
    engines,
    make_keys,
    metrics_of,
    starting_edge_on,
)
from loadtests.bench.serving import make_serving
from loadtests.bench.wire import write_requests

_SIZES = (100, 10_000, 100_000)
_HEADS = 100_000
_ROUNDS = 5
_CONNECTIONS = 64
_FIRST_S = 2.0
_WARM_S = 10.0
_MAX_WARM = 4
_SETTLED = 0.001
"""A warm-up round is the last if its hit ratio is this close to that of the round before."""
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
            name = f"scale-{size}"
            running = steps.enter_context(starting_edge_on(behind, world, keys, name))
            side = Side(f"{size}", running.port, requests, _GOOD, running.pid)
            edges[size] = running, side
            report.figures |= _first(size, side, running, began_s)
        report.figures["warmed_rounds"] = _warm(edges)
        before = {size: metrics_of(running) for size, (running, _) in edges.items()}
        run_rounds(
            [side for _, side in edges.values()],
            rounds=_ROUNDS,
            seconds=bench_seconds(3.0),
            connections=_CONNECTIONS,
        )
        for size, (running, side) in edges.items():
            report.figures |= _figures(size, side, before[size], metrics_of(running))
    _compare(report, edges[100][1], edges[100_000][1], signatures)
    return report.print()


def _first(size: int, side: Side, running: Running, began_s: float) -> dict[str, float]:
    """*began_s*: when the edge was started, with its whole state in Redis."""
    with generating_first(side, seconds=_FIRST_S, connections=_CONNECTIONS) as outcome_of:
        await_ready(running.port, "/readyz")
        ready_s, used_s = time.perf_counter() - began_s, cpu_seconds(side.pid)
        outcome = outcome_of()
    used_s = cpu_seconds(side.pid) - used_s
    windows = outcome["windows"]
    print(f"  first {size}: answers by tenths of a second {windows}")
    metrics = metrics_of(running)
    return {
        f"ready_s_at_{size}": ready_s,
        f"first_per_s_at_{size}": outcome["requests"] / outcome["seconds"],
        f"first_per_cpu_s_at_{size}": outcome["requests"] / max(used_s, 0.01),
        f"first_slowest_window_per_s_at_{size}": min(windows) / WINDOW_S,
        f"first_longest_silence_ms_at_{size}": outcome["longest_silence_us"] / 1000,
        f"first_longest_stall_ms_at_{size}": _longest_stall_ms(metrics),
        f"first_stalls_over_10_ms_at_{size}": metrics["loop_stalls_total/10/own"],
    }


def _warm(edges: dict[int, tuple[Running, Side]]) -> int:
    """Warms all edges in rounds until their hit ratios are stable, or `_MAX_WARM`; returns the number of rounds."""
    before = {size: metrics_of(running) for size, (running, _) in edges.items()}
    ratios = dict.fromkeys(edges, 0.0)
    for number in range(1, _MAX_WARM + 1):
        moved = 0.0
        for size, (running, side) in edges.items():
            generate(side, seconds=bench_seconds(_WARM_S), connections=_CONNECTIONS)
            metrics = metrics_of(running)
            ratio = _at_once(before[size], metrics)
            moved = max(moved, abs(ratio - ratios[size]))
            before[size], ratios[size] = metrics, ratio
        if moved < _SETTLED:
            return number
    return _MAX_WARM


def _longest_stall_ms(metrics: dict[str, float]) -> float:
    """The longest stall since the last call."""
    return metrics["loop_longest_stall_seconds/own"] * 1000


def _decisions(metrics: dict[str, float]) -> float:
    return sum(v for name, v in metrics.items() if name.startswith("decisions_total/"))


def _at_once(before: dict[str, float], after: dict[str, float]) -> float:
    """The share of the decisions in between that were made on the fast path."""
    decided = _decisions(after) - _decisions(before)
    return (after["fast_path_requests_total"] - before["fast_path_requests_total"]) / decided


def _figures(
    size: int, side: Side, before: dict[str, float], after: dict[str, float]
) -> dict[str, float]:
    decided = _decisions(after) - _decisions(before)
    searched = after["searches_total"] - before["searches_total"]
    return {
        f"per_s_at_{size}": median(side.rates),
        f"per_cpu_s_at_{size}": median(side.per_cpu_s),
        f"p99_us_at_{size}": median(side.p99_us),
        f"memo_hit_ratio_at_{size}": 1 - searched / decided,
        f"answered_at_once_at_{size}": _at_once(before, after),
        f"longest_stall_ms_at_{size}": _longest_stall_ms(after),
    }


def _compare(report: Report, few: Side, many: Side, signatures: int) -> None:
    figures = report.figures
    figures["distinct_signatures"] = signatures
    report.ratios = {
        "rate_at_100000_to_100": median(many.rates) / median(few.rates),
        "rate_at_100000_to_100_by_cpu": median(many.per_cpu_s) / median(few.per_cpu_s),
        "first_rate_at_10000_to_100": figures["first_per_s_at_10000"]
        / figures["first_per_s_at_100"],
        "first_rate_at_100000_to_100": figures["first_per_s_at_100000"]
        / figures["first_per_s_at_100"],
        **{
            f"first_rate_to_settled_at_{size}": figures[f"first_per_s_at_{size}"]
            / figures[f"per_s_at_{size}"]
            for size in _SIZES
        },
    }
    report.reach = {
        "rate_at_100000_to_100": 0.8,
        "rate_at_100000_to_100_by_cpu": 0.8,
        "distinct_signatures": 20_000,
        "first_rate_at_10000_to_100": 0.5,
        "max_first_longest_stall_ms_at_10000": 10.0,
    }
    report.scale = measure_scale()


if __name__ == "__main__":
    sys.exit(main())
