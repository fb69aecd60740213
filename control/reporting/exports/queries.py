"""Queries of exports, always limited to what the caller may see."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func
from sqlalchemy import select as select_rows
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from common.contract.operation import Auth
from common.contract.permissions import Permission
from common.values.environment import Environment
from control.api.listing import equal_to, get_row, newest_first
from control.foundation.principal import Principal
from control.reporting.exports.schemas import ExportKind, ExportList, ExportStatus
from control.storage.tables.exports import ExportRow

UNFINISHED = (ExportStatus.QUEUED.value, ExportStatus.RUNNING.value)


async def get_export(
    session: AsyncSession, principal: Principal, export_id: str, *, lock: bool = False
) -> ExportRow:
    """Returns the export. Raises 404 `not_found`. *lock*: lock the row until the transaction ends."""
    visible = select(ExportRow).where(visible_to(principal))
    return await get_row(session, visible, col(ExportRow.id), export_id, lock=lock)


async def list_exports(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    query: ExportList,
    before_id: str | None,
) -> Sequence[ExportRow]:
    """Exports with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    row = ExportRow
    wanted = wanted_exports(principal, environment, query)
    return await newest_first(session, wanted, col(row.id), query.limit, before_id)


def wanted_exports(
    principal: Principal, environment: Environment, query: ExportList
) -> SelectOfScalar[ExportRow]:
    """The list without its order, cursor and limit."""
    return select(ExportRow).where(
        visible_to(principal),
        col(ExportRow.environment) == environment.value,
        *equal_to(query, ExportRow),
    )


def visible_to(principal: Principal) -> ColumnElement[bool]:
    """
    The account's exports; for a key those of its environment and property. Event exports need permission to read
    events.
    """
    row = ExportRow
    found = (col(row.account_id) == principal.account_id) & ~col(row.is_removed)
    if principal.environment is not None:
        found &= col(row.environment) == principal.environment.value
    if principal.property_id is not None:
        found &= col(row.property_id) == principal.property_id
    if not may_read_events(principal):
        found &= col(row.kind) != ExportKind.EVENTS.value
    return found


def may_read_events(principal: Principal) -> bool:
    """A key's `reports:read` covers them, as in the feed."""
    return principal.auth is Auth.INTEGRATION_KEY or Permission.EVENT_READ in principal.permissions


async def count_unfinished(session: AsyncSession, account_id: str) -> int:
    """Locks the account's exports until the transaction ends, so that the count stays true."""
    lock = func.pg_advisory_xact_lock(func.hashtextextended(f"exports:{account_id}", 0))
    await session.execute(select_rows(lock))
    wanted = select_rows(func.count()).where(
        col(ExportRow.account_id) == account_id,
        col(ExportRow.status).in_(UNFINISHED),
        ~col(ExportRow.is_removed),
    )
    return int(await session.scalar(wanted) or 0)
