"""Database queries that read the audit log and delete its old lines."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from control.api.listing import newest_first
from control.identity.audit_log.schemas import AuditLine, AuditQuery
from control.storage.tables.accounts import AuditRow

KEPT = timedelta(days=400)


async def list_lines(
    session: AsyncSession, account_id: str | None, query: AuditQuery, before_id: str | None
) -> Sequence[AuditRow]:
    """
    Newest first; one more than the limit if there are more.
    *account_id* None: lines of all accounts, as the service.
    """
    wanted = wanted_lines(account_id, query)
    return await newest_first(session, wanted, col(AuditRow.id), query.limit, before_id)


def wanted_lines(account_id: str | None, query: AuditQuery) -> SelectOfScalar[AuditRow]:
    """The list without its order, cursor and limit."""
    wanted = select(AuditRow).where(*_filters(query))
    return wanted if account_id is None else wanted.where(col(AuditRow.account_id) == account_id)


async def purge_before(session: AsyncSession, before: datetime, *, limit: int) -> int:
    """Delete at most *limit* lines from before *before*. Returns the number of deleted lines."""
    some = select(col(AuditRow.id)).where(col(AuditRow.at) < before).limit(limit)
    gone = await session.scalars(
        delete(AuditRow)
        .where(col(AuditRow.id).in_(some))
        .returning(col(AuditRow.id))
        .execution_options(synchronize_session=False)
    )
    return len(gone.all())


def _filters(query: AuditQuery) -> list[ColumnElement[bool]]:
    equal = ("actor", "action", "object_type", "object_id")
    found = [
        col(getattr(AuditRow, name)) == value
        for name in equal
        if (value := getattr(query, name)) is not None
    ]
    if query.since is not None:
        found.append(col(AuditRow.at) >= query.since)
    if query.until is not None:
        found.append(col(AuditRow.at) < query.until)
    return found


def to_public(row: AuditRow) -> AuditLine:
    """Returns the API form of *row*."""
    return AuditLine(**{name: getattr(row, name) for name in AuditLine.model_fields})
