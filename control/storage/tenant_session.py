"""
A session whose transactions name their account in the message that begins them: one round trip, not two.

What fails here fails closed: a transaction that was begun without its account sees no row.
"""

from typing import Any

import asyncpg
from sqlalchemy import Connection, event
from sqlalchemy.orm import Session, SessionTransaction

ACCOUNT = "account"
"""Where a session's ``info`` holds the account; without it no row is seen."""
STEADY = "steady"
"""Where it holds True if the transaction sees everything as it stood at one instant, and writes nothing."""
_BEGIN = "BEGIN;"
"""As asyncpg begins a transaction of the default kind."""
_BEGIN_STEADY = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"


class TenantConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg ships no types
    """What the pool of tenants is filled with."""

    account_id: str | None = None
    is_steady: bool = False

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> Any:  # noqa: ASYNC109 - asyncpg's own signature
        if query == _BEGIN and self.account_id is not None:
            account = self.account_id.replace("'", "''")
            begin = _BEGIN_STEADY if self.is_steady else _BEGIN
            query = f"{begin} select set_config('app.account', '{account}', true)"
        return await super().execute(query, *args, timeout=timeout)


class TenantSession(Session):
    """The synchronous half of the session of a tenant's transaction."""


@event.listens_for(TenantSession, "after_begin")
def _name_account(session: Session, _: SessionTransaction, connection: Connection) -> None:
    """Before the driver begins, which it does with the first statement; so no connection keeps another's account."""
    driver: Any = connection.connection.driver_connection
    driver.account_id = session.info.get(ACCOUNT)
    driver.is_steady = session.info.get(STEADY, False)
