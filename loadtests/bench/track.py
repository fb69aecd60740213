"""
`make bench-track`: valid, distinct tokens with Redis and the spool (grouped fdatasync) on and Kafka behind, against
bare Sanic responding to `POST` with 204.

Each round has tokens of its own: as many as it could use, so that none is a replay.
"""

import sys
import tempfile
import time
from pathlib import Path

from loadtests.bench.baselines.start import bare_sanic
from loadtests.bench.heads import track_requests
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import Side, bench_seconds, cpu_seconds, generate, note
from loadtests.bench.servers import edge_alone, make_keys
from loadtests.bench.wire import write_requests
from loadtests.bench.world import make_world

_ROUNDS = 5
_CONNECTIONS = 256
"""A response waits for the disk: few connections would measure its latency, not the worker's capacity."""
_MAX_PER_S = 60_000
"""Tokens made for each second of a round. A faster edge would see replays; the bench then fails with a message."""


def main() -> int:
    keys = make_keys()
    world = make_world(keys, campaigns=100)
    seconds = bench_seconds(3.0)
    with (
        tempfile.TemporaryDirectory() as folder,
        edge_alone(world, keys) as edge_running,
        bare_sanic(Path(folder), 0) as bare_running,
    ):
        requests, good = Path(folder) / "track", frozenset({"204"})
        edge = Side("edge", edge_running.port, requests, good, edge_running.pid)
        bare = Side("bare sanic", bare_running.port, requests, good, bare_running.pid)
        for number in range(_ROUNDS + 1):
            now_ms = time.time_ns() // 1_000_000
            made = track_requests(world, int(_MAX_PER_S * seconds), now_ms=now_ms, seed=number)
            write_requests(requests, made)
            for side in (edge, bare):
                used_s = cpu_seconds(side.pid)
                outcome = generate(side, seconds=seconds, connections=_CONNECTIONS)
                if side is edge and outcome["requests"] > len(made):
                    raise SystemExit("the edge outran the tokens: raise _MAX_PER_S")
                if number:  # the first is a warm-up
                    note(side, number, outcome, cpu_seconds(side.pid) - used_s)
    report = Report("track")
    report.figures = {
        "edge_per_s": median(edge.rates),
        "bare_sanic_per_s": median(bare.rates),
        "edge_per_cpu_s": median(edge.per_cpu_s),
        "bare_sanic_per_cpu_s": median(bare.per_cpu_s),
        "edge_p99_us": median(edge.p99_us),
        "bare_sanic_p99_us": median(bare.p99_us),
    }
    report.ratios = {
        "edge_to_bare_sanic": median(edge.rates) / median(bare.rates),
        "edge_to_bare_sanic_per_cpu": median(edge.per_cpu_s) / median(bare.per_cpu_s),
    }
    report.reach = {"edge_to_bare_sanic": 0.7}
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
