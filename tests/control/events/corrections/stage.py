"""A labelled day on two edges, and its events on their way into the database."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from common.ivt.windows import Limits
from common.values.enums import PricingModel
from common.values.environment import Environment
from common.values.ids import new_id
from edge.state.ip_lists import IpLists
from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.ingest.world import Edge
from tests.support.builders import a_campaign, a_property, a_snapshot
from tests.support.labelled_day import RATE, Cast, Day, Labelled
from tests.support.worker import an_edge

CHUNK_MS = 240_000
"""Stored together; less than what makes an event late."""
HOUR_MS = 3_600_000
TIGHT_CENTS = 20


@dataclass
class Stage:
    mailbox: Mailbox
    day: Day
    edge: Edge

    async def ingest(self, played: list[Labelled], polls: int) -> None:
        """In the order of arrival, a few minutes a poll; after *polls* by a process that knows only what is stored."""
        store, made = self.mailbox.store(), 0
        waiting = iter(played)
        one = next(waiting, None)
        until_ms = self.day.start_ms
        while one is not None:
            until_ms += CHUNK_MS
            records = []
            while one is not None and one.arrives_ms < until_ms:
                records.append(self.edge.wrap(one.record))
                one = next(waiting, None)
            self.mailbox.clock.advance(ms=until_ms - self.mailbox.clock.now_ms())
            # What the log says twice is stored once.
            await self.mailbox.ingest([*records, *records[:2]], store=store)
            made += 1
            if made % polls == 0:
                store = self.mailbox.store()


@asynccontextmanager
async def a_stage(mailbox: Mailbox, folder: Path, span_ms: int) -> AsyncIterator[Stage]:
    mailbox.limits = Limits(max_impressions_per_minute=RATE)
    start_ms = mailbox.clock.now_ms() // HOUR_MS * HOUR_MS
    mailbox.clock.advance(ms=start_ms - mailbox.clock.now_ms())
    cast = Cast(
        cpm=await mailbox.add_campaign(),
        cpc=await mailbox.add_campaign(pricing_model=PricingModel.CPC),
        tight=await mailbox.add_campaign(budget_cents=TIGHT_CENTS),
        ended=await mailbox.add_campaign(),
        test=await mailbox.add_campaign(environment="test"),
        slot_id=new_id(),
        tight_micros=TIGHT_CENTS * 10_000,
    )
    prop = a_property(id=mailbox.property_id, excluded_ip_ranges=("198.51.100.0/24",))
    ended = a_campaign(id=cast.ended, property_ids=(prop.id,), end_at_ms=start_ms - 25 * HOUR_MS)
    async with AsyncExitStack() as stack:
        live, test = [
            await stack.enter_async_context(
                an_edge(folder / environment.value, a_snapshot(*objects, environment=environment))
            )
            for environment, objects in (
                (Environment.LIVE, (prop, ended)),
                (Environment.TEST, (prop,)),
            )
        ]
        live.lists = test.lists = IpLists.read(None)
        yield Stage(mailbox, Day(live, test, prop, cast, start_ms, span_ms), Edge(mailbox))
