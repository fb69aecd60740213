"""
`make bench-serve-swap`: the edge of bench-serve with 100 000 campaigns, at a constant request rate while 100 changes a
second arrive through Redis. ``ARGS=1000`` sets the requests a second; the default is half of what the edge can answer
while such changes arrive.
"""

import asyncio
import gc
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from loadtests.bench.changes import Changes
from loadtests.bench.heads import serve_heads
from loadtests.bench.report import Report
from loadtests.bench.rounds import Side, bench_seconds, cpu_seconds, generate
from loadtests.bench.scale import measure_scale
from loadtests.bench.servers import Engines, Running, edge_on, engines, make_keys, metrics_of
from loadtests.bench.serving import make_serving
from loadtests.bench.wire import write_requests

_CAMPAIGNS = 100_000
_HEADS = 100_000
_CHANGES_PER_S = 100
_CONNECTIONS = 64
_SHARE_OF_PEAK = 0.5
_CAUGHT_UP_S = 10.0
_NAMESPACE = "swap"


def main(asked_rate: float | None) -> int:
    """*asked_rate*: requests a second."""
    keys = make_keys()
    world = make_serving(keys, campaigns=_CAMPAIGNS, now_ms=time.time_ns() // 1_000_000)
    report = Report("serve-swap")
    gc.freeze()  # a collection of the world's objects would delay the changes by a tenth of a second
    gc.disable()
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory()))
        requests = folder / "serve"
        write_requests(requests, serve_heads(world, _HEADS, seed=1).requests)
        behind = steps.enter_context(engines())
        running = steps.enter_context(edge_on(behind, world, keys, _NAMESPACE))
        edge = Side("edge", running.port, requests, frozenset({"200"}), running.pid)
        changes = Changes(world, seed=3)
        peak = _run(behind, edge, changes, seconds=5.0)
        rate = asked_rate or _SHARE_OF_PEAK * peak["requests"] / peak["seconds"]
        _run(behind, edge, changes, seconds=2.0, rate=rate)
        before, used_s = metrics_of(running), cpu_seconds(running.pid)
        seconds = bench_seconds(20.0)
        outcome = _run(behind, edge, changes, seconds=seconds, rate=rate)
        report.figures = {
            "rate_per_s": rate,
            "changes_per_s": _CHANGES_PER_S,
            "busy": (cpu_seconds(running.pid) - used_s) / seconds,
            **_figures(outcome, before, metrics_of(running)),
            "change_published_late_ms": changes.late_s * 1000,
            "behind_s": _caught_up_s(running, changes.version),
        }
    report.reach = {
        "max_p999_ms": 20.0,
        "max_stalls_over_10_ms": 0,
        "max_behind_s": 1.0,
    }
    report.scale = measure_scale()
    return report.print()


def _run(
    behind: Engines, edge: Side, changes: Changes, *, seconds: float, rate: float | None = None
) -> dict[str, Any]:
    """The generator's outcome while the changes arrive. *rate*: as in `generate`."""

    async def both() -> dict[str, Any]:
        asking = asyncio.to_thread(
            generate, edge, seconds=seconds, connections=_CONNECTIONS, rate=rate
        )
        changing = changes.run(behind.redis_url, _NAMESPACE, seconds=seconds, per_s=_CHANGES_PER_S)
        outcome: dict[str, Any] = (await asyncio.gather(asking, changing))[0]
        return outcome

    return asyncio.run(both())


def _caught_up_s(running: Running, version: int) -> float:
    """Seconds until the worker uses *version*."""
    start_s = time.perf_counter()
    while (waited_s := time.perf_counter() - start_s) < _CAUGHT_UP_S:
        if metrics_of(running)["worker_snapshot_version"] == version:
            return waited_s
        time.sleep(0.05)
    raise SystemExit(f"the worker is not at version {version} after {_CAUGHT_UP_S:.0f} s")


def _figures(
    outcome: dict[str, Any], before: dict[str, float], after: dict[str, float]
) -> dict[str, float]:
    """Stalls are the edge's own: without the time in which it was ready but others had its core."""
    grown = {name: value - before.get(name, 0.0) for name, value in after.items()}
    decisions = sum(v for name, v in grown.items() if name.startswith("decisions_total/"))
    return {
        "p50_ms": outcome["p50_us"] / 1000,
        "p99_ms": outcome["p99_us"] / 1000,
        "p999_ms": outcome["p999_us"] / 1000,
        "longest_answer_ms": outcome["max_us"] / 1000,
        "memo_hit_ratio": 1 - grown["match_cache_misses_total"] / decisions,
        "index_builds": grown["index_builds_total"],
        "longest_stall_ms": after["event_loop_longest_lag_seconds/own"] * 1000,
        "longest_stall_of_any_cause_ms": after["event_loop_longest_lag_seconds/all"] * 1000,
        "stalls_over_10_ms": _over(grown, "own", "0.01"),
        "stalls_over_5_ms": _over(grown, "own", "0.005"),
        "stalls_of_any_cause_over_10_ms": _over(grown, "all", "0.01"),
    }


def _over(grown: dict[str, float], part: str, bound_s: str) -> float:
    """Ticks of the event loop that were later than a bound of the histogram."""
    lag = "event_loop_lag_seconds"
    return grown[f"{lag}_count/{part}"] - grown[f"{lag}_bucket/{bound_s}/{part}"]


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else None))
