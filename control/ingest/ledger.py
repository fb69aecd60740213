"""
What each event is charged: the only bill there is.

The campaign's row is locked and its budget read inside the event's transaction, so what is billed can never
exceed the budget, however many consumers charge it at once. Test events never come here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.money import cents_to_micros
from common.vocabulary import EventKind, Reason
from control.ingest.arrivals import Event, Traits
from control.ingest.columns import columns_of
from control.ingest.days import day_at, read_days
from control.ingest.prices import price_micros

_MINUTE_MS = 60_000

_OPEN = text(
    "insert into campaign_spend"
    " (campaign_id, account_id, spent_micros, impressions, clicks, conversions, updated_at) "
    "select id, account_id, 0, 0, 0, 0, now() from campaigns "
    "where id = any(:ids) and environment = 'live' order by id on conflict do nothing"
)
_LOCK = text(
    "select s.campaign_id, s.account_id, s.spent_micros, c.budget_total_cents, c.budget_daily_cents, c.timezone, "
    "coalesce(cast(c.attribution ->> 'bill_in_session' as boolean), false) "
    "from campaign_spend s join campaigns c on c.id = s.campaign_id "
    "where s.campaign_id = any(:ids) order by s.campaign_id for update of s"
)
ADD_CHARGES = text("""
with days as (
    insert into campaign_spend_days (campaign_id, day, account_id, spent_micros)
    select * from unnest(cast(:day_campaigns as varchar[]), cast(:days as date[]),
        cast(:day_accounts as varchar[]), cast(:day_micros as bigint[])) as n(c, d, a, m) order by c, d
    on conflict (campaign_id, day) do update set
    spent_micros = campaign_spend_days.spent_micros + excluded.spent_micros
), minutes as (
    insert into campaign_spend_minutes (campaign_id, minute, account_id, spent_micros)
    select * from unnest(cast(:minute_campaigns as varchar[]), cast(:minutes as bigint[]),
        cast(:minute_accounts as varchar[]), cast(:minute_micros as bigint[])) as n(c, t, a, m) order by c, t
    on conflict (campaign_id, minute) do update set
    spent_micros = campaign_spend_minutes.spent_micros + excluded.spent_micros
), queued as (
    insert into charges (account_id, campaign_id, property_id, kind, units, micros)
    select * from unnest(cast(:accounts as varchar[]), cast(:campaigns as varchar[]),
        cast(:properties as varchar[]), cast(:kinds as varchar[]), cast(:units as bigint[]),
        cast(:bought as bigint[])) as n(a, c, p, k, u, m)
)
update campaign_spend s set spent_micros = s.spent_micros + n.micros,
    impressions = s.impressions + n.impressions, clicks = s.clicks + n.clicks,
    conversions = s.conversions + n.conversions, updated_at = now()
from unnest(cast(:ids as varchar[]), cast(:micros as bigint[]), cast(:impressions as bigint[]),
    cast(:clicks as bigint[]), cast(:conversions as bigint[])) as n(id, micros, impressions, clicks, conversions)
where s.campaign_id = n.id
""")
"""
``charges`` is for `control.ledger.spend`: rows are only added, so no consumer waits for another there. The days' and
minutes' rows are guarded by the campaigns', which must be locked. What is taken back is added below zero.
"""
_COMPLETE = text(
    "update campaigns set status = 'completed', version = version + 1, updated_at = :now "
    "where id = any(:ids) and status in ('active', 'paused')"
)


@dataclass(slots=True)
class Line:
    """One campaign's line in the ledger while its row is locked."""

    account_id: str
    spent_micros: int
    budget_micros: int | None
    daily_micros: int | None
    timezone: str
    bill_in_session: bool
    added_micros: int = 0
    counts: Counter[EventKind] = field(default_factory=Counter)
    bought: dict[tuple[str, EventKind], list[int]] = field(default_factory=dict)
    """By property and kind: how many events were charged, and what they cost."""
    days_before: dict[date, int] = field(default_factory=dict)
    """What was charged before, of the days that matter to a budget a day."""
    days: dict[date, int] = field(default_factory=dict)
    """What is added to each day."""
    minutes: dict[int, int] = field(default_factory=dict)
    """What is added to each minute of a serve, since the epoch."""

    def add(self, traits: Traits, day: date, minute: int, micros: int, units: int = 1) -> None:
        """*units* events that cost *micros* together, of one minute of serves."""
        kind = EventKind(traits.kind)
        self.added_micros += micros
        self.counts[kind] += units
        if micros:
            self.days[day] = self.days.get(day, 0) + micros
            self.minutes[minute] = self.minutes.get(minute, 0) + micros
            bought = self.bought.setdefault((traits.property_id, kind), [0, 0])
            bought[0] += units
            bought[1] += micros

    @property
    def left_micros(self) -> int | None:
        """None: no limit."""
        if self.budget_micros is None:
            return None
        return max(0, self.budget_micros - self.spent_micros - self.added_micros)

    def left_on(self, day: date) -> int | None:
        """What both budgets leave for a serve of that day; None: no limit."""
        left = self.left_micros
        if self.daily_micros is None:
            return left
        spent = self.days_before.get(day, 0) + self.days.get(day, 0)
        of_day = max(0, self.daily_micros - spent)
        return of_day if left is None else min(left, of_day)


