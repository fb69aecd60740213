"""
Names of objects by id, for lines of money, of events and of the audit log, which have ids alone; an account's currency.

No operation offers this: a user may see such lines without a permission to read their objects, and one page has
objects of several types.
"""

from collections.abc import Iterable

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.dashboard.page_request import PageRequest

_NAMES = text("""
select id, name from campaigns where account_id = :account and id = any(:ids)
union all select id, name from ads where account_id = :account and id = any(:ids)
union all select id, name from slots where account_id = :account and id = any(:ids)
union all select id, name from properties where account_id = :account and id = any(:ids)
union all select id, name from keys where account_id = :account and id = any(:ids)
union all select id, coalesce(nullif(name, ''), email) from users where id = any(:ids)
""")
"""Row security limits users to those of the account."""
_CURRENCY = text("select currency from accounts where id = :account")


async def read_names(view: PageRequest, ids: Iterable[str]) -> dict[str, str]:
    """Names of campaigns, ads, slots, properties, keys and users; without deleted objects and former members."""
    account_id, wanted = view.caller.account_id, sorted(set(ids))
    if not wanted:
        return {}
    async with view.control.database.tenant(account_id) as session:
        return await names_in(session, account_id, wanted)


async def names_in(session: AsyncSession, account_id: str, ids: Iterable[str]) -> dict[str, str]:
    """As `read_names`, in a session of the account."""
    rows = await session.execute(_NAMES, {"account": account_id, "ids": list(ids)})
    return {row[0]: row[1] for row in rows}


async def currency_of(session: AsyncSession, account_id: str) -> str:
    """Of an account that exists, in a session of the account."""
    found: str = (await session.execute(_CURRENCY, {"account": account_id})).scalar_one()
    return found
