"""A day of known events through judge, record and store: verdicts as labelled, the bill to the micro."""

import uuid
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

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


async def test_a_few_hours_are_judged_and_billed_as_labelled(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async with a_stage(mailbox, tmp_path, 2 * HOUR_MS) as stage:
        await check_day(stage, 5_000, polls=1)


@pytest.mark.long
async def test_a_whole_day_is_judged_and_billed_as_labelled(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async with a_stage(mailbox, tmp_path, 24 * HOUR_MS) as stage:
        await check_day(stage, 100_000, polls=25)


async def check_day(stage: Stage, count: int, *, polls: int) -> None:
    played = stage.day.play(count)
    await stage.ingest(played, polls)

    labels = Counter(
        (one.record.token_id, str(one.record.kind), one.label, one.micros)
        for one in played
        if one.label is not None
    )
    stored: Counter[tuple[uuid.UUID, str, str, int]] = Counter(
        (row.token_id, row.kind, row.reason, row.charged_micros)
        for row in await stage.mailbox.events()
    )
    assert len(played) >= count
    wrong = {one for one, *_ in (labels - stored) + (stored - labels)}
    assert not wrong, _told(wrong, labels, stored)
    text = await stage.mailbox.check()
    assert text["micros"] == sum(one.micros for one in played)
    tight = await stage.mailbox.spent_micros(stage.day.cast.tight)
    assert tight == min(stage.day.cast.tight_micros, _asked(played, stage.day.cast.tight))
    assert await stage.mailbox.spent_micros(stage.day.cast.test) is None


def _told(wrong: set[uuid.UUID], *sides: Counter[tuple[uuid.UUID, str, str, int]]) -> str:
    """Of some tokens: what was to be, and what is."""
    some = sorted(wrong)[:5]
    return "\n".join(
        str([[rest for one, *rest in side if one == token] for side in sides]) for token in some
    )


def _asked(played: list[Labelled], campaign_id: str) -> int:
    return sum(
        one.record.price_micros for one in played if str(one.record.campaign_id) == campaign_id
    )
