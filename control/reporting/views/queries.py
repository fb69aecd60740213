"""Queries of saved views, always limited to what the caller may see."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func
from sqlalchemy import select as select_rows
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from common.values.environment import Environment
from control.api.listing import get_row, newest_first
from control.foundation.principal import Principal
from control.storage.tables.report_views import ReportViewRow


async def get_view(
    session: AsyncSession, principal: Principal, view_id: str, *, lock: bool = False
) -> ReportViewRow:
    """Returns the view. Raises 404 `not_found`. *lock*: lock the row until the transaction ends."""
    visible = select(ReportViewRow).where(visible_to(principal))
    return await get_row(session, visible, col(ReportViewRow.id), view_id, lock=lock)


async def list_views(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    limit: int,
    before_id: str | None,
) -> Sequence[ReportViewRow]:
    """Views with ids below *before_id*, newest first. Returns one more than *limit* if there are more."""
    row = ReportViewRow
    wanted = wanted_views(principal, environment)
    return await newest_first(session, wanted, col(row.id), limit, before_id)


def wanted_views(principal: Principal, environment: Environment) -> SelectOfScalar[ReportViewRow]:
    """The list without its order, cursor and limit."""
    row = ReportViewRow
    return select(row).where(visible_to(principal), col(row.environment) == environment.value)


def visible_to(principal: Principal) -> ColumnElement[bool]:
    row = ReportViewRow
    shown = or_(col(row.owner_id).is_(None), col(row.owner_id) == principal.user_id)
    return (col(row.account_id) == principal.account_id) & shown


async def count_views(session: AsyncSession, account_id: str, environment: Environment) -> int:
    """Locks the account's views until the transaction ends, so that the count stays true."""
    lock = func.pg_advisory_xact_lock(func.hashtextextended(f"report_views:{account_id}", 0))
    await session.execute(select_rows(lock))
    wanted = select_rows(func.count()).where(
        col(ReportViewRow.account_id) == account_id,
        col(ReportViewRow.environment) == environment.value,
    )
    return int(await session.scalar(wanted) or 0)
