"""Pages of the events feed."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from common.contract.models import Page
from control.api.call import Call
from control.events.events_api.cursors import kind_of, parse_position
from control.events.events_api.positions import (
    Position,
    encode_position,
    position_after,
    position_below,
)
from control.events.events_api.queries import (
    Filters,
    event_public,
    get_horizon,
    list_following,
    list_newest,
)
from control.events.events_api.schemas import EventPublic, EventsQuery, StreamQuery
from control.inventory.properties.queries import get_property


async def read_page(call: Call) -> Page[EventPublic]:
    """
    Without a cursor the newest events, newest first. With one, the events after it, oldest first, each exactly once.

    Events of transactions still running when the horizon is read appear on a later page. ``next_cursor`` is never null:
    after the last page it stands at the horizon.
    """
    query: EventsQuery = call.query
    session, filters = call.session, filters_of(call)
    horizon = await get_horizon(session)
    end = position_below(horizon, call.now.date())
    if query.cursor is None:
        rows = await list_newest(session, filters, horizon=horizon, limit=query.limit)
        return _page(call, rows, end, has_more=False)
    start = await parse_position(call, query.cursor)
    rows = await list_following(session, filters, start, horizon=horizon, limit=query.limit)
    shown, has_more = rows[: query.limit], len(rows) > query.limit
    return _page(call, shown, position_after(shown[-1]) if has_more else end, has_more=has_more)


async def check_properties(call: Call) -> None:
    """Raises 404 where the caller does not see one of the requested properties."""
    for one in call.query.property_id or ():
        await get_property(call.session, call.principal, one)


def filters_of(call: Call) -> Filters:
    """The requested filters, limited to what the caller may see."""
    query: StreamQuery = call.query
    principal = call.principal
    return Filters(
        principal.account_id,
        property_ids=(principal.property_id,)
        if principal.property_id
        else (*(query.property_id or ()),),
        environment=principal.environment or query.environment,
        kinds=(*(query.kind or ()),),
        valid=query.valid,
        is_test=query.is_test,
        since=query.since,
        until=query.until,
    )


def _page(
    call: Call, rows: Sequence[Row[Any]], after: Position, *, has_more: bool
) -> Page[EventPublic]:
    return Page[EventPublic](
        data=[event_public(row) for row in rows],
        has_more=has_more,
        next_cursor=encode_position(call.control.keys, kind_of(call), after),
    )
