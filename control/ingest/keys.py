"""
The keys that are taken once: what makes at-least-once delivery count exactly once.

Every consumer goes through days and stages in the same order and takes the keys of a stage sorted, so two consumers
with the same records wait for each other and never in a circle. Keys travel as one run of bytes, 16 each: the driver
looks at every element of an array, and there are two keys an event.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.tracking.event import MAX_INVALID
from common.vocabulary import EventKind
from control.ingest.arrivals import Counter, Event

Item = TypeVar("Item")
Claim = TypeVar("Claim", bound=Hashable)

_EPOCH = date(1970, 1, 1)
_TAKE = text("""
with asked as materialized (
    select n, substring(cast(:records as bytea) from n * 16 + 1 for 16) as record,
        case when n < :valid then substring(cast(:tokens as bytea) from n * 16 + 1 for 16) end as token
    from generate_series(0, :count - 1) n
), fresh as (
    insert into event_keys (token_day, key) select :day, record from asked order by record
    on conflict do nothing returning key
), wanted as materialized (
    select min(a.n) as n, a.token from asked a join fresh f on f.key = a.record
    where a.n < :valid group by a.token
), won as (
    insert into event_keys (token_day, key) select :day, token from wanted order by token
    on conflict do nothing returning key
)
select array(select a.n from asked a join fresh f on f.key = a.record where a.n >= :valid),
    array(select w.n from wanted w join won on won.key = w.token)
""")
_TAKE_PLACES = text(
    "insert into event_keys (token_day, key) "
    "select day, key from unnest(cast(:days as date[]), cast(:keys as bytea[])) as n(day, key) "
    "order by day, key on conflict do nothing returning token_day, key"
)
_TAKE_ORDERS = text(
    "insert into conversion_keys (property_id, environment, order_id, account_id) "
    "select * from unnest(cast(:properties as uuid[]), cast(:environments as varchar[]), "
    "cast(:orders as varchar[]), cast(:accounts as varchar[])) as n(p, e, o, a) order by p, e, o "
    "on conflict do nothing returning property_id, environment, order_id"
)


@dataclass(slots=True)
class Taken:
    """What was never seen before: valid events that are the first of their token and kind; invalid ones; counters."""

    valid: list[Event]
    invalid: list[Event]
    counters: list[Counter]


async def take(
    session: AsyncSession, events: Sequence[Event], counters: Sequence[Counter]
) -> Taken:
    """By record; valid events by (token, kind) too. A record that comes again takes nothing, however judged now."""
    taken = Taken([], [], [])
    days: dict[int, list[Event | Counter]] = defaultdict(list)
    firsts: dict[bytes, Event | Counter] = {}
    everything: list[Event | Counter] = [*events, *counters]
    for one in everything:
        if firsts.setdefault(one.record_key, one) is one:
            days[one.day].append(one)
    for day in sorted(days):
        await _take_day(session, day, days[day], taken)
    return taken


async def take_invalid(session: AsyncSession, events: Sequence[Event]) -> list[Event]:
    """Of invalid events, the first `MAX_INVALID` of each (token, kind)."""
    taken: list[Event] = []
    waiting = list(events)
    for place in range(MAX_INVALID):
        if not waiting:
            break
        keys = [(to_date(one.day), one.traits.keys.place(one.token_id, place)) for one in waiting]
        asked = _first_by(waiting, keys)
        rows = await session.execute(
            _TAKE_PLACES, {"days": [day for day, _ in asked], "keys": [key for _, key in asked]}
        )
        won = {asked[row[0], bytes(row[1])].place for row in rows}
        taken += [one for one in waiting if one.place in won]
        waiting = [one for one in waiting if one.place not in won]
    return taken


async def take_orders(
    session: AsyncSession, events: Sequence[Event], accounts: dict[str, str]
) -> list[Event]:
    """*events* without the valid conversions whose order was converted before. *accounts* by property."""
    orders = [_order(one) for one in events]
    asked = _first_by(events, orders)
    asked.pop(None, None)
    if not asked:
        return list(events)
    keys = [key for key in asked if key is not None]
    rows = await session.execute(
        _TAKE_ORDERS,
        {
            "properties": [key[0] for key in keys],
            "environments": [key[1] for key in keys],
            "orders": [key[2] for key in keys],
            "accounts": [accounts[key[0]] for key in keys],
        },
    )
    won = {(str(row[0]), row[1], row[2]) for row in rows}
    return [
        one
        for one, key in zip(events, orders, strict=True)
        if key is None or (asked[key] is one and key in won)
    ]


def to_date(day: int) -> date:
    return _EPOCH + timedelta(days=day)


async def _take_day(
    session: AsyncSession, day: int, asked: Iterable[Event | Counter], taken: Taken
) -> None:
    valid = [one for one in asked if isinstance(one, Event) and one.valid]
    others = [one for one in asked if isinstance(one, Counter) or not one.valid]
    everything = [*valid, *others]
    fresh, won = (
        await session.execute(
            _TAKE,
            {
                "day": to_date(day),
                "count": len(everything),
                "valid": len(valid),
                "records": b"".join([one.record_key for one in everything]),
                "tokens": b"".join([one.token_key for one in valid]),
            },
        )
    ).one()
    taken.valid += [valid[n] for n in won]
    for n in fresh:
        one = everything[n]
        if isinstance(one, Event):
            taken.invalid.append(one)
        else:
            taken.counters.append(one)


def _first_by(items: Sequence[Item], keys: Sequence[Claim]) -> dict[Claim, Item]:
    """The first item of each key, in order."""
    found: dict[Claim, Item] = {}
    for item, key in zip(items, keys, strict=True):
        found.setdefault(key, item)
    return found


def _order(event: Event) -> tuple[str, str, str] | None:
    if event.traits.kind is not EventKind.CONVERSION or event.order_id is None or not event.valid:
        return None
    return event.traits.property_id, "test" if event.is_test else "live", event.order_id
