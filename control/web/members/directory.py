"""The people of an account, for choosing one from a list."""

from sqlalchemy import select
from sqlmodel import col

from control.tables.accounts import MembershipRow, UserRow
from control.web.view import View

_MOST = 200


async def list_people(view: View) -> list[tuple[str, str]]:
    """Id and name, by name; the first 200."""
    wanted = (
        select(col(UserRow.id), col(UserRow.name), col(UserRow.email))
        .join(MembershipRow, col(MembershipRow.user_id) == col(UserRow.id))
        .where(col(MembershipRow.account_id) == view.caller.account_id)
        .order_by(col(UserRow.name), col(UserRow.id))
        .limit(_MOST)
    )
    async with view.control.database.tenant(view.caller.account_id) as session:
        return [(row.id, row.name or row.email) for row in await session.execute(wanted)]
