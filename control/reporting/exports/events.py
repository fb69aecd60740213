"""Events as rows of an export: in the order and with the fields of the feed, plus the cost of each event."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.enums import Reason
from control.events.events_api.queries import SHOWN
from control.events.events_api.schemas import IvtClass
from control.inventory.properties.queries import get_currency
from control.reporting.exports.export_query import EventsQuery, metadata_of
from control.reporting.exports.table_schema import Cells, Column, ColumnType, Pages
from control.reporting.reports.report_query import ReportScope
from control.storage.tables.events import EventRow, Xid8

COLUMNS = (
    Column("id", ColumnType.ID),
    Column("kind", ColumnType.ID),
    Column("ts", ColumnType.INSTANT),
    Column("ad_id", ColumnType.ID),
    Column("campaign_id", ColumnType.ID),
    Column("slot_id", ColumnType.ID),
    Column("property_id", ColumnType.ID),
    Column("source", ColumnType.ID),
    Column("surface", ColumnType.ID),
    Column("is_test", ColumnType.FLAG),
    Column("valid", ColumnType.FLAG),
    Column("reason", ColumnType.ID),
    Column("live_reason", ColumnType.ID),
    Column("ivt_class", ColumnType.ID),
    Column("value_cents", ColumnType.CENTS),
    Column("currency", ColumnType.ID),
    Column("order_id", ColumnType.TEXT),
    Column("attribution", ColumnType.ID),
    Column("event_name", ColumnType.TEXT),
    Column("corrects", ColumnType.ID),
    Column("country", ColumnType.ID),
    Column("device", ColumnType.ID),
    Column("price_micros", ColumnType.COUNT),
    Column("charged_micros", ColumnType.COUNT),
    Column("account_currency", ColumnType.ID),
)
_BESIDE_THE_FEED: tuple[Any, ...] = (
    EventRow.country,
    EventRow.device,
    EventRow.price_micros,
    EventRow.charged_micros,
)
_PAGE_ROWS = 5_000
_SKEW = timedelta(days=1)
"""Clocks of two machines may disagree about the day."""


async def open_events(
    session: AsyncSession, scope: ReportScope, question: EventsQuery, now: datetime
) -> Pages:
    """*session*: a transaction that sees one state of the database; *now* is the time of that state."""
    currency = await get_currency(session, scope.account_id)
    pages = _pages(session, _wanted(scope, question), question, now, currency)
    return Pages(COLUMNS, pages, metadata_of(question, currency))


async def _pages(
    session: AsyncSession,
    wanted: Select[Any],
    question: EventsQuery,
    now: datetime,
    currency: str,
) -> AsyncIterator[tuple[Sequence[Cells], float]]:
    since = question.since
    length = max((min(question.until, now) - since).total_seconds(), 1.0)
    done = 0.0
    found = await session.stream(wanted, execution_options={"yield_per": _PAGE_ROWS})
    async for rows in found.partitions(_PAGE_ROWS):
        done = max(done, min((rows[-1].at - since).total_seconds() / length, 1.0))
        yield [_cells(row, currency) for row in rows], done


def _wanted(scope: ReportScope, question: EventsQuery) -> Select[Any]:
    """
    Selects events below the oldest running transaction, as the feed does.

    So the id of the last row is a cursor with which the feed continues without a gap.
    """
    horizon = select(func.pg_snapshot_xmin(func.pg_current_snapshot(), type_=Xid8()))
    return (
        select(*SHOWN, *_BESIDE_THE_FEED)
        .where(*_conditions(scope, question), col(EventRow.xid) < horizon.scalar_subquery())
        .order_by(col(EventRow.xid), col(EventRow.id))
    )


def _conditions(scope: ReportScope, question: EventsQuery) -> list[ColumnElement[bool]]:
    row = EventRow
    found: list[ColumnElement[bool]] = [
        col(row.account_id) == scope.account_id,
        col(row.is_test) == scope.environment.is_test,
        col(row.stored_day) >= question.since.date() - _SKEW,
        col(row.at) >= question.since,
        col(row.at) < question.until,
    ]
    found += [
        getattr(row, dimension.column).in_(values) for dimension, values in question.filters.items()
    ]
    if scope.property_id is not None:
        found.append(col(row.property_id) == scope.property_id)
    if question.events is not None:
        found.append(col(row.kind).in_(question.events))
    if question.valid is not None:
        found.append(col(row.valid) == literal(question.valid))
    return found


def _cells(row: Row[Any], currency: str) -> Cells:
    return (
        str(row.id),
        row.kind,
        row.at,
        str(row.ad_id),
        str(row.campaign_id),
        str(row.slot_id),
        str(row.property_id),
        row.source,
        row.surface,
        row.is_test,
        row.valid,
        row.reason,
        row.live_reason,
        IvtClass.from_reason(Reason(row.reason)).value,
        row.value_cents,
        row.currency,
        row.order_id,
        row.attribution,
        row.event_name,
        None if row.corrects is None else str(row.corrects),
        None if row.country is None else row.country.upper(),
        row.device,
        row.price_micros,
        row.charged_micros,
        currency,
    )
