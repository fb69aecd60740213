"""
Unique keys that can be taken only once: they make at-least-once delivery count exactly once.

Every consumer processes days and stages in the same order and takes the keys of a stage sorted. Two consumers with the
same tokens therefore wait for each other but never deadlock. Keys are sent as one run of bytes, 16 each, because the
driver inspects every element of an array.

Nearly always all keys of a day are new. They are inserted together, and the key table refuses all of them if it already
has one (PostgreSQL logs a line for that). Only then each key is inserted separately.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from common.tracking.event import MAX_INVALID
from common.values.enums import EventKind
from control.events.ingest.parsed_records import Event
from control.storage.database import sql_state

Item = TypeVar("Item")
Claim = TypeVar("Claim", bound=Hashable)
Order = tuple[str, str, str]
"""The id of a property, the environment, and the id of an order."""

_EPOCH = date(1970, 1, 1)
_UNIQUE_VIOLATION = "23505"
_PUT = (
    "insert into event_keys (token_day, key) select :day, substring(cast(:tokens as bytea) from n for 16) "
    "from generate_series(1, length(cast(:tokens as bytea)), 16) n order by n"
)
_PUT_ALL = text(_PUT)
_PUT_NEW = text(f"{_PUT} on conflict do nothing returning key")
_TAKE_PLACES = text(
    "insert into event_keys (token_day, key) "
    "select day, key from unnest(cast(:days as date[]), cast(:keys as bytea[])) as n(day, key) "
    "order by day, key on conflict do nothing returning token_day, key"
)
_ORDER_COLUMNS = (
    "property_id, environment, order_id, has_proof, unproven_event_id, unproven_stored_day"
)
_PUT_ORDERS = (
    f"insert into conversion_keys as k ({_ORDER_COLUMNS}, account_id) "  # noqa: S608 - constants only
    "select * from unnest(cast(:properties as uuid[]), cast(:environments as varchar[]), "
    "cast(:orders as varchar[]), cast(:authenticated as boolean[]), cast(:events as uuid[]), cast(:days as date[]), "
    "cast(:accounts as varchar[])) as n(p, e, o, h, i, d, a) order by p, e, o on conflict "
)
_TAKE_NEW_ORDERS = text(f"{_PUT_ORDERS} do nothing returning {_ORDER_COLUMNS}")
"""Does not wait for another transaction that has locked an order counted before."""
_TAKE_ORDERS = text(
    f"{_PUT_ORDERS} (property_id, environment, order_id) do update set has_proof = true "
    f"where not k.has_proof and excluded.has_proof returning {_ORDER_COLUMNS}"
)

_FIND_ORDERS = text(
    "select property_id, environment, order_id, has_proof from conversion_keys "
    "where (property_id, environment, order_id) in (select * from unnest(cast(:properties as uuid[]), "
    "cast(:environments as varchar[]), cast(:orders as varchar[])))"
)


@dataclass(frozen=True, slots=True)
class TakenOrders:
    """``events``: those that count. ``replaced``: day of storage and id of each event that must be retracted for it."""

    events: list[Event]
    replaced: list[tuple[date, UUID]]


async def take(session: AsyncSession, events: Iterable[Event]) -> list[Event]:
    """Returns the first valid event of each (token, kind), unless one was stored before."""
    days: dict[int, dict[bytes, Event]] = defaultdict(dict)
    for one in events:
        days[one.day].setdefault(one.token_key, one)
    taken: list[Event] = []
    for day in sorted(days):
        taken += await _take_day(session, day, days[day])
    return taken


async def take_invalid(session: AsyncSession, events: Sequence[Event]) -> list[Event]:
    """Returns the first `MAX_INVALID` invalid events of each (token, kind)."""
    taken: list[Event] = []
    waiting = list(events)
    for place in range(MAX_INVALID):
        if not waiting:
            break
        keys = [
            (to_date(one.day), one.shared_fields.keys.place(one.token_id, place)) for one in waiting
        ]
        requested = _first_by(waiting, keys)
        rows = await session.execute(
            _TAKE_PLACES,
            {"days": [day for day, _ in requested], "keys": [key for _, key in requested]},
        )
        won = {requested[row[0], bytes(row[1])].place for row in rows}
        taken += [one for one in waiting if one.place in won]
        waiting = [one for one in waiting if one.place not in won]
    return taken


async def find_orders(session: AsyncSession, orders: Iterable[Order]) -> dict[Order, bool]:
    """Returns those of *orders* that were converted before, each with whether its report was authenticated."""
    requested = sorted(set(orders))
    if not requested:
        return {}
    rows = await session.execute(_FIND_ORDERS, _parameters(requested))
    return {(str(row[0]), row[1], row[2]): row[3] for row in rows}


async def take_orders(
    session: AsyncSession, events: Sequence[Event], accounts: dict[str, str], today: date
) -> TakenOrders:
    """
    Drops the valid conversions whose order was converted before. *accounts* by property. *today*: day of storage.

    Of one order, the first authenticated event counts, and until there is one, the first of the others.
    """
    orders = [order_of(one) for one in events]
    requested = _first_by(events, orders)
    for one, key in zip(events, orders, strict=True):
        if one.is_authenticated and not requested[key].is_authenticated:
            requested[key] = one
    requested.pop(None, None)
    if not requested:
        return TakenOrders(list(events), [])
    keys = [key for key in requested if key is not None]
    firsts = [requested[key] for key in keys]
    statement = _TAKE_ORDERS if any(one.is_authenticated for one in firsts) else _TAKE_NEW_ORDERS
    rows = await session.execute(
        statement,
        _parameters(keys)
        | {
            "accounts": [accounts[key[0]] for key in keys],
            "authenticated": [one.is_authenticated for one in firsts],
            "events": [_unauthenticated_id(one) for one in firsts],
            "days": [None if one.is_authenticated else today for one in firsts],
        },
    )
    won: set[Order] = set()
    replaced: list[tuple[date, UUID]] = []
    for property_id, environment, order_id, is_authenticated, event_id, day in rows:
        won.add((str(property_id), environment, order_id))
        if is_authenticated and event_id is not None:
            replaced.append((day, event_id))
    kept = [
        one
        for one, key in zip(events, orders, strict=True)
        if key is None or (requested[key] is one and key in won)
    ]
    return TakenOrders(kept, replaced)


def to_date(day: int) -> date:
    return _EPOCH + timedelta(days=day)


async def _take_day(session: AsyncSession, day: int, requested: dict[bytes, Event]) -> list[Event]:
    values = {"day": to_date(day), "tokens": b"".join(sorted(requested))}
    try:
        async with session.begin_nested():
            await session.execute(_PUT_ALL, values)
    except IntegrityError as error:
        if sql_state(error) != _UNIQUE_VIOLATION:
            raise
    else:
        return list(requested.values())
    won = {row[0] for row in await session.execute(_PUT_NEW, values)}
    return [one for key, one in requested.items() if key in won]


def _first_by(items: Sequence[Item], keys: Sequence[Claim]) -> dict[Claim, Item]:
    """The first item of each key, in order."""
    found: dict[Claim, Item] = {}
    for item, key in zip(items, keys, strict=True):
        found.setdefault(key, item)
    return found


def order_of(event: Event) -> Order | None:
    """The order that a valid conversion takes; None for other events, and for previews, which count for nothing."""
    fields = event.shared_fields
    if fields.kind is not EventKind.CONVERSION or event.order_id is None or not event.valid:
        return None
    if fields.preview:
        return None
    return fields.property_id, "test" if event.is_test else "live", event.order_id


def _unauthenticated_id(event: Event) -> UUID | None:
    return None if event.is_authenticated or event.id is None else UUID(bytes=event.id)


def _parameters(orders: Sequence[Order]) -> dict[str, list[str]]:
    return {
        "properties": [one[0] for one in orders],
        "environments": [one[1] for one in orders],
        "orders": [one[2] for one in orders],
    }
