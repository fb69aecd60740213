"""
`make bench-serve`: one edge worker, 100 campaigns on the slot, with real key, token and counters. It is compared with
bare Sanic, bare Go, nginx, and uvloop with httptools, all responding with as many constant bytes. 100 000 distinct
heads; with ``ARGS=even`` every reader comes as often as any other, with ``ARGS=consent`` each has a consent string.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from loadtests.bench.baselines.start import BASELINES, BaselineMissing
from loadtests.bench.heads import serve_heads
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import Side, bench_seconds, generate, run_rounds
from loadtests.bench.scale import scale_of
from loadtests.bench.servers import answer, edge_alone, make_keys
from loadtests.bench.serving import make_serving
from loadtests.bench.wire import write_requests
from loadtests.bench.world import World

_CAMPAIGNS = 100
_HEADS = 100_000
_ROUNDS = 5
_CONNECTIONS = 64
_SHARE_OF_PEAK = 0.7
_PACED_ROUNDS = 3
_GOOD = frozenset({"200"})


def main() -> int:
    keys = make_keys()
    world = make_serving(keys, campaigns=_CAMPAIGNS, now_ms=time.time_ns() // 1_000_000)
    report = Report("serve")
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory()))
        requests = folder / "serve"
        options = sys.argv[1:]
        heads = serve_heads(
            world, _HEADS, seed=1, even="even" in options, consent="consent" in options
        )
        write_requests(requests, heads.requests)
        running = steps.enter_context(edge_alone(world, keys))
        body_bytes = _body_bytes(running.port, world)
        edge = Side("edge", running.port, requests, _GOOD, running.pid)
        sides = [edge]
        for name, start in BASELINES.items():
            try:
                baseline = steps.enter_context(start(folder, body_bytes))
            except BaselineMissing as missing:
                report.missing[name] = str(missing)
                continue
            sides.append(Side(name, baseline.port, requests, _GOOD, baseline.pid))
        run_rounds(sides, rounds=_ROUNDS, seconds=bench_seconds(), connections=_CONNECTIONS)
        rate = _SHARE_OF_PEAK * median(edge.rates)
        paced = [
            generate(edge, seconds=bench_seconds(), connections=_CONNECTIONS, rate=rate)
            for _ in range(_PACED_ROUNDS)
        ]
        beside = _paced_beside(sides, rate)
    _fill(report, edge, sides[1:])
    report.figures |= {
        "p99_at_70_percent_ms": _median_ms(paced, "p99_us"),
        "p999_at_70_percent_ms": _median_ms(paced, "p999_us"),
        "generators_own_p99_at_70_percent_ms": _median_ms(paced, "own_p99_us"),
        **beside,
        "body_bytes": body_bytes,
        "campaigns": _CAMPAIGNS,
        "distinct_heads": _HEADS,
        "distinct_signatures": heads.signatures,
    }
    report.scale = scale_of(report.figures["bare_sanic_per_cpu_s"])
    report.reach = {
        "edge_to_bare_sanic": 2.0,
        "edge_to_nginx": 0.33,
        "max_p99_at_70_percent_ms": 5.0,
    }
    return report.print()


def _paced_beside(sides: Sequence[Side], rate: float) -> dict[str, float]:
    """The p99 of nginx at the same rate: that much of the edge's p99 has other causes."""
    for side in sides:
        if side.name == "nginx":
            found = generate(side, seconds=bench_seconds(), connections=_CONNECTIONS, rate=rate)
            return {"nginx_p99_at_that_rate_ms": found["p99_us"] / 1000}
    return {}


def _median_ms(outcomes: Sequence[dict[str, Any]], name: str) -> float:
    return median([outcome[name] / 1000 for outcome in outcomes])


def _body_bytes(port: int, world: World) -> int:
    path = f"/v1/serve?slot={world.slots[0].key}"
    status, body = answer(port, path, {"X-Service-Key": world.key_text})
    if status != 200:
        raise SystemExit(f"the edge answered {status}: {body[:300]!r}")
    return len(body)


def _fill(report: Report, edge: Side, others: list[Side]) -> None:
    for side in (edge, *others):
        report.figures |= {
            f"{side.name}_per_s": median(side.rates),
            f"{side.name}_per_cpu_s": median(side.per_cpu_s),
            f"{side.name}_p99_us": median(side.p99_us),
            f"{side.name}_generator_busy": median(side.generator_busy),
        }
    for side in others:
        report.ratios |= {
            f"edge_to_{side.name}": median(edge.rates) / median(side.rates),
            f"edge_to_{side.name}_by_cpu": median(edge.per_cpu_s) / median(side.per_cpu_s),
        }


if __name__ == "__main__":
    sys.exit(main())
