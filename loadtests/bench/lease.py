"""
`make bench-lease`: the cost of granting leases for 10 000 active campaigns on four workers that serve all of them.

It runs a real `control pace` on PostgreSQL and Redis. The workers are those of the edge, without requests. Each commits
fills of random campaigns at a given rate, and exchanges leases as in production. The result is the processor time of
`control pace` and of PostgreSQL, in parts of a core.
"""

import asyncio
import base64
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import orjson
from sqlalchemy import text

from common.pacing.worker_leases import LeasedBudgets
from common.service.channels import Channels
from common.snapshot.model import Budget, Campaign
from common.snapshot.snapshot import build_snapshot
from common.values.clock import SystemClock
from common.values.environment import Environment
from control.storage.database import Database
from deploy.standalone.postgres import Postgres
from deploy.standalone.redis import Redis
from edge.adapters.redis_leases import RedisLeaseStore
from edge.state.lease_client import LeaseClient
from loadtests.bench.ingest_world import IngestWorld
from loadtests.bench.report import Report
from loadtests.bench.rounds import OTHER_CORE, SERVER_CORE, bench_seconds, cpu_seconds, pinned_to
from loadtests.bench.scale import measure_scale
from loadtests.bench.servers import await_ready, end, free_port, make_keys
from loadtests.bench.world import make_world

_CAMPAIGNS, _WORKERS = 10_000, 4
_FILLS_A_S = 1_000
"""Of one worker."""
_STEP_S = 0.05
_WARM_S = 30.0
PRICE_MICROS = 1_000
PACE_NAMESPACE = "bench"
_END_LATER = text(
    "update campaigns set end_at = now() + interval '30 days' where right(id, 1) = :last"
)


class WorkerFleet:
    """Four workers of a machine, in one event loop."""

    def __init__(self, redis_url: str, namespace: str, campaigns: list[Campaign]) -> None:
        clock = SystemClock()
        self.stores = [
            RedisLeaseStore.open(redis_url, Channels(namespace)) for _ in range(_WORKERS)
        ]
        self.budgets = [LeasedBudgets() for _ in range(_WORKERS)]
        self.leasing = [
            LeaseClient(budgets, store, clock, f"bench/{uuid.uuid4().hex}")
            for budgets, store in zip(self.budgets, self.stores, strict=True)
        ]
        self.campaigns = campaigns
        self.snapshot = build_snapshot(Environment.LIVE, "bench", 1, campaigns)
        self.asked = self.filled = 0

    async def serve(self, seconds: float) -> None:
        """Keeps the rate on a busy machine, too: fills missed in a late step are made in the next."""
        rng, started_s, due = random.Random(1), time.monotonic(), 0
        while (passed_s := time.monotonic() - started_s) < seconds:
            now_ms = time.time_ns() // 1_000_000
            calls = round(passed_s * _FILLS_A_S) - due
            due += calls
            for budgets in self.budgets:
                lookup = budgets.available_micros(self.snapshot, now_ms)
                for campaign in rng.choices(self.campaigns, k=calls):
                    self.asked += 1
                    if lookup.get(campaign.id, 0) >= PRICE_MICROS:
                        budgets.commit(self.snapshot, campaign, PRICE_MICROS, now_ms)
                        self.filled += 1
            await asyncio.sleep(_STEP_S)


async def measure(fleet: WorkerFleet, pace: int, postgres: int | None) -> dict[str, float]:
    tasks = [asyncio.create_task(leasing.run()) for leasing in fleet.leasing]
    await fleet.serve(_WARM_S)
    fleet.asked = fleet.filled = 0
    before, started_s = (cpu_seconds(pace), cpu_seconds(postgres)), time.monotonic()
    await fleet.serve(bench_seconds())
    took_s = time.monotonic() - started_s
    used = cpu_seconds(pace) - before[0], cpu_seconds(postgres) - before[1]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for store in fleet.stores:
        await store.close()
    return {
        "pace_cores": used[0] / took_s,
        "postgres_cores": used[1] / took_s,
        "cores": sum(used) / took_s,
        "fills_per_s": fleet.filled / took_s,
        "filled": fleet.filled / fleet.asked,
    }


async def open_campaigns(database_url: str, campaigns: Sequence[Campaign]) -> None:
    """All campaigns are paced: by their flight, and every other one also by its day."""
    database = Database(database_url)
    await IngestWorld(campaigns=[one.id for one in campaigns]).open(database)
    for last in "0123456789abcdef":
        async with database.service() as session:
            await session.execute(_END_LATER, {"last": last})
    await database.close()


def main() -> int:
    report = Report("lease")
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        postgres, redis = Postgres(folder / "postgres"), Redis(folder / "redis")
        for server in (postgres, redis):
            server.start()
            steps.callback(server.stop)
        internal_port = free_port()
        environment = pace_environment(folder, postgres.url, redis.url, internal_port)
        subprocess.run([sys.executable, "-m", "control", "migrate"], env=environment, check=True)
        budget = Budget(10**12, None)
        made = make_world(make_keys(), campaigns=_CAMPAIGNS).campaigns
        campaigns = [replace(one, budget=budget) for one in made]
        asyncio.run(open_campaigns(postgres.url, campaigns))
        pace = subprocess.Popen(
            [sys.executable, "-m", "control", "pace"],
            env=environment,
            preexec_fn=pinned_to(SERVER_CORE),  # noqa: PLW1509 - no threads here
        )
        steps.callback(end, pace)
        await_ready(internal_port, "/readyz")
        os.sched_setaffinity(0, {OTHER_CORE})
        fleet = WorkerFleet(redis.url, PACE_NAMESPACE, campaigns)
        identity = postgres.identity
        report.figures |= asyncio.run(
            measure(fleet, pace.pid, None if identity is None else identity.pid)
        )
    report.figures |= {"campaigns": _CAMPAIGNS, "workers": _WORKERS}
    report.reach = {"max_cores": 0.2, "filled": 0.99}
    report.scale = measure_scale()
    return report.print()


def pace_environment(folder: Path, database: str, redis: str, internal_port: int) -> dict[str, str]:
    key_file = folder / "keys.json"
    key = base64.b64encode(b"k" * 32).decode()
    key_file.write_bytes(orjson.dumps({"active": "k1", "keys": {"k1": key}}))
    return {
        **os.environ,
        "PLACARD_STATE": str(folder),
        "PLACARD_DATABASE_URL": database,
        "PLACARD_REDIS_URL": redis,
        "PLACARD_NAMESPACE": PACE_NAMESPACE,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_INTERNAL_PORT": str(internal_port),
        "PLACARD_CONTROL_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_LIVE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_TEST_URL": "http://127.0.0.1:1",
    }


if __name__ == "__main__":
    sys.exit(main())
