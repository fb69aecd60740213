"""
`make bench-serve`: one edge worker, 100 campaigns on the slot, real key, token and counters, against bare Sanic
returning as many constant bytes. 100 000 distinct heads.
"""

import sys
import tempfile
from pathlib import Path

from loadtests.bench.generator import write_requests
from loadtests.bench.heads import serve_requests
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import Side, bench_seconds, run_rounds
from loadtests.bench.servers import answer, bare_sanic_alone, edge_alone, make_keys
from loadtests.bench.world import make_world

_CAMPAIGNS = 100
_HEADS = 100_000
_ROUNDS = 5


def main() -> int:
    keys = make_keys()
    world = make_world(keys, campaigns=_CAMPAIGNS)
    with tempfile.TemporaryDirectory() as folder, edge_alone(world, keys) as edge_port:
        requests = Path(folder) / "serve"
        write_requests(requests, serve_requests(world, _HEADS, seed=1))
        path = f"/v1/serve?slot={world.slots[0].key}"
        status, body = answer(edge_port, path, {"X-Service-Key": world.key_text})
        if status != 200:
            raise SystemExit(f"the edge answered {status}: {body[:300]!r}")
        with bare_sanic_alone(len(body)) as bare_port:
            edge = Side("edge", edge_port, requests, frozenset({"200"}))
            bare = Side("bare sanic", bare_port, requests, frozenset({"200"}))
            run_rounds([edge, bare], rounds=_ROUNDS, seconds=bench_seconds())
    report = Report("serve")
    report.figures = {
        "edge_per_s": median(edge.rates),
        "bare_sanic_per_s": median(bare.rates),
        "edge_p99_us": median(edge.p99_us),
        "body_bytes": len(body),
        "campaigns": _CAMPAIGNS,
        "distinct_heads": _HEADS,
    }
    report.ratios = {"edge_to_bare_sanic": median(edge.rates) / median(bare.rates)}
    report.reach = {"edge_to_bare_sanic": 0.6}
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
