"""Workers race for budgets over real Redis and PostgreSQL, while some die, Redis forgets and another process grants."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy import text

from common.channels import Channels
from common.pacing.worker_leases import LeasedBudgets
from common.redis_client import patient_redis
from common.snapshot.model import Budget, Campaign
from common.snapshot.snapshot import Snapshot
from common.steps import finish
from common.vocabulary import Pacing
from control.adapters.redis_leases import RedisLeaseDesk
from control.pacing import books
from control.pacing.granting import Granting
from control.pacing.lease_metrics import LeaseMetrics
from edge.adapters.redis_leases import RedisLeaseStore
from edge.gates.leasing import Leasing
from tests.control.ingest.world import Edge, World
from tests.support.builders import a_campaign, a_snapshot
from tests.support.servers import RedisServer
from tests.support.waiting import until

CENT = 10_000
SETTLE_S = 660.0
BID_CENTS = 1_000
"""A cent an impression."""


@dataclass
class Worker:
    budgets: LeasedBudgets
    leasing: Leasing

    def serve(self, snapshot: Snapshot, campaign: Campaign, now_ms: int, most: int) -> int:
        lookup = self.budgets.open_micros(snapshot, now_ms)
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
    desk: RedisLeaseDesk
    workers: list[Worker] = field(default_factory=list)
    granting: Granting = field(init=False)
    campaigns: list[Campaign] = field(default_factory=list)
    delivered: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.granting = self.new_granting()

    def new_granting(self) -> Granting:
        metrics = LeaseMetrics(CollectorRegistry())
        return Granting(
            self.world.database, self.desk, self.world.clock, metrics, settle_s=SETTLE_S
        )

    def add_worker(self) -> Worker:
        budgets = LeasedBudgets()
        name = f"edge/{uuid.uuid4().hex}"
        worker = Worker(budgets, Leasing(budgets, self.store, self.world.clock, name))
        self.workers.append(worker)
        return worker

    async def add_campaign(
        self,
        cents: int,
        *,
        daily_cents: int | None = None,
        pacing: Pacing = Pacing.ASAP,
        **flight: Any,
    ) -> Campaign:
        made = await self.world.add_campaign(
            budget_cents=cents,
            daily_cents=daily_cents,
            bid_cents=BID_CENTS,
            pacing=pacing,
            **flight,
        )
        daily = None if daily_cents is None else daily_cents * CENT
        campaign = a_campaign(bid_cents=BID_CENTS, budget=Budget(cents * CENT, daily), id=made)
        self.campaigns.append(campaign)
        return campaign

    async def round(self, rng: random.Random, *, most: int) -> None:
        """Everybody serves, and what was shown is counted; then everybody tells and is told."""
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
        await self.tell()

    async def tell(self) -> None:
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
    desk = RedisLeaseDesk(redis_server.url, channels)
    yield Race(world, edge, redis_server.url, channels, store, desk)
    await store.close()
    await desk.close()


async def test_eight_racing_workers_deliver_budgets_whole_and_never_beyond(race: Race) -> None:
    rng = random.Random(7)
    cents = (1, 100, 3_000)
    for budget in cents:
        await race.add_campaign(budget)
    for _ in range(8):
        race.add_worker()
    for number in range(40):
        if number == 4:
            del race.workers[:2]
        if number == 6:
            await race.forget_redis()
        if number == 8:
            race.granting = race.new_granting()
        await race.round(rng, most=60)
    race.world.clock.advance(ms=round(SETTLE_S * 1000) + 120_000)
    for _ in range(80):
        await race.round(rng, most=60)
        if sum(race.delivered.values()) == sum(cents):
            break
    for campaign, budget in zip(race.campaigns, cents, strict=True):
        assert race.delivered[campaign.id] <= budget
        assert race.delivered[campaign.id] >= budget * 98 // 100
        assert await race.world.spent_micros(campaign.id) == race.delivered[campaign.id] * CENT
    events = await race.world.events()
    assert {event.reason for event in events} == {"ok"}


async def test_a_day_begins_with_its_own_budget(race: Race) -> None:
    midnight = datetime(2027, 3, 1, tzinfo=UTC)
    race.world.clock.advance(ms=round((midnight - race.world.clock.now()).total_seconds() * 1000))
    race.world.clock.advance(ms=-3_000)
    campaign = await race.add_campaign(100, daily_cents=10)
    race.add_worker()
    race.add_worker()
    rng, by_day = random.Random(3), []
    for _ in range(2):
        before = race.delivered.get(campaign.id, 0)
        for _ in range(6):
            await race.round(rng, most=20)
        by_day.append(race.delivered[campaign.id] - before)
    assert by_day == [10, 10]
    days = await race.world.rows(
        "select spent_micros from campaign_spend_days where campaign_id = :id order by day",
        id=campaign.id,
    )
    assert [day[0] for day in days] == [10 * CENT, 10 * CENT]


async def test_who_was_replaced_keeps_and_tells_nothing(race: Race) -> None:
    campaign = await race.add_campaign(100)
    worker = race.add_worker()
    await race.tell()
    worker.serve(a_snapshot(campaign), campaign, race.world.clock.now_ms(), 0)
    worker.budgets.open_micros(a_snapshot(campaign), 0).get(campaign.id, 0)
    first = race.granting
    race.granting = race.new_granting()
    await race.tell()
    worker.budgets.open_micros(a_snapshot(campaign), 0).get(campaign.id, 0)
    await worker.leasing.exchange()
    with pytest.raises(books.Replaced):
        await first.round()


async def test_workers_go_on_after_the_database_went_back_to_an_earlier_day(race: Race) -> None:
    """They know of later grantors than it does, and would hear none of its own."""
    campaign = await race.add_campaign(100)
    snapshot = a_snapshot(campaign)
    for _ in range(3):
        race.granting = race.new_granting()
        race.add_worker()
        await race.tell()
    await race.go_back()
    worker = race.add_worker()
    for one in race.workers:
        one.serve(snapshot, campaign, race.world.clock.now_ms(), 1)
    granting = asyncio.create_task(race.granting.run())
    await until(lambda: race.serves_one(worker, campaign))
    await until(lambda: race.serves_one(race.workers[0], campaign))
    granting.cancel()


async def test_what_may_still_be_delivered_is_told(race: Race) -> None:
    campaign = await race.add_campaign(100)
    worker = race.add_worker()
    snapshot = a_snapshot(campaign)
    for _ in range(3):
        worker.serve(snapshot, campaign, race.world.clock.now_ms(), 1)
        await race.tell()
        race.world.clock.advance(ms=6_000)
    async with race.world.database.tenant(race.world.account_id) as session:
        found = (await session.execute(books.FIND_OUTSTANDING, {"campaign": campaign.id})).one()
    async with race.world.database.tenant("another") as session:
        foreign = await session.execute(books.FIND_OUTSTANDING, {"campaign": campaign.id})
        assert foreign.first() is None
    committed = sum(held.lease.committed_micros for held in worker.budgets._held.values())
    assert found.micros >= finish(worker.budgets.count_steps())[1] + committed > 0
