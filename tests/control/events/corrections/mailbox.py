"""What an operator takes back of a publisher's events, and whether everything that counts them agrees."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from common.ivt.judge_lists import JudgeLists
from common.ivt.windows import LIMITS, Limits
from control.billing.ledger.check import find_imbalances
from control.events.corrections.rejudge import find_invalid
from control.events.corrections.retract import Chosen, Retracted, retract
from control.outbox.changes import Changes
from tests.control.billing.ledger.world import Money

_ROWS = """
select count(*) filter (where valid and not is_test),
    count(*) filter (where reason = 'retracted' and not is_test),
    count(*) filter (where valid), count(*) filter (where not valid),
    coalesce(sum(charged_micros), 0), count(*) filter (where reason = 'retracted')
from events where account_id = :account
"""
_HOURS = """
select coalesce(sum(count) filter (where reason like 'ok%' or reason = 'retracted'), 0),
    coalesce(sum(count) filter (where reason not like 'ok%' and reason <> 'retracted'), 0),
    coalesce(sum(charged_micros), 0)
from event_hourly where account_id = :account and kind in ('impression', 'click', 'conversion')
"""
_SPEND = """
select coalesce(sum(spent_micros), 0), coalesce(sum(impressions + clicks + conversions), 0),
    (select coalesce(sum(spent_micros), 0) from campaign_spend_days where account_id = :account),
    (select coalesce(sum(impressions + clicks + conversions), 0) from ad_counts where account_id = :account),
    (select coalesce(sum(impressions + clicks + conversions), 0) from ad_slot_counts where account_id = :account)
from campaign_spend where account_id = :account
"""


@dataclass
class Mailbox(Money):
    async def retract(self, *event_ids: uuid.UUID, cause: str = "asked for") -> Retracted:
        requested = list(event_ids)
        rows = await self.rows(
            "select stored_day, id from events where id = any(:ids)", ids=requested
        )
        return await self.take_back([Chosen(day, event_id, cause) for day, event_id in rows])

    async def take_back(self, chosen: Sequence[Chosen]) -> Retracted:
        changes = Changes()
        async with self.database.service() as session:
            done = await retract(session, changes, chosen, self.clock.now())
        self.flushed.extend(changes.touched)
        return done

    async def find(self, lists: JudgeLists, limits: Limits = LIMITS) -> dict[uuid.UUID, str]:
        """Of the last hour: what would not count today, and why."""
        now = self.clock.now()
        async with self.database.service() as session:
            found = find_invalid(session, lists, limits, now - timedelta(hours=1), now)
            everything = [(chosen.id, reason.value) async for chosen, reason in found]
        mine = {row.id for row in await self.events()}
        return {event_id: reason for event_id, reason in everything if event_id in mine}

    async def check(self) -> dict[str, int]:
        """Fails where rows, hours, counts, spend and charges disagree; gives what they say."""
        live, live_back, valid, invalid, micros, retracted = (await self._one(_ROWS))[:6]
        counted, not_counted, hourly_micros = (await self._one(_HOURS))[:3]
        spent, spend_counts, by_day, by_ad, by_slot = (await self._one(_SPEND))[:5]
        assert (counted, not_counted) == (valid - retracted, invalid - retracted)
        assert micros == hourly_micros == spent == by_day
        assert by_ad == by_slot == counted
        assert spend_counts == live - live_back
        async with self.database.service() as session:
            drift = await find_imbalances(session)
        assert not drift, drift
        return {"counted": counted, "not_counted": not_counted, "micros": micros}

    async def _one(self, statement: str) -> Any:
        return (await self.rows(statement, account=self.account_id))[0]
