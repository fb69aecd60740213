"""
`control admin`: what only an operator does. Each act is written to the audit log and to the outbox in its own
transaction, so that edges know, and prints what it changed as JSON.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
import typer
from sqlalchemy.ext.asyncio import AsyncSession

from common.ids import is_uuid
from common.snapshot.model import ObjectType
from common.vocabulary import AccountState, PropertyStatus
from control.accounts import audit
from control.context import ControlContext
from control.publishing.changes import Changes
from control.publishing.outbox import flush
from control.settings import ControlSettings
from control.tables.accounts import AccountRow
from control.tables.properties import PropertyRow
from control.wiring import open_control

app = typer.Typer(help="What only an operator does. Prints JSON.", no_args_is_help=True)

AccountId = Annotated[str, typer.Option("--account", help="The account's id.")]
PropertyId = Annotated[str, typer.Option("--property", help="The property's id.")]


class Absent(Exception):
    """There is no such object; the message names it."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act inside its transaction."""

    control: ControlContext
    session: AsyncSession
    changes: Changes

    def record(self, action: str, object_type: str, object_id: str, account_id: str) -> None:
        audit.record(
            self.session,
            account_id=account_id,
            now=self.control.clock.now(),
            actor="operator",
            action=action,
            object_type=object_type,
            object_id=object_id,
            origin="admin",
        )


@app.command()
def make_operator(account: AccountId) -> None:
    """Let the account's members see and steer the whole platform."""
    _run(lambda act: set_operator(act, account))


@app.command()
def suspend_account(account: AccountId) -> None:
    """Refuse every key of the account, on edges too, until it is activated again."""
    _run(lambda act: set_account_state(act, account, AccountState.SUSPENDED))


@app.command()
def activate_account(account: AccountId) -> None:
    """Take a suspension back."""
    _run(lambda act: set_account_state(act, account, AccountState.ACTIVE))


@app.command()
def verify_property(property_id: PropertyId) -> None:
    """Say that the property is its account's, without a check of its domain."""
    _run(lambda act: set_verified(act, property_id))


async def set_operator(act: Act, account_id: str) -> dict[str, Any]:
    """Raises `Absent`."""
    row = await _get(act.session, AccountRow, account_id)
    row.is_operator = True
    act.record("account.make_operator", "account", row.id, row.id)
    return {"account_id": row.id, "is_operator": row.is_operator}


async def set_account_state(act: Act, account_id: str, state: AccountState) -> dict[str, Any]:
    """Raises `Absent`."""
    row = await _get(act.session, AccountRow, account_id)
    row.state = state.value
    act.record(f"account.{state}", "account", row.id, row.id)
    act.changes.touch(ObjectType.ACCOUNT, row.id)
    return {"account_id": row.id, "state": row.state}


async def set_verified(act: Act, property_id: str) -> dict[str, Any]:
    """Raises `Absent`."""
    row = await _get(act.session, PropertyRow, property_id)
    now = act.control.clock.now()
    row.status = PropertyStatus.VERIFIED.value
    row.version += 1
    row.updated_at = now
    act.record("property.verify", "property", row.id, row.account_id)
    act.changes.touch(ObjectType.PROPERTY, row.id)
    return {"property_id": row.id, "status": row.status, "version": row.version}


@asynccontextmanager
async def acting(control: ControlContext) -> AsyncIterator[Act]:
    """One act, committed with its audit line and its delta when the block ends well."""
    async with control.database.service() as session:
        act = Act(control, session, Changes())
        yield act
        if act.changes:
            await flush(session, act.changes, keys=control.keys, now=control.clock.now())


async def _get(session: AsyncSession, table: type[Any], object_id: str) -> Any:
    row = None
    if is_uuid(object_id):
        row = await session.get(table, object_id, with_for_update=True)
    if row is None:
        raise Absent(f"There is no {table.__name__.removesuffix('Row').lower()} {object_id!r}.")
    return row


def _run(work: Callable[[Act], Awaitable[dict[str, Any]]]) -> None:
    async def whole() -> dict[str, Any]:
        async with open_control(ControlSettings()) as control, acting(control) as act:
            return await work(act)

    typer.echo(orjson.dumps(asyncio.run(whole())).decode())
