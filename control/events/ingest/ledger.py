"""
What each event is charged: the only bill there is.

The campaign's row is locked and its budget read in the event's transaction. So billed amounts can never exceed the
budget, however many consumers charge it at once. Test events are never charged here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.budget.remaining import is_used_up, least_charge_micros
from common.values.enums import EventKind, PricingModel, Reason
from common.values.environment import Environment
from common.values.money import cents_to_micros
from control.events.ingest.charge_groups import MINUTE_MS, ChargeGroup, group
from control.events.ingest.column_arrays import columns_of
from control.events.ingest.days import day_at, read_days
from control.events.ingest.parsed_records import Event, SharedFields
from control.events.ingest.prices import price_micros

_OPEN = text(
    "insert into campaign_spend"
    " (campaign_id, account_id, spent_micros, impressions, clicks, conversions, updated_at) "
    "select id, account_id, 0, 0, 0, 0, now() from campaigns "
    "where id = any(:ids) and environment = 'live' order by id on conflict do nothing"
)
_LOCK = text(
    "select s.campaign_id, s.account_id, s.spent_micros, c.budget_total_cents, c.budget_daily_cents, c.timezone, "
    "coalesce(cast(c.attribution ->> 'bill_in_session' as boolean), false), c.pricing_model, c.bid_cents "
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
), holds as (
    insert into campaign_spend_holds (campaign_id, day, until_day, account_id, spent_micros)
    select * from unnest(cast(:hold_campaigns as varchar[]), cast(:hold_days as date[]),
        cast(:hold_until as integer[]), cast(:hold_accounts as varchar[]),
        cast(:hold_micros as bigint[])) as n(c, d, u, a, m) order by c, d, u
    on conflict (campaign_id, day, until_day) do update set
    spent_micros = campaign_spend_holds.spent_micros + excluded.spent_micros
), queued as (
    insert into charges (account_id, campaign_id, property_id, kind, units, micros)
    select * from unnest(cast(:accounts as varchar[]), cast(:campaigns as varchar[]),
        cast(:properties as varchar[]), cast(:kinds as varchar[]), cast(:units as bigint[]),
        cast(:bought as bigint[])) as n(a, c, p, k, u, m)
    where not exists (select from accounts where id = n.a and is_sample)
)
update campaign_spend s set spent_micros = s.spent_micros + n.micros,
    impressions = s.impressions + n.impressions, clicks = s.clicks + n.clicks,
    conversions = s.conversions + n.conversions, updated_at = now()
from unnest(cast(:ids as varchar[]), cast(:micros as bigint[]), cast(:impressions as bigint[]),
    cast(:clicks as bigint[]), cast(:conversions as bigint[])) as n(id, micros, impressions, clicks, conversions)
where s.campaign_id = n.id
""")
"""
``charges`` is read by `control.billing.ledger.spend`. Rows are only added, so no consumer waits for another there. The
events of a sample account are simulated, and not billed.

The rows of days, minutes and holds are guarded by the campaigns' rows, which must be locked. Refunds are added as
negative amounts, and never to minutes and holds: the token of a refunded event cannot be charged again.
"""
HOLD_COLUMNS = ("hold_campaigns", "hold_days", "hold_until", "hold_accounts", "hold_micros")


@dataclass(slots=True)
class LockedSpend:
    """One campaign's line in the ledger while its row is locked."""

    account_id: str
    spent_micros: int
    budget_micros: int | None
    daily_micros: int | None
    timezone: str
    bill_in_session: bool
    least_micros: int
    """The least remainder with which the campaign still serves."""
    added_micros: int = 0
    counts: Counter[EventKind] = field(default_factory=Counter)
    bought: dict[tuple[str, EventKind], list[int]] = field(default_factory=dict)
    """By property and kind: how many events were charged, and what they cost in micros."""
    days_before: dict[date, int] = field(default_factory=dict)
    """What was charged before on each day that matters to a daily budget."""
    days: dict[date, int] = field(default_factory=dict)
    """What is added to each day."""
    minutes: dict[int, int] = field(default_factory=dict)
    """What is added to each minute of serve, in minutes since the epoch. Without `holds`."""
    holds: dict[tuple[date, int], int] = field(default_factory=dict)
    """What is charged for held tokens, by day of serve and ``held_until_day``: it releases their holds."""

    def add(
        self, fields: SharedFields, day: date, minute: int, micros: int, units: int = 1
    ) -> None:
        """Adds *units* events of one minute of serve that cost *micros* together."""
        kind = EventKind(fields.kind)
        self.added_micros += micros
        self.counts[kind] += units
        if micros:
            self.days[day] = self.days.get(day, 0) + micros
            if fields.held_until_day is None:
                self.minutes[minute] = self.minutes.get(minute, 0) + micros
            else:
                hold = day, fields.held_until_day
                self.holds[hold] = self.holds.get(hold, 0) + micros
            bought = self.bought.setdefault((fields.property_id, kind), [0, 0])
            bought[0] += units
            bought[1] += micros

    @property
    def left_micros(self) -> int | None:
        """What remains of the total budget. None: no limit."""
        if self.budget_micros is None:
            return None
        return max(0, self.budget_micros - self.spent_micros - self.added_micros)

    def left_on(self, day: date) -> int | None:
        """What both budgets leave for a serve of that day. None: no limit."""
        left = self.left_micros
        if self.daily_micros is None:
            return left
        spent = self.days_before.get(day, 0) + self.days.get(day, 0)
        of_day = max(0, self.daily_micros - spent)
        return of_day if left is None else min(left, of_day)


