"""
One edge, held for `loadtests.bench.pairs`: ``python -c SOURCE BENCH`` in the root of a tree, which may be older.

Imports only what trees since fa088dd7 have under the same names. After the start, and after each line on stdin, prints
a line of JSON that begins with ``[``: the edge's port, its process, and the file with its requests. A line makes what
the next measurement needs: fresh tokens for ``track``, a reloaded state for ``snapshot``. Of ``serve-swap``, the world
changes all the time.
"""

import asyncio
import gc
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from loadtests.bench.changes import Changes
from loadtests.bench.heads import serve_heads, track_requests
from loadtests.bench.servers import Engines, Running, edge_on, engines, make_keys, metrics_of
from loadtests.bench.serving import make_serving
from loadtests.bench.snapshot import _put
from loadtests.bench.wire import write_requests
from loadtests.bench.world import World, make_world

_CAMPAIGNS = {"serve": 100, "serve-scale": 100_000, "serve-swap": 100_000}
_LOADED_CAMPAIGNS = 100_000
_LOAD_S = 120.0
_HEADS = 100_000
_TOKENS = 40_000
"""Of one measurement: more than an edge redeems in it."""
_CHANGES_PER_S = 100
_NAMESPACE = "placard"


def main(bench: str) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that its servers are stopped
    keys = make_keys()
    if campaigns := _CAMPAIGNS.get(bench):
        world = make_serving(keys, campaigns=campaigns, now_ms=_now_ms())
    else:
        world = make_world(keys, campaigns=10 if bench == "snapshot" else 100)
    with tempfile.TemporaryDirectory() as folder:
        requests = Path(folder) / "requests"
        if campaigns:
            write_requests(requests, serve_heads(world, _HEADS, seed=1).requests)
        gc.freeze()  # a collection of the world's objects would delay changes by a tenth of a second
        gc.disable()
        with engines() as behind, edge_on(behind, world, keys, _NAMESPACE) as running:
            prepare = _preparing(bench, world, requests, behind, running)
            _print(running, requests)
            for number, _ in enumerate(sys.stdin, 1):
                prepare(number)
                _print(running, requests)


def _preparing(
    bench: str, world: World, requests: Path, behind: Engines, running: Running
) -> Callable[[int], None]:
    def make_tokens(number: int) -> None:
        made = track_requests(world, _TOKENS, now_ms=_now_ms(), seed=number)
        write_requests(requests, made)

    if bench == "track":
        return make_tokens
    if bench == "snapshot":
        large = make_world(make_keys(), campaigns=_LOADED_CAMPAIGNS)

        def load(number: int) -> None:
            asyncio.run(_put(behind.redis_url, large, number + 1))
            deadline_s = time.monotonic() + _LOAD_S
            while metrics_of(running)["worker_snapshot_version"] <= number:
                if time.monotonic() > deadline_s:
                    raise SystemExit(f"the state was not loaded in {_LOAD_S:.0f} s")
                time.sleep(0.02)

        return load
    if bench == "serve-swap":
        changes = Changes(world, seed=3)
        lasting = changes.run(behind.redis_url, _NAMESPACE, seconds=10**6, per_s=_CHANGES_PER_S)
        Thread(target=asyncio.run, args=(lasting,), daemon=True).start()
    return lambda _: None


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _print(running: Running, requests: Path) -> None:
    print(json.dumps([running.port, running.pid, str(requests)]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
