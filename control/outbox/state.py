"""Reads the whole state at the head, with consistent version, digest and objects."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal

from sqlalchemy import or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.snapshot.digest import state_digest, to_text
from common.snapshot.messages import FullState, ObjectChange
from common.snapshot.model import ObjectType
from common.values.environment import Environment
from common.values.ids import new_id
from control.storage.database import Database
from control.storage.tables.outbox import SnapshotHeadRow, SnapshotObjectRow

_ROWS_AT_ONCE = 2000


class InconsistentState(Exception):
    """The stored objects do not match the digest at the head. `begin_epoch` makes them consistent again."""


async def load_full(database: Database, environment: Environment) -> FullState:
    """
    Raises `InconsistentState`, and `Unavailable` where the database is unavailable.

    It never blocks the event loop for long.
    """
    async with _as_of_one_instant(database) as session:
        head = await get_head(session)
        entries = await _entries(session, environment)
    digest = await asyncio.to_thread(state_digest, entries)
    if digest != digest_of(head, environment):
        raise InconsistentState(
            f"{environment}: the objects at version {head.version} do not add up"
        )
    return FullState(head.epoch, head.version, to_text(digest), tuple(entries))


async def begin_epoch(database: Database) -> str:
    """
    Starts a new epoch at the current version, with digests recomputed from the objects; edges then load everything
    again.

    For a database that was or may have been restored to an earlier state, or whose objects do not match its digest.
    """
    epoch = new_id()
    async with database.service() as session:
        await session.execute(select(SnapshotHeadRow).with_for_update())
        digests = {
            f"digest_{environment}": Decimal(
                await asyncio.to_thread(state_digest, await _entries(session, environment))
            )
            for environment in Environment
        }
        await session.execute(update(SnapshotHeadRow).values(epoch=epoch, **digests))
    return epoch


async def get_head(session: AsyncSession) -> SnapshotHeadRow:
    """Returns the head. Raises where there is none, because such a database was never migrated."""
    return (await session.scalars(select(SnapshotHeadRow))).one()


def digest_of(row: SnapshotHeadRow, environment: Environment) -> int:
    return int(row.digest_test if environment is Environment.TEST else row.digest_live)


async def _entries(session: AsyncSession, environment: Environment) -> list[ObjectChange]:
    """Returns shared objects and those of *environment*."""
    row = SnapshotObjectRow
    own = or_(col(row.environment).is_(None), col(row.environment) == environment.value)
    found = await session.stream(
        select(col(row.type), col(row.id), col(row.body))
        .where(own)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    entries: list[ObjectChange] = []
    async for rows in found.partitions():
        entries += [
            ObjectChange(ObjectType(kind), object_id, body) for kind, object_id, body in rows
        ]
    return entries


@asynccontextmanager
async def _as_of_one_instant(database: Database) -> AsyncIterator[AsyncSession]:
    async with database.service() as session:
        await session.execute(text("set transaction isolation level repeatable read, read only"))
        yield session