async def charge(
    session: AsyncSession, events: Sequence[Event], accounts: dict[str, str]
) -> list[str]:
    """
    Charge the valid live ones of *events* (no quality signals), in their order, and count them for their campaigns.

    Writes down on each of these what it costs, whatever was foreseen; where that is less than its price, for the
    budget, or that of the day of its serve in the campaign's timezone, had no more, it becomes `ok_over_budget`. Gives
    the campaigns whose total budget these events used up. *accounts*: account by property. A campaign that is unknown,
    of another account or of the other environment is charged nothing. Campaign rows stay locked until the transaction
    ends.
    """
    billable = [one for one in events if one.valid and not one.traits.is_test]
    lines = await _lock(session, sorted({one.traits.campaign_id for one in billable}))
    await _read_days(session, billable, lines)
    by_campaign: dict[str, list[Event]] = defaultdict(list)
    for one in billable:
        by_campaign[one.traits.campaign_id].append(one)
    for campaign, asked in by_campaign.items():
        line = lines.get(campaign)
        if line is None:
            _charge_nothing(asked)
            continue
        account = line.account_id
        charged = [one for one in asked if accounts[one.traits.property_id] == account]
        if len(charged) < len(asked):
            _charge_nothing([one for one in asked if accounts[one.traits.property_id] != account])
        if not _charge_together(charged, line):
            for one in charged:
                _charge_one(one, line)
    await _add(session, lines)
    return [campaign for campaign, line in lines.items() if _was_used_up(line)]


async def complete(session: AsyncSession, campaigns: Sequence[str], now: datetime) -> None:
    """Campaigns whose total budget is used up are over, until it is raised."""
    await session.execute(_COMPLETE, {"ids": sorted(campaigns), "now": now})


def _charge_together(events: Iterable[Event], line: Line) -> bool:
    """As `_charge_one` for each in turn, where both budgets have room for all of them; else nothing is done."""
    traits = {id(one.traits): one.traits for one in events}
    prices = {
        name: price_micros(one, one.attribution, bill_in_session=line.bill_in_session)
        for name, one in traits.items()
    }
    groups = Counter([(id(one.traits), one.issued_ms // _MINUTE_MS) for one in events])
    rows = [
        (
            traits[name],
            day_at(line.timezone, minute * _MINUTE_MS),
            minute,
            prices[name] * units,
            units,
        )
        for (name, minute), units in groups.items()
    ]
    days: Counter[date] = Counter()
    for _, day, _, micros, _ in rows:
        days[day] += micros
    left = line.left_micros
    if left is not None and sum(days.values()) > left:
        return False
    for day, micros in days.items():
        left = line.left_on(day)
        if left is not None and micros > left:
            return False
    for row in rows:
        line.add(*row)
    for one in events:
        one.charged_micros = prices[id(one.traits)]
    return True


def _charge_nothing(events: Iterable[Event]) -> None:
    for one in events:
        one.charged_micros = 0


def _charge_one(event: Event, line: Line) -> None:
    traits = event.traits
    price = price_micros(traits, traits.attribution, bill_in_session=line.bill_in_session)
    day = day_at(line.timezone, event.issued_ms)
    left = line.left_on(day)
    if left is None or price <= left:
        event.charged_micros = price
    else:
        event.charged_micros = left
        event.reason = Reason.OK_OVER_BUDGET
    line.add(traits, day, event.issued_ms // _MINUTE_MS, event.charged_micros)


def _was_used_up(line: Line) -> bool:
    return line.added_micros > 0 and line.left_micros == 0


async def _lock(session: AsyncSession, ids: list[str]) -> dict[str, Line]:
    if not ids:
        return {}
    await session.execute(_OPEN, {"ids": ids})
    rows = await session.execute(_LOCK, {"ids": ids})
    return {
        campaign: Line(account, spent, _micros(total), _micros(daily), timezone, in_session)
        for campaign, account, spent, total, daily, timezone, in_session in rows
    }


async def _read_days(
    session: AsyncSession, events: Sequence[Event], lines: dict[str, Line]
) -> None:
    """Of campaigns with a budget a day, what was charged on the days of these events."""
    wanted = set()
    for one in events:
        line = lines.get(one.traits.campaign_id)
        if line is not None and line.daily_micros is not None:
            wanted.add((one.traits.campaign_id, day_at(line.timezone, one.issued_ms)))
    for (campaign, day), micros in (await read_days(session, wanted)).items():
        lines[campaign].days_before[day] = micros


def _micros(cents: int | None) -> int | None:
    return None if cents is None else cents_to_micros(cents)


async def _add(session: AsyncSession, lines: dict[str, Line]) -> None:
    moved = {campaign: line for campaign, line in lines.items() if line.counts}
    if not moved:
        return
    days = [
        (campaign, day, line.account_id, micros)
        for campaign, line in moved.items()
        for day, micros in line.days.items()
    ]
    minutes = [
        (campaign, minute, line.account_id, micros)
        for campaign, line in moved.items()
        for minute, micros in line.minutes.items()
    ]
    bought = [
        (line.account_id, campaign, property_id, kind.value, units, micros)
        for campaign, line in moved.items()
        for (property_id, kind), (units, micros) in line.bought.items()
    ]
    await session.execute(
        ADD_CHARGES,
        {
            "ids": list(moved),
            "micros": [line.added_micros for line in moved.values()],
            "impressions": [line.counts[EventKind.IMPRESSION] for line in moved.values()],
            "clicks": [line.counts[EventKind.CLICK] for line in moved.values()],
            "conversions": [line.counts[EventKind.CONVERSION] for line in moved.values()],
        }
        | columns_of(days, "day_campaigns", "days", "day_accounts", "day_micros")
        | columns_of(minutes, "minute_campaigns", "minutes", "minute_accounts", "minute_micros")
        | columns_of(bought, "accounts", "campaigns", "properties", "kinds", "units", "bought"),
    )
