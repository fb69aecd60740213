"""
Events before the feed's newest, and single events with all their facts.

For the pages of events: the API's feed only goes forward, and leaves out prices and the viewer's country and device.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Row, literal, select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.clock import from_ms
from common.values.environment import Environment
from common.values.errors import not_found
from common.values.ids import is_uuid
from control.events.events_api.queries import SHOWN, Filters, event_public, fitting
from control.foundation.principal import Principal
from control.storage.tables.events import EventRow, Xid8

_SKEW = timedelta(days=1)
_MORE = (
    *(EventRow.charged_micros, EventRow.price_micros, EventRow.currency, EventRow.order_id),
    *(EventRow.country, EventRow.device, EventRow.format, EventRow.token_id, EventRow.issued_at),
)
_CORRECTION = text("select correction_id from retractions where event_id = :id")


@dataclass(frozen=True, slots=True)
class EventDetails:
    """``public``: as in the feed. ``correction_id``: of the event that retracts this one."""

    public: dict[str, Any]
    charged_micros: int
    country: str | None
    device: str | None
    format: str
    currency: str | None
    order_id: str | None
    decision_id: str
    decided_at: datetime
    correction_id: str | None


async def list_older(
    session: AsyncSession, principal: Principal, filters: Filters, before_id: str, limit: int
) -> list[dict[str, Any]]:
    """
    Events stored before that event, newest first, one more than *limit* if there are more.

    Raises the 404 where there is no such event.
    """
    start = await _find(
        session, principal, before_id, (EventRow.xid, EventRow.id, EventRow.stored_day)
    )
    if start is None:
        raise not_found()
    behind = tuple_(col(EventRow.xid), col(EventRow.id)) < tuple_(
        literal(start.xid, Xid8()), literal(start.id)
    )
    wanted = (
        fitting(filters)
        .where(behind, col(EventRow.stored_day) <= start.stored_day + _SKEW)
        .order_by(col(EventRow.xid).desc(), col(EventRow.id).desc())
        .limit(limit + 1)
    )
    rows = await session.execute(wanted)
    return [event_public(row).model_dump(mode="json") for row in rows]


async def get_event(
    session: AsyncSession, principal: Principal, environment: Environment, event_id: str
) -> EventDetails:
    """An event of *environment* that the caller may see. Raises the 404."""
    row = await _find(session, principal, event_id, (*SHOWN, *_MORE))
    if row is None or row.is_test is not environment.is_test:
        raise not_found()
    correction = await session.scalar(_CORRECTION, {"id": row.id})
    return EventDetails(
        public=event_public(row).model_dump(mode="json"),
        charged_micros=row.charged_micros,
        country=row.country,
        device=row.device,
        format=row.format,
        currency=row.currency,
        order_id=row.order_id,
        decision_id=str(row.token_id),
        decided_at=row.issued_at,
        correction_id=None if correction is None else str(correction),
    )


async def _find(
    session: AsyncSession, principal: Principal, event_id: str, columns: Sequence[Any]
) -> Row[Any] | None:
    """An id starts with the instant of the serve, and no event is stored before it was served."""
    if not is_uuid(event_id):
        return None
    known = UUID(event_id)
    born = from_ms(min(known.int >> 80, 2**42)).date() - _SKEW
    row = EventRow
    wanted = select(*columns).where(
        col(row.account_id) == principal.account_id,
        col(row.id) == known,
        col(row.stored_day) >= born,
    )
    if principal.property_id is not None:
        wanted = wanted.where(col(row.property_id) == UUID(principal.property_id))
    found: Row[Any] | None = (await session.execute(wanted)).one_or_none()
    return found