@dataclass(slots=True)
class Charged:
    """The result of charging."""

    used_up: list[str] = field(default_factory=list)
    """Campaigns whose total budget these events used up."""
    changed: list[Event] = field(default_factory=list)
    """Events whose charge or reason changed."""


async def charge(
    session: AsyncSession, events: Sequence[Event], accounts: dict[str, str]
) -> Charged:
    """
    Charge the valid live ones of *events* (no quality signals), in their order, and count them for their campaigns.

    Writes the actual cost on each of these events, whatever was foreseen. An event becomes `ok_over_budget` if it costs
    less than its price because a budget was used up: the total one, or that of its serve's day in the campaign's
    timezone. *accounts*: account by property. Events of a campaign that is unknown, of another account or of the other
    environment are charged nothing. Campaign rows stay locked until the transaction ends, so everything that can be
    computed earlier is.
    """
    requested = group(events)
    lines = await _lock(session, sorted(requested))
    await _read_days(session, requested, lines)
    charged = Charged()
    for campaign, groups in requested.items():
        line = lines.get(campaign)
        payer = None if line is None else line.account_id
        for one in groups:
            if accounts[one.property_id] != payer:
                _write(events, one, 0, charged)
        theirs = [one for one in groups if accounts[one.property_id] == payer]
        if line is not None and not _charge_together(events, theirs, line, charged):
            for place in sorted([place for one in theirs for place in one.places]):
                _charge_one(events[place], line, charged)
    await _add(session, lines)
    charged.used_up = [campaign for campaign, line in lines.items() if _was_used_up(line)]
    return charged


def _charge_together(
    events: Sequence[Event], groups: Sequence[ChargeGroup], line: LockedSpend, charged: Charged
) -> bool:
    """As `_charge_one` for each event in turn, if both budgets have room for all of them; otherwise does nothing."""
    prices = [_price(one.shared_fields, line) for one in groups]
    days: Counter[date] = Counter()
    for one, price in zip(groups, prices, strict=True):
        days[_day(one.minute, line)] += price * len(one.places)
    left = line.left_micros
    if left is not None and sum(days.values()) > left:
        return False
    for day, micros in days.items():
        left = line.left_on(day)
        if left is not None and micros > left:
            return False
    for one, price in zip(groups, prices, strict=True):
        units = len(one.places)
        line.add(one.shared_fields, _day(one.minute, line), one.minute, price * units, units)
        _write(events, one, price, charged)
    return True


def _write(events: Sequence[Event], group: ChargeGroup, micros: int, charged: Charged) -> None:
    for place in group.places:
        one = events[place]
        if one.charged_micros != micros:
            one.charged_micros = micros
            charged.changed.append(one)


def _charge_one(event: Event, line: LockedSpend, charged: Charged) -> None:
    fields, minute = event.shared_fields, event.issued_ms // MINUTE_MS
    price, day = _price(fields, line), _day(minute, line)
    left = line.left_on(day)
    micros = price if left is None or price <= left else left
    line.add(fields, day, minute, micros)
    if micros < price:
        event.reason = Reason.OK_OVER_BUDGET
    if micros < price or micros != event.charged_micros:
        event.charged_micros = micros
        charged.changed.append(event)


def _price(fields: SharedFields, line: LockedSpend) -> int:
    if not line.bill_in_session:
        return fields.foreseen_micros
    return price_micros(fields, fields.attribution, bill_in_session=True)


def _day(minute: int, line: LockedSpend) -> date:
    """Every zone's midnight falls between two minutes."""
    return day_at(line.timezone, minute * MINUTE_MS)


def _was_used_up(line: LockedSpend) -> bool:
    if line.budget_micros is None or line.added_micros == 0:
        return False
    return is_used_up(line.budget_micros, line.spent_micros + line.added_micros, line.least_micros)


async def _lock(session: AsyncSession, ids: list[str]) -> dict[str, LockedSpend]:
    if not ids:
        return {}
    await session.execute(_OPEN, {"ids": ids})
    rows = await session.execute(_LOCK, {"ids": ids})
    return {
        campaign: LockedSpend(
            account,
            spent,
            _micros(total),
            _micros(daily),
            timezone,
            in_session,
            least_charge_micros(Environment.LIVE, PricingModel(model), bid_cents),
        )
        for campaign, account, spent, total, daily, timezone, in_session, model, bid_cents in rows
    }


async def _read_days(
    session: AsyncSession,
    requested: Mapping[str, Sequence[ChargeGroup]],
    lines: dict[str, LockedSpend],
) -> None:
    """For campaigns with a daily budget, reads what was charged on the days of these events."""
    wanted = {
        (campaign, _day(one.minute, line))
        for campaign, line in lines.items()
        if line.daily_micros is not None
        for one in requested[campaign]
    }
    for (campaign, day), micros in (await read_days(session, wanted)).items():
        lines[campaign].days_before[day] = micros


def _micros(cents: int | None) -> int | None:
    return None if cents is None else cents_to_micros(cents)


async def _add(session: AsyncSession, lines: dict[str, LockedSpend]) -> None:
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
    holds = [
        (campaign, *hold, line.account_id, micros)
        for campaign, line in moved.items()
        for hold, micros in line.holds.items()
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
        | columns_of(holds, *HOLD_COLUMNS)
        | columns_of(bought, "accounts", "campaigns", "properties", "kinds", "units", "bought"),
    )
