"""Pages of the events feed."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Row, Select, Uuid, func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.contract.models import Page
from common.vocabulary import EventKind, Reason, Source, Surface
from control.call import Call
from control.integration.cursors import Place, encode_place, parse_place, place_below, place_of
from control.integration.rules import ivt_class_of
from control.integration.schemas import EventPublic, EventsQuery
from control.tables.events import EventRow, Xid8

_SKEW = timedelta(days=1)
"""Clocks of two machines may disagree about the day."""

_SHOWN: tuple[Any, ...] = (
    *(EventRow.id, EventRow.kind, EventRow.at, EventRow.ad_id, EventRow.campaign_id),
    *(EventRow.slot_id, EventRow.property_id, EventRow.source, EventRow.surface),
    *(EventRow.is_test, EventRow.valid, EventRow.reason, EventRow.value_cents),
    *(EventRow.attribution, EventRow.corrects, EventRow.xid, EventRow.stored_day),
)


async def read_page(call: Call) -> Page[EventPublic]:
    """
    The newest, newest first, without a cursor; else what follows it, oldest first, each event exactly once.

    Transactions still running when the horizon is taken are left to a later page. ``next_cursor`` is never null:
    behind the last page it stands at the horizon.
    """
    query: EventsQuery = call.query
    horizon = await _horizon(call.session)
    end = place_below(horizon, call.now.date())
    wanted = _wanted(call).where(col(EventRow.xid) < literal(horizon, Xid8()))
    if query.cursor is None:
        newest = wanted.order_by(col(EventRow.xid).desc(), col(EventRow.id).desc())
        rows = (await call.session.execute(newest.limit(query.limit))).all()
        return _page(call, rows, end, has_more=False)
    start = await parse_place(call, query.cursor)
    rows = (await call.session.execute(_following(wanted, start).limit(query.limit + 1))).all()
    shown, has_more = rows[: query.limit], len(rows) > query.limit
    return _page(call, shown, place_of(shown[-1]) if has_more else end, has_more=has_more)


async def _horizon(session: AsyncSession) -> int:
    """The oldest transaction still running: all before it are over, and what they stored can be seen."""
    found = select(func.pg_snapshot_xmin(func.pg_current_snapshot(), type_=Xid8()))
    horizon: int = (await session.execute(found)).scalar_one()
    return horizon


def _following(wanted: Select[Any], start: Place) -> Select[Any]:
    behind = tuple_(col(EventRow.xid), col(EventRow.id)) > tuple_(
        literal(start.xid, Xid8()), literal(start.id, Uuid())
    )
    return wanted.where(behind, col(EventRow.stored_day) >= start.day - _SKEW).order_by(
        col(EventRow.xid), col(EventRow.id)
    )


def _wanted(call: Call) -> Select[Any]:
    """What the caller may see of the account's events, and asked for."""
    query: EventsQuery = call.query
    principal = call.principal
    environment = principal.environment or query.environment
    equals = {
        col(EventRow.property_id): principal.property_id or query.property_id,
        col(EventRow.kind): query.kind,
        col(EventRow.valid): query.valid,
        col(EventRow.is_test): query.is_test,
    }
    found = select(*_SHOWN).where(col(EventRow.account_id) == principal.account_id)
    for column, value in equals.items():
        if value is not None:
            found = found.where(column == value)
    if environment is not None:
        found = found.where(col(EventRow.is_test) == environment.is_test)
    if query.since is not None:
        found = found.where(
            col(EventRow.at) >= query.since,
            col(EventRow.stored_day) >= query.since.date() - _SKEW,
        )
    if query.until is not None:
        found = found.where(col(EventRow.at) < query.until)
    return found


def _page(
    call: Call, rows: Sequence[Row[Any]], after: Place, *, has_more: bool
) -> Page[EventPublic]:
    return Page[EventPublic](
        data=[_public(row) for row in rows],
        has_more=has_more,
        next_cursor=encode_place(call, after),
    )


def _public(row: Row[Any]) -> EventPublic:
    reason = Reason(row.reason)
    return EventPublic(
        id=str(row.id),
        kind=EventKind(row.kind),
        ts=row.at,
        ad_id=str(row.ad_id),
        campaign_id=str(row.campaign_id),
        slot_id=str(row.slot_id),
        property_id=str(row.property_id),
        source=Source(row.source),
        surface=Surface(row.surface),
        is_test=row.is_test,
        valid=row.valid,
        reason=reason,
        ivt_class=ivt_class_of(reason),
        value_cents=row.value_cents,
        attribution=row.attribution,
        corrects=None if row.corrects is None else str(row.corrects),
    )
