"""Names for ids in lines of money and of the audit log: users and properties. Queried as the tenant."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlmodel import col

from control.dashboard.page_request import PageRequest
from control.storage.tables.accounts import UserRow
from control.storage.tables.properties import PropertyRow

_USER = "user:"


async def people_by_id(view: PageRequest, user_ids: Iterable[str]) -> dict[str, str]:
    """Without users who have left the account."""
    wanted = select(col(UserRow.id), col(UserRow.name), col(UserRow.email)).where(
        col(UserRow.id).in_(set(user_ids))
    )
    async with view.control.database.tenant(view.caller.account_id) as session:
        return {row.id: row.name or row.email for row in await session.execute(wanted)}


async def people_of(view: PageRequest, actors: Iterable[str]) -> dict[str, str]:
    """By actor as in the lines (``user:ID``); without the service, operators and keys."""
    ids = [actor.removeprefix(_USER) for actor in actors if actor.startswith(_USER)]
    return {f"{_USER}{one}": name for one, name in (await people_by_id(view, ids)).items()}


async def properties_by_id(view: PageRequest, property_ids: Iterable[str]) -> dict[str, str]:
    wanted = select(col(PropertyRow.id), col(PropertyRow.name)).where(
        col(PropertyRow.account_id) == view.caller.account_id,
        col(PropertyRow.id).in_(set(property_ids)),
    )
    async with view.control.database.tenant(view.caller.account_id) as session:
        return {row.id: row.name for row in await session.execute(wanted)}
