"""Database queries for privacy requests."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from control.api.listing import equal_to, get_row, newest_first
from control.identity.privacy_requests.schemas import PrivacyRequestList, PrivacyStatus
from control.storage.tables.privacy_requests import PrivacyRequestRow

_IS_PENDING = col(PrivacyRequestRow.status) == PrivacyStatus.PENDING.value


async def get_request(session: AsyncSession, account_id: str, request_id: str) -> PrivacyRequestRow:
    """Returns the account's request. Raises 404 `not_found` if there is none."""
    own = select(PrivacyRequestRow).where(col(PrivacyRequestRow.account_id) == account_id)
    return await get_row(session, own, col(PrivacyRequestRow.id), request_id)


async def list_requests(
    session: AsyncSession, account_id: str, query: PrivacyRequestList, before_id: str | None
) -> Sequence[PrivacyRequestRow]:
    """Requests with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_requests(account_id, query)
    return await newest_first(session, wanted, col(PrivacyRequestRow.id), query.limit, before_id)


def wanted_requests(
    account_id: str, query: PrivacyRequestList
) -> SelectOfScalar[PrivacyRequestRow]:
    """The list without its order, cursor and limit."""
    return select(PrivacyRequestRow).where(
        col(PrivacyRequestRow.account_id) == account_id, *equal_to(query, PrivacyRequestRow)
    )


async def list_pending(session: AsyncSession) -> Sequence[str]:
    """The ids of all pending requests, oldest first."""
    wanted = select(col(PrivacyRequestRow.id)).where(_IS_PENDING)
    return (await session.scalars(wanted.order_by(col(PrivacyRequestRow.id)))).all()


async def claim_pending(session: AsyncSession, request_id: str) -> PrivacyRequestRow | None:
    """Lock and return the request; None if it is no longer pending, or another job holds it."""
    return await session.scalar(
        select(PrivacyRequestRow)
        .where(col(PrivacyRequestRow.id) == request_id, _IS_PENDING)
        .with_for_update(skip_locked=True)
    )
