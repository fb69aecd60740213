"""
`make bench-snapshot`: how soon workers decide by a change, on two live edges of two workers each.

- change: a pause or resume of the leading campaign → every worker decides by it. Counted from the API's response, which
  comes after the commit (`change_…`), and from the sending of the call (`call_to_change_…`). Each worker gets a request
  over a connection of its own every 4 ms, while both edges together serve 500 requests a second.
- propagation: the same until `GET /v1/propagation/{version}` reports it, for a few rounds.
- load: a full state of 100 000 campaigns is put into Redis → a worker decides by it.
"""

import asyncio
import os
import sys
import time
from collections.abc import Sequence

import uvloop

from common.service.channels import Channels
from common.snapshot.messages import Heartbeat
from common.values.environment import Environment
from control.adapters.redis_channel import RedisSnapshotChannel
from deploy.standalone.background import Background, running_stack
from loadtests.bench.loop import Loop, edge_of, make_top_campaign, measure_changes
from loadtests.bench.report import Report, percentile
from loadtests.bench.scale import measure_scale
from loadtests.bench.servers import (
    edge_on,
    engines,
    make_keys,
    metrics_of,
)
from loadtests.bench.slow import refuse_slow
from loadtests.bench.two_edges import second_edge, traffic
from loadtests.bench.world import World, make_world

_ROUNDS = int(os.environ.get("BENCH_ROUNDS", "200"))
_SEEN_ROUNDS = 10
_RATE = 500
_CAMPAIGNS = int(os.environ.get("BENCH_CAMPAIGNS", "100000"))
_LOADS = 3
_LOAD_S = 120.0
_ENVIRONMENT = {"PLACARD_MANAGEMENT_PER_KEY_S": "2000", "KAFKA": os.environ.get("KAFKA", "1")}


def main() -> int:
    refuse_slow("snapshot")
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    report = Report("snapshot")
    with running_stack(_ENVIRONMENT) as stack, second_edge(stack) as (port, pids):
        asyncio.run(_measure_changes(stack, (edge_of(stack), (port, pids)), report))
    report.figures |= {"campaigns": _CAMPAIGNS, "load_s": _measure_load()}
    report.reach = {"max_change_p50_ms": 60.0, "max_change_p99_ms": 250.0, "max_load_s": 5.0}
    report.scale = measure_scale()
    return report.print()


async def _measure_changes(
    stack: Background, edges: Sequence[tuple[int, Sequence[int]]], report: Report
) -> None:
    loop = await Loop.open(stack.demo, edges)
    campaign_id = await make_top_campaign(loop)
    with traffic(loop.serve_request, [port for port, _ in edges], _RATE):
        await asyncio.sleep(1.0)
        rounds = await measure_changes(loop, campaign_id, _ROUNDS)
        seen = [await _seen(loop, campaign_id, number) for number in range(_SEEN_ROUNDS)]
    await loop.close()
    answered = [one.from_answer_ms for one in rounds]
    called = [one.from_call_ms for one in rounds]
    report.figures = {
        "rounds": _ROUNDS,
        "workers": len(loop.workers),
        "rate_per_s": _RATE,
        "change_p50_ms": percentile(answered, 0.5),
        "change_p99_ms": percentile(answered, 0.99),
        "change_max_ms": max(answered),
        "call_to_change_p50_ms": percentile(called, 0.5),
        "call_to_change_p99_ms": percentile(called, 0.99),
        "propagation_seen_p50_ms": percentile(seen, 0.5),
        "propagation_seen_max_ms": max(seen),
    }


async def _seen(loop: Loop, campaign_id: str, number: int) -> float:
    """Milliseconds until the API reports that every worker of both environments has a change."""
    verb = "resume" if number % 2 else "pause"
    answer = await loop.post(f"/v1/campaigns/{campaign_id}/{verb}")
    answered_s = time.perf_counter()
    path = f"/v1/propagation/{answer.headers['x-snapshot-version']}"
    while (time.perf_counter() - answered_s) < _LOAD_S:
        if (await loop.control.get(path)).raise_for_status().json()["complete"]:
            return (time.perf_counter() - answered_s) * 1000
        await asyncio.sleep(0.02)
    raise SystemExit(f"{path} was not complete within {_LOAD_S:.0f} s")


def _measure_load() -> float:
    """The slowest of a few loads, in seconds."""
    keys = make_keys()
    small, large = make_world(keys, campaigns=10), make_world(keys, campaigns=_CAMPAIGNS)
    with engines() as behind, edge_on(behind, small, keys) as running:
        taken = []
        for version in range(2, 2 + _LOADS):
            started_s = asyncio.run(_put(behind.redis_url, large, version))
            while metrics_of(running)["worker_snapshot_version"] < version:
                if time.perf_counter() - started_s > _LOAD_S:
                    raise SystemExit(f"the state was not loaded in {_LOAD_S:.0f} s")
                time.sleep(0.02)
            taken.append(time.perf_counter() - started_s)
    return max(taken)


async def _put(redis_url: str, world: World, version: int) -> float:
    """Returns when the state was in Redis and its notification was sent."""
    full = world.full(version)
    channel = RedisSnapshotChannel(redis_url, Channels("placard"), ring=1000)
    await channel.put_full(Environment.LIVE, full)
    started_s = time.perf_counter()
    beat = Heartbeat(full.epoch, full.version, full.digest, time.time_ns() // 1_000_000)
    await channel.beat(Environment.LIVE, beat)
    await channel.close()
    return started_s


if __name__ == "__main__":
    sys.exit(main())
