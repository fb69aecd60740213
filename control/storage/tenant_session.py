"""
A session that sets the account in the same message that begins the transaction: one round trip instead of two.

Failures are safe: a transaction that begins without its account sees no row.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import asyncpg
from sqlalchemy import Connection, event
from sqlalchemy.orm import Session, SessionTransaction

ACCOUNT = "account"
"""Key of the account in a session's ``info``; without it, the session sees no row."""
STEADY = "steady"
"""Key in a session's ``info``; True for a read-only transaction that sees all rows as of one instant."""
_BEGIN = "BEGIN;"
"""The statement by which asyncpg begins a default transaction."""
_BEGIN_STEADY = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"


class TenantConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg ships no types
    """Connection class of the tenant pool."""

    account_id: str | None = None
    is_steady: bool = False

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> Any:  # noqa: ASYNC109 - asyncpg's own signature
        if query == _BEGIN and self.account_id is not None:
            begin = _BEGIN_STEADY if self.is_steady else _BEGIN
            query = f"{begin} {_set_locally({'app.account': self.account_id})}"
        return await super().execute(query, *args, timeout=timeout)


class PooledConnection(TenantConnection):
    """
    Connection class of pools behind a pooler in transaction mode.

    Each transaction may get another server session, so it begins with the role and the limits that a direct connection
    sets once.
    """

    settings: Mapping[str, str] = MappingProxyType({})

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> Any:  # noqa: ASYNC109 - asyncpg's own signature
        if not query.startswith("BEGIN"):
            return await super().execute(query, *args, timeout=timeout)
        if query == _BEGIN and self.account_id is not None:
            query = _BEGIN_STEADY if self.is_steady else _BEGIN
            settings = {**self.settings, "app.account": self.account_id}
        else:
            settings = dict(self.settings)
        return await super().execute(f"{query} {_set_locally(settings)}", timeout=timeout)

    async def set_type_codec(self, *args: Any, **named: Any) -> None:
        """In a transaction, because asyncpg prepares a statement to look the type up."""
        async with self.transaction():
            await super().set_type_codec(*args, **named)


def _set_locally(settings: Mapping[str, str]) -> str:
    """The statement that sets *settings* until the end of the transaction."""
    calls = (f"set_config('{name}', {_quote(value)}, true)" for name, value in settings.items())
    return f"select {', '.join(calls)}"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class TenantSession(Session):
    """Synchronous half of a tenant session."""


@event.listens_for(TenantSession, "after_begin")
def _name_account(session: Session, _: SessionTransaction, connection: Connection) -> None:
    """
    Runs before the driver begins the transaction, at its first statement, so no connection keeps
    an older account.
    """
    driver: Any = connection.connection.driver_connection
    driver.account_id = session.info.get(ACCOUNT)
    driver.is_steady = session.info.get(STEADY, False)
