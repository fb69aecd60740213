"""
The keys that are taken once: what makes at-least-once delivery count exactly once.

Each stage is one statement whose rows are sorted, and every consumer goes through the stages in the same order,
so two consumers with the same records wait for each other and never in a circle.
"""

from collections.abc import Hashable, Sequence
from datetime import date
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.tracking.event import (
    MAX_INVALID,
    EventRecord,
    invalid_place_key,
    record_key,
    valid_event_id,
)
from common.vocabulary import EventKind
from control.ingest.parse import Arrival, Body

Event = Arrival[EventRecord]
Key = tuple[date, bytes]
Item = TypeVar("Item")
Claim = TypeVar("Claim", bound=Hashable)

_TAKE = text(
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


async def take_records(
    session: AsyncSession, arrivals: Sequence[Arrival[Body]]
) -> list[Arrival[Body]]:
    """Those never seen before, by (writer, sequence)."""
    keys = [(one.token_day, record_key(one.writer, one.sequence)) for one in arrivals]
    return await _take(session, arrivals, keys)


async def take_valid(session: AsyncSession, arrivals: Sequence[Event]) -> list[Event]:
    """Of valid events, the first of each (token, kind)."""
    keys = [(one.token_day, valid_event_id(one.body).bytes) for one in arrivals]
    return await _take(session, arrivals, keys)


async def take_invalid(session: AsyncSession, arrivals: Sequence[Event]) -> list[Event]:
    """Of invalid events, the first `MAX_INVALID` of each (token, kind)."""
    taken: list[Event] = []
    waiting = list(arrivals)
    for place in range(MAX_INVALID):
        keys = [(one.token_day, invalid_place_key(one.body, place)) for one in waiting]
        got = await _take(session, waiting, keys)
        taken += got
        places = {one.place for one in got}
        waiting = [one for one in waiting if one.place not in places]
    return taken


async def take_orders(
    session: AsyncSession, arrivals: Sequence[Event], accounts: dict[str, str]
) -> list[Event]:
    """*arrivals* without the valid conversions whose order was converted before. *accounts* by property."""
    orders = [_order(one) for one in arrivals]
    asked = _first_by(arrivals, orders)
    asked.pop(None, None)
    if not asked:
        return list(arrivals)
    keys = [key for key in asked if key is not None]
    rows = await session.execute(
        _TAKE_ORDERS,
        {
            "properties": [key[0] for key in keys],
            "environments": [key[1] for key in keys],
            "orders": [key[2] for key in keys],
            "accounts": [accounts[str(key[0])] for key in keys],
        },
    )
    won = {(str(row[0]), row[1], row[2]) for row in rows}
    return [
        one
        for one, key in zip(arrivals, orders, strict=True)
        if key is None or (asked[key] is one and key in won)
    ]


async def _take(
    session: AsyncSession, arrivals: Sequence[Arrival[Body]], keys: Sequence[Key]
) -> list[Arrival[Body]]:
    if not arrivals:
        return []
    asked = _first_by(arrivals, keys)
    rows = await session.execute(
        _TAKE, {"days": [day for day, _ in asked], "keys": [key for _, key in asked]}
    )
    won = {(row[0], bytes(row[1])) for row in rows}
    return [arrival for key, arrival in asked.items() if key in won]


def _first_by(items: Sequence[Item], keys: Sequence[Claim]) -> dict[Claim, Item]:
    """The first item of each key, in order."""
    found: dict[Claim, Item] = {}
    for item, key in zip(items, keys, strict=True):
        found.setdefault(key, item)
    return found


def _order(arrival: Event) -> tuple[str, str, str] | None:
    body = arrival.body
    if body.kind is not EventKind.CONVERSION or body.order_id is None or not body.reason.valid:
        return None
    return str(body.property_id), "test" if body.is_test else "live", body.order_id
