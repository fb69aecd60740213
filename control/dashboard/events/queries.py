"""Queries of the events pages besides the feed: older pages, one complete event, its corrections."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Row, literal, select, text, tuple_
from sqlmodel import col

from common.values.clock import from_ms
from common.values.environment import Environment
from common.values.errors import not_found
from common.values.ids import is_uuid
from control.dashboard.page_request import PageRequest
from control.events.events_api.queries import SHOWN, Filters, event_public, fitting
from control.storage.tables.events import EventRow, Xid8

_SKEW = timedelta(days=1)
_MORE = (
    *(EventRow.charged_micros, EventRow.price_micros, EventRow.currency, EventRow.order_id),
    *(EventRow.country, EventRow.device, EventRow.format, EventRow.token_id, EventRow.issued_at),
)
_CORRECTION = text("select correction_id from retractions where event_id = :id")
_NAMES = text(
    "select id, name from campaigns where id = any(:ids) union all select id, name from ads where id = any(:ids) "
    "union all select id, name from slots where id = any(:ids) union all "
    "select id, name from properties where id = any(:ids)"
)


@dataclass(frozen=True, slots=True)
class Whole:
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
    view: PageRequest, filters: Filters, before_id: str, limit: int
) -> list[dict[str, Any]]:
    """
    Events stored before that event, newest first, one more than *limit* if there are more.

    Raises the 404 where there is no such event.
    """
    async with view.control.database.tenant(view.caller.account_id) as session:
        start = await _find(
            session, view, before_id, (EventRow.xid, EventRow.id, EventRow.stored_day)
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
        rows: Sequence[Row[Any]] = (await session.execute(wanted)).all()
    return [event_public(row).model_dump(mode="json") for row in rows]


async def get_event(view: PageRequest, event_id: str) -> Whole:
    """An event of the account and the view's environment. Raises the 404."""
    async with view.control.database.tenant(view.caller.account_id) as session:
        row = await _find(session, view, event_id, (*SHOWN, *_MORE))
        if row is None or row.is_test is not _is_test(view):
            raise not_found()
        correction = await session.scalar(_CORRECTION, {"id": row.id})
    return Whole(
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


async def read_names(view: PageRequest, events: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Names of the campaigns, ads, slots and properties of *events*, by id; without deleted ones."""
    fields = ("campaign_id", "ad_id", "slot_id", "property_id")
    ids = sorted({one[field] for one in events for field in fields})
    if not ids:
        return {}
    async with view.control.database.tenant(view.caller.account_id) as session:
        return {row[0]: row[1] for row in await session.execute(_NAMES, {"ids": ids})}


async def _find(
    session: Any, view: PageRequest, event_id: str, columns: Sequence[Any]
) -> Row[Any] | None:
    """An id starts with the instant of the serve, and no event is stored before it was served."""
    if not is_uuid(event_id):
        return None
    known = UUID(event_id)
    born = from_ms(min(known.int >> 80, 2**42)).date() - _SKEW
    row = EventRow
    wanted = select(*columns).where(
        col(row.account_id) == view.caller.account_id,
        col(row.id) == known,
        col(row.stored_day) >= born,
    )
    property_id = view.caller.property_id
    if property_id is not None:
        wanted = wanted.where(col(row.property_id) == UUID(property_id))
    found: Row[Any] | None = (await session.execute(wanted)).one_or_none()
    return found


def _is_test(view: PageRequest) -> bool:
    return view.environment is Environment.TEST
