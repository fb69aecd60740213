"""
One act of the operator: its transaction, audit record, delta and output.

A success prints JSON to standard output; a refusal prints one sentence to standard error.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.values.ids import is_uuid
from control.api import audit
from control.api.context import ControlContext
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.storage.tables.accounts import AccountRow

ACTOR = "operator"
ORIGIN = "admin"


class NotFound(Exception):
    """There is no such object; the message names it."""


class ActionRefused(Exception):
    """The object exists, but the act is not allowed on it; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class OperatorAction:
    """One act inside its transaction, which has the service role: it sees every account."""

    control: ControlContext
    session: AsyncSession
    changes: Changes

    async def get(self, table: type[Any], object_id: str, *, lock: bool = True) -> Any:
        """Returns the row of *object_id*. Raises `NotFound`."""
        row = None
        if is_uuid(object_id):
            row = await self.session.get(table, object_id, with_for_update=lock or None)
        if row is None:
            raise NotFound(
                f"There is no {table.__name__.removesuffix('Row').lower()} {object_id!r}."
            )
        return row

    def record(
        self,
        action: str,
        object_type: str,
        object_id: str,
        account_id: str,
        **detail: Any,
    ) -> None:
        audit.record(
            self.session,
            account_id=account_id,
            now=self.control.clock.now(),
            actor=ACTOR,
            action=action,
            object_type=object_type,
            object_id=object_id,
            origin=ORIGIN,
            detail=detail,
        )

    async def record_of_all(
        self, action: str, object_type: str, object_id: str, **detail: Any
    ) -> None:
        """
        Records an act that concerns no account in the operator's own log.

        Raises `NotFound` before that account exists.
        """
        own = await self.session.scalar(
            select(col(AccountRow.id))
            .where(col(AccountRow.is_operator))
            .order_by(col(AccountRow.created_at), col(AccountRow.id))
            .limit(1)
        )
        if own is None:
            raise NotFound(
                "There is no operator's account to write this act down in. Sign up first."
            )
        self.record(action, object_type, object_id, own, **detail)


@asynccontextmanager
async def operator_action(control: ControlContext) -> AsyncIterator[OperatorAction]:
    """One act, committed with its audit record and its delta when the block ends without an exception."""
    async with control.database.service() as session:
        act = OperatorAction(control, session, Changes())
        yield act
        if act.changes:
            await flush(session, act.changes, keys=control.keys, now=control.clock.now())
