"""
Flat rates: ``bid_cents`` buys a campaign's whole flight. It is charged in equal parts, one for each day (in the
campaign's timezone) on which the campaign could deliver at some moment. A day costs no more than the daily budget. The
campaign is completed on the first day of which the total budget pays nothing. A day that is paid, if only in part, is
delivered to its end.

Running campaigns are charged every minute. Parts of days that are shorter are charged afterwards: the last day of a
flight by `complete_campaigns`, and the end of a day in whose last minute the flight began, or the campaign was
activated, by the run that follows.

A day's part is handled like every charge: it is added to the campaign's spend, in total and of the day, and to the
queue of charges to post.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.budget.local_day import local_day
from common.decision.rules.feature_support import SUPPORTED
from common.snapshot.model import ObjectType
from common.values.clock import from_ms, to_ms
from common.values.enums import CampaignStatus, PricingModel
from common.values.environment import Environment
from common.values.money import cents_to_micros
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.billing.ledger.spend import DAY
from control.demand.campaigns.completion import complete_spent
from control.demand.campaigns.delivery_status.delivery import delivery_of
from control.demand.campaigns.delivery_status.delivery_context import delivery_context_of
from control.demand.campaigns.schemas import DeliveryStatus
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.campaigns import CampaignRow

_AT_ONCE = 200
_MOMENT = timedelta(microseconds=1)
_SHORT = timedelta(seconds=60)
"""The pause between two runs of `charge_flat_rates`: in less than that, none may have seen the campaign deliver."""
_SINCE_MIDNIGHT = timedelta(minutes=5)
"""
How long a day that is over is charged. What the campaign delivers now is then still evidence of what it delivered at
the end of that day.
"""
_NO_LIMIT = 2**63
"""Micros."""

_CLAIM = text(
    "insert into flat_rate_days (campaign_id, day, account_id, micros, charged_at) "
    "values (:campaign, :day, :account, :micros, :now) on conflict do nothing returning day"
)
_IS_PAID = text(
    "select exists (select from flat_rate_days where campaign_id = :campaign and day = :day)"
)
_CHANGED_SINCE = text(
    "select exists (select from ads where campaign_id = :campaign and status = 'active' and updated_at > :at) "
    "or exists (select from slots where property_id = any(:properties) and updated_at > :at) "
    "or exists (select from properties where id = any(:properties) and updated_at > :at) "
    "or exists (select from accounts where id = :account and updated_at > :at)"
)
_OPEN = text(
    "insert into campaign_spend "
    "(campaign_id, account_id, spent_micros, impressions, clicks, conversions, updated_at) "
    "values (:campaign, :account, 0, 0, 0, 0, :now) on conflict do nothing"
)
_LOCK = text("select spent_micros from campaign_spend where campaign_id = :campaign for update")
_ADD = text(
    "update campaign_spend set spent_micros = spent_micros + :micros, updated_at = :now "
    "where campaign_id = :campaign"
)
_ADD_DAY = text(
    "insert into campaign_spend_days (campaign_id, day, account_id, spent_micros) "
    "values (:campaign, :day, :account, :micros) on conflict (campaign_id, day) do update set "
    "spent_micros = campaign_spend_days.spent_micros + excluded.spent_micros"
)
_QUEUE = text(
    "insert into charges (account_id, campaign_id, property_id, kind, units, micros) "
    "values (:account, :campaign, :property, :kind, :units, :micros)"
)


@dataclass(frozen=True, slots=True)
class Flight:
    """The local dates that a flight touches: the first date and the number of days."""

    first: date
    days: int

    def part_micros(self, bid_micros: int, day: date) -> int:
        """
        The charge of one day: an equal part, rounded down. The last day gets the rest, so that all parts sum to the
        bid.
        """
        part = bid_micros // self.days
        is_last = day == self.first + timedelta(days=self.days - 1)
        return bid_micros - part * (self.days - 1) if is_last else part


def flight_of(start_at: datetime, end_at: datetime, timezone: str) -> Flight:
    """The flight excludes *end_at*: a flight that ends at midnight does not touch the day that begins then."""
    zone = ZoneInfo(timezone)
    first = start_at.astimezone(zone).date()
    last = (end_at - _MOMENT).astimezone(zone).date()
    return Flight(first, (last - first).days + 1)


def split(micros: int, ways: int) -> list[int]:
    """Split into equal parts, rounded down; the first part gets the rest."""
    part = micros // ways
    return [micros - part * (ways - 1), *[part] * (ways - 1)]


async def charge_flat_rates(control: ControlContext, honoured: frozenset[str] = SUPPORTED) -> None:
    """
    Charge today's part of every flat-rate campaign that is delivering now and was not charged today.

    *honoured*: the capabilities of the edges. A campaign that needs any other does not deliver and is not charged.
    """
    now = control.clock.now()
    failed = await _charge_all(control, col(CampaignRow.end_at) > now, now, honoured)
    failed.raise_first()


async def charge_ended_flat_rates(
    control: ControlContext, now: datetime, honoured: frozenset[str] = SUPPORTED
) -> FailedItems:
    """
    Charge the last day of every active flat-rate campaign whose flight ended by *now*, if it was not charged yet and
    the campaign could deliver at the flight's last moment. *honoured*: as of `charge_flat_rates`. Returns the campaigns
    that could not be charged.

    A campaign that was edited after that moment is not charged, because it may have been no candidate then.
    """
    end_at = col(CampaignRow.end_at)
    ended = (end_at <= now) & (col(CampaignRow.updated_at) < end_at)
    return await _charge_all(control, ended, now, honoured)


async def _charge_all(
    control: ControlContext, which: ColumnElement[bool], now: datetime, honoured: frozenset[str]
) -> FailedItems:
    failed = FailedItems()
    after = ""
    while True:
        async with control.database.service() as session:
            rows = await _list_active(session, after, which, now)
        for row in rows:
            with failed.catching(row.id):
                await _charge_due(control, row, now, honoured)
        if len(rows) < _AT_ONCE:
            return failed
        after = rows[-1].id


async def _charge_due(
    control: ControlContext, row: CampaignRow, now: datetime, honoured: frozenset[str]
) -> None:
    for at in _moments(row, now):
        async with control.database.service() as session:
            if await _charge(session, row, at, now, honoured):
                await _complete(control, session, row, now)
                return


async def _list_active(
    session: AsyncSession, after: str, which: ColumnElement[bool], now: datetime
) -> list[CampaignRow]:
    wanted = select(CampaignRow).where(
        col(CampaignRow.id) > after,
        col(CampaignRow.environment) == Environment.LIVE.value,
        col(CampaignRow.pricing_model) == PricingModel.FLAT_RATE.value,
        col(CampaignRow.status) == CampaignStatus.ACTIVE.value,
        col(CampaignRow.start_at) <= now,
        which,
    )
    return list(await session.scalars(wanted.order_by(col(CampaignRow.id)).limit(_AT_ONCE)))


def _moments(row: CampaignRow, now: datetime) -> Iterator[datetime]:
    """Yields the moments whose days are due: the last of the day before, if it was short, and *now* or the last."""
    if row.start_at is None or row.end_at is None:
        return
    last = min(now, row.end_at - _MOMENT)
    midnight = from_ms(local_day(row.timezone, to_ms(last)).start_ms)
    since = max(row.start_at, row.updated_at)
    if since < midnight < since + _SHORT and now < midnight + _SINCE_MIDNIGHT:
        yield midnight - _MOMENT
    yield last


async def _charge(
    session: AsyncSession, row: CampaignRow, at: datetime, now: datetime, honoured: frozenset[str]
) -> bool:
    """
    Charges the day of *at*. Returns whether the total budget pays nothing of it. The day stays unclaimed then, so that
    a raised budget pays it.

    A day that is over is not charged where an active ad, a slot, a property or the account was changed after *at*: only
    by that change, the campaign may be able to deliver.
    """
    if row.start_at is None or row.end_at is None:
        return False
    contexts = await delivery_context_of(session, row.account_id, [row], at)
    delivery = delivery_of(row, contexts[row.id], at, honoured=honoured)
    if delivery.status != DeliveryStatus.DELIVERING:
        return False
    mine = {"campaign": row.id, "account": row.account_id, "now": now}
    then = mine | {"properties": row.property_ids, "at": at}
    if at < now and await session.scalar(_CHANGED_SINCE, then):
        return False
    today = at.astimezone(ZoneInfo(row.timezone)).date()
    await session.execute(_OPEN, mine)
    spent = (await session.execute(_LOCK, mine)).scalar_one()
    flight = flight_of(row.start_at, row.end_at, row.timezone)
    part = flight.part_micros(cents_to_micros(row.bid_cents), today)
    due = min(part, _left(row.bid_cents, spent), _left(row.budget_daily_cents, 0))
    micros = min(due, _left(row.budget_total_cents, spent))
    of_day = mine | {"day": today, "micros": micros}
    if due and not micros:
        return not await session.scalar(_IS_PAID, of_day)
    if await session.scalar(_CLAIM, of_day) is None:
        return False
    if micros:
        await session.execute(_ADD, of_day)
        await session.execute(_ADD_DAY, of_day)
        await _queue(session, row, micros)
    return False


def _left(limit_cents: int | None, spent_micros: int) -> int:
    """What may still be charged: a campaign edited during its flight, too, costs no more than its bid and budgets."""
    return _NO_LIMIT if limit_cents is None else max(0, cents_to_micros(limit_cents) - spent_micros)


async def _complete(
    control: ControlContext, session: AsyncSession, row: CampaignRow, now: datetime
) -> None:
    await complete_spent(session, [row.id], now)
    changes = Changes()
    changes.touch(ObjectType.CAMPAIGN, row.id)
    await flush(session, changes, keys=control.keys, now=now)


async def _queue(session: AsyncSession, row: CampaignRow, micros: int) -> None:
    """Queue a charge, split evenly over the campaign's properties; the unit (one day) is counted for the first."""
    parts = split(micros, len(row.property_ids))
    for place, (property_id, part) in enumerate(zip(row.property_ids, parts, strict=True)):
        await session.execute(
            _QUEUE,
            {
                "account": row.account_id,
                "campaign": row.id,
                "property": property_id,
                "kind": DAY,
                "units": 1 if place == 0 else 0,
                "micros": part,
            },
        )
