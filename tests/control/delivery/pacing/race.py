"""Workers that share budgets over real Redis and PostgreSQL, and the process that grants them their parts."""

import random
import shutil
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy import text

from common.pacing.worker_leases import LeasedBudgets
from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.snapshot.model import Budget, Campaign, Goal
from common.snapshot.snapshot import Snapshot
from common.values.enums import Pacing
from control.adapters.redis_leases import RedisLeaseMailbox
from control.delivery.leasing.lease_metrics import LeaseMetrics
from control.delivery.leasing.lease_server import LeaseServer
from edge.adapters.redis_leases import RedisLeaseStore
from edge.state.commit_file import CommitFile, DeadFile, find_dead
from edge.state.lease_client import LeaseClient
from tests.control.events.ingest.world import Edge, World
from tests.support.builders import a_campaign, a_snapshot
from tests.support.servers import RedisServer

CENT = 10_000
SETTLE_S = 660.0
BID_CENTS = 1_000
"""A cent an impression."""


@dataclass
class Worker:
    budgets: LeasedBudgets
    leasing: LeaseClient
    commits: CommitFile | None = None

    def serve(self, snapshot: Snapshot, campaign: Campaign, now_ms: int, most: int) -> int:
        lookup = self.budgets.available_micros(snapshot, now_ms)
        for number in range(most):
            if lookup.get(campaign.id, 0) < CENT:
                return number
            self.budgets.commit(snapshot, campaign, CENT, now_ms)
        return most


@dataclass
class Race:
    world: World
    edge: Edge
    redis: str
    channels: Channels
    store: RedisLeaseStore
    mailbox: RedisLeaseMailbox
    workers: list[Worker] = field(default_factory=list)
    granting: LeaseServer = field(init=False)
    campaigns: list[Campaign] = field(default_factory=list)
    delivered: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.granting = self.new_granting()

    def new_granting(self) -> LeaseServer:
        metrics = LeaseMetrics(CollectorRegistry())
        return LeaseServer(
            self.world.database, self.mailbox, self.world.clock, metrics, settle_s=SETTLE_S
        )

    def add_worker(self, commits: CommitFile | None = None) -> Worker:
        budgets = LeasedBudgets(commits=commits)
        name = f"edge/{uuid.uuid4().hex}" if commits is None else commits.worker
        worker = Worker(
            budgets, LeaseClient(budgets, self.store, self.world.clock, name, commits), commits
        )
        self.workers.append(worker)
        return worker

    def kill(self, worker: Worker, folder: Path) -> list[DeadFile]:
        """What *worker* leaves in *folder*: a copy of its file has no lock on it."""
        self.workers.remove(worker)
        assert worker.commits is not None
        shutil.copytree(worker.commits.path.parent, folder)
        return list(find_dead(folder))

    async def add_campaign(
        self,
        cents: int | None,
        *,
        daily_cents: int | None = None,
        pacing: Pacing = Pacing.ASAP,
        goal: Goal | None = None,
        **flight: Any,
    ) -> Campaign:
        """*cents* None: it has a goal alone."""
        made = await self.world.add_campaign(
            budget_cents=cents,
            goal=goal,
            daily_cents=daily_cents,
            bid_cents=BID_CENTS,
            pacing=pacing,
            **flight,
        )
        daily = None if daily_cents is None else daily_cents * CENT
        total = None if cents is None else cents * CENT
        campaign = a_campaign(bid_cents=BID_CENTS, budget=Budget(total, daily), id=made, goal=goal)
        self.campaigns.append(campaign)
        return campaign

    async def round(self, rng: random.Random, *, most: int) -> None:
        """Everybody serves, and what was shown is counted; then everybody reports and receives grants."""
        snapshot, records = a_snapshot(*self.campaigns), []
        now_ms = self.world.clock.now_ms()
        for worker in rng.sample(self.workers, len(self.workers)):
            for campaign in self.campaigns:
                shown = worker.serve(snapshot, campaign, now_ms, rng.randint(0, most))
                self.delivered[campaign.id] = self.delivered.get(campaign.id, 0) + shown
                event = {"price_micros": CENT, "issued_ms": now_ms, "at_ms": now_ms}
                records += [self.edge.event(campaign.id, **event) for _ in range(shown)]
        if records:
            await self.world.ingest(records)
        await self.report()

    async def join(self, count: int) -> None:
        """As many workers as begin at once."""
        for _ in range(count):
            self.add_worker()
        await self.report()

    async def activate(self, campaign: Campaign) -> None:
        """Its snapshot has come to every worker, and nobody has called yet."""
        for worker in self.workers:
            worker.leasing.expect(a_snapshot(campaign), [campaign.id])
        await self.report()

    def call(self, worker: Worker, campaign: Campaign, times: int = 1) -> int:
        """How many are filled."""
        now_ms = self.world.clock.now_ms()
        shown = worker.serve(a_snapshot(campaign), campaign, now_ms, times)
        self.delivered[campaign.id] = self.delivered.get(campaign.id, 0) + shown
        return shown

    async def report(self) -> None:
        for worker in self.workers:
            await worker.leasing.exchange()
        await self.granting.round()
        for worker in self.workers:
            await worker.leasing.exchange()
        self.world.clock.advance(ms=500)

    async def serves_one(self, worker: Worker, campaign: Campaign) -> bool:
        now_ms = self.world.clock.now_ms()
        if worker.serve(a_snapshot(campaign), campaign, now_ms, 1):
            return True
        await worker.leasing.exchange()
        return False

    async def go_back(self) -> None:
        """Where nobody had granted anything yet."""
        async with self.world.database.service() as session:
            await session.execute(text("update lease_epoch set epoch = 0"))
            await session.execute(text("delete from lease_journal"))
            await session.execute(text("delete from lease_books"))
        self.granting = self.new_granting()

    async def forget_redis(self) -> None:
        redis = patient_redis(self.redis, connect_s=30)
        await redis.delete(self.channels.lease_reports, self.channels.lease_grants)
        await redis.aclose()


@pytest.fixture
async def race(
    world: World, edge: Edge, redis_server: RedisServer, namespace: str
) -> AsyncIterator[Race]:
    channels = Channels(namespace)
    store = RedisLeaseStore.open(redis_server.url, channels, call_s=30)
    mailbox = RedisLeaseMailbox(redis_server.url, channels)
    async with world.database.service() as session:
        # Workers of the tests before, which share the database, would have their part of every budget.
        await session.execute(text("delete from lease_books"))
        await session.execute(text("delete from lease_journal"))
    yield Race(world, edge, redis_server.url, channels, store, mailbox)
    await store.close()
    await mailbox.close()
