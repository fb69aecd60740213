"""Queries of saved views, always limited to what the caller may see."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func
from sqlalchemy import select as select_rows
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from common.values.environment import Environment
from common.values.errors import not_found
from common.values.ids import is_uuid
from control.foundation.principal import Principal
from control.storage.tables.report_views import ReportViewRow


async def get_view(
    session: AsyncSession, principal: Principal, view_id: str, *, lock: bool = False
) -> ReportViewRow:
    """Raises the 404. *lock* holds the row until the transaction ends."""
    if not is_uuid(view_id):
        raise not_found()
    wanted = select(ReportViewRow).where(col(ReportViewRow.id) == view_id, visible_to(principal))
    found = await session.scalar(wanted.with_for_update() if lock else wanted)
    if found is None:
        raise not_found()
    return found


async def list_views(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    limit: int,
    before_id: str | None,
) -> Sequence[ReportViewRow]:
    """Views before *before_id*, newest first; one more than *limit* if there are more."""
    row = ReportViewRow
    wanted = wanted_views(principal, environment)
    if before_id is not None:
        wanted = wanted.where(col(row.id) < before_id)
    return (await session.scalars(wanted.order_by(col(row.id).desc()).limit(limit + 1))).all()


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
