"""Queries of stored events in the order of the feed, and their public form."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, Uuid, func, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.enums import EventKind, Reason
from common.values.environment import Environment
from control.events.events_api.positions import Position
from control.events.events_api.schemas import EventPublic, IvtClass
from control.foundation.resource_models import from_row
from control.storage.tables.events import EventRow, Xid8

_SKEW = timedelta(days=1)
"""Clocks of two machines may disagree about the day."""

SHOWN: tuple[Any, ...] = (
    *(EventRow.id, EventRow.kind, EventRow.at, EventRow.ad_id, EventRow.campaign_id),
    *(EventRow.slot_id, EventRow.property_id, EventRow.source, EventRow.surface),
    *(EventRow.is_test, EventRow.valid, EventRow.reason, EventRow.live_reason),
    *(EventRow.value_cents, EventRow.currency, EventRow.order_id),
    *(EventRow.attribution, EventRow.event_name, EventRow.corrects, EventRow.xid),
    EventRow.stored_day,
)
_IDS = ("id", "ad_id", "campaign_id", "slot_id", "property_id")


@dataclass(frozen=True, slots=True)
class Filters:
    """None, or no value of several: any. ``since`` and ``until`` bound the time of the event, half open."""

    account_id: str
    property_ids: tuple[str, ...] = ()
    environment: Environment | None = None
    kinds: tuple[EventKind, ...] = ()
    valid: bool | None = None
    is_test: bool | None = None
    since: datetime | None = None
    until: datetime | None = None


async def get_horizon(session: AsyncSession) -> int:
    """The oldest transaction still running: all earlier ones have ended, and their rows are visible."""
    found = select(func.pg_snapshot_xmin(func.pg_current_snapshot(), type_=Xid8()))
    horizon: int = (await session.execute(found)).scalar_one()
    return horizon


async def list_newest(
    session: AsyncSession, filters: Filters, *, horizon: int, limit: int
) -> Sequence[Row[Any]]:
    """Events below *horizon*, newest first."""
    order = (col(EventRow.xid).desc(), col(EventRow.id).desc())
    wanted = _below(filters, horizon).order_by(*order).limit(limit)
    found: Sequence[Row[Any]] = (await session.execute(wanted)).all()
    return found


async def list_following(
    session: AsyncSession, filters: Filters, start: Position, *, horizon: int, limit: int
) -> Sequence[Row[Any]]:
    """Events after *start* and below *horizon*, oldest first; one more than *limit* if there are more."""
    behind = tuple_(col(EventRow.xid), col(EventRow.id)) > tuple_(
        literal(start.xid, Xid8()), literal(start.id, Uuid())
    )
    wanted = _below(filters, horizon).where(behind, col(EventRow.stored_day) >= start.day - _SKEW)
    order = (col(EventRow.xid), col(EventRow.id))
    found: Sequence[Row[Any]] = (
        await session.execute(wanted.order_by(*order).limit(limit + 1))
    ).all()
    return found


async def list_newest_events(
    session: AsyncSession, account_id: str, *, property_id: str, limit: int
) -> list[dict[str, Any]]:
    """
    A property's newest events of both environments as JSON objects, newest first.

    Besides the fields of the API each has ``decision_id`` and ``charged_micros``.
    """
    order = (col(EventRow.xid).desc(), col(EventRow.id).desc())
    wanted = (
        _below(Filters(account_id, property_ids=(property_id,)), await get_horizon(session))
        .add_columns(col(EventRow.token_id), col(EventRow.charged_micros))
        .order_by(*order)
        .limit(limit)
    )
    return [
        event_public(row).model_dump(mode="json")
        | {"decision_id": str(row.token_id), "charged_micros": row.charged_micros}
        for row in await session.execute(wanted)
    ]


def event_public(row: Row[Any]) -> EventPublic:
    return from_row(
        EventPublic,
        row,
        **{name: str(getattr(row, name)) for name in _IDS},
        ts=row.at,
        ivt_class=IvtClass.from_reason(Reason(row.reason)),
        corrects=None if row.corrects is None else str(row.corrects),
    )


def fitting(filters: Filters) -> Select[Any]:
    """Selects the columns of `event_public` for the events that match *filters*, unordered."""
    row = EventRow
    any_of: dict[Any, tuple[Any, ...]] = {
        col(row.property_id): filters.property_ids,
        col(row.kind): filters.kinds,
        col(row.valid): () if filters.valid is None else (filters.valid,),
        col(row.is_test): () if filters.is_test is None else (filters.is_test,),
    }
    found = select(*SHOWN).where(col(row.account_id) == filters.account_id)
    for column, values in any_of.items():
        if values:
            found = found.where(column.in_(values))
    if filters.environment is not None:
        found = found.where(col(row.is_test) == filters.environment.is_test)
    if filters.since is not None:
        stored = col(row.stored_day) >= filters.since.date() - _SKEW
        found = found.where(col(row.at) >= filters.since, stored)
    if filters.until is not None:
        found = found.where(col(row.at) < filters.until)
    return found


def _below(filters: Filters, horizon: int) -> Select[Any]:
    return fitting(filters).where(col(EventRow.xid) < literal(horizon, Xid8()))
