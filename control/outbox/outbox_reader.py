"""Reads of the outbox for publish: the head, and the deltas after a version."""

from collections.abc import Sequence

import orjson
from sqlalchemy import func, select
from sqlmodel import col

from common.snapshot.digest import to_text
from common.snapshot.messages import Delta, Heartbeat, parse_rows
from common.values.clock import to_ms
from common.values.environment import Environment
from control.outbox.state import digest_of, get_head
from control.storage.database import Database
from control.storage.tables.edges import EdgeWorkerRow
from control.storage.tables.outbox import OutboxRow, SnapshotHeadRow

_STEPS_AT_ONCE = 200


async def find_steps(database: Database, after: int) -> list[OutboxRow]:
    """Returns at most 200 steps after version *after*, oldest first. A gap at the start means that steps were swept."""
    async with database.service() as session:
        found = await session.scalars(
            select(OutboxRow)
            .where(col(OutboxRow.version) > after)
            .order_by(col(OutboxRow.version))
            .limit(_STEPS_AT_ONCE)
        )
        return list(found)


async def find_step(database: Database, version: int) -> OutboxRow | None:
    async with database.service() as session:
        return await session.get(OutboxRow, version)


async def read_head(database: Database) -> SnapshotHeadRow:
    async with database.service() as session:
        return await get_head(session)


async def find_edges_ahead(database: Database) -> tuple[int, int] | None:
    """
    Returns the version of the head and the highest that an edge reported, where an edge has a later one of this epoch.
    Only a database that was restored to an earlier state lacks versions that edges have.
    """
    head, worker = SnapshotHeadRow, EdgeWorkerRow
    async with database.service() as session:
        found = await session.execute(
            select(col(head.version), func.max(worker.version))
            .join(worker, col(worker.epoch) == col(head.epoch))
            .where(col(worker.version) > col(head.version))
            .group_by(col(head.version))
        )
        row = found.one_or_none()
    return None if row is None else (row[0], row[1])


def delta_of(row: OutboxRow, environment: Environment) -> Delta:
    """Returns the changes for *environment*'s edges. They may be empty, but the version still moves."""
    rows: Sequence[tuple[str, str, str | None, str | None]] = orjson.loads(row.entries)
    mine = [[kind, name, body] for kind, name, env, body in rows if env in (None, environment)]
    digest = int(row.digest_test if environment is Environment.TEST else row.digest_live)
    return Delta(row.epoch, row.version, to_text(digest), to_ms(row.at), parse_rows(mine))


def beat_of(head: SnapshotHeadRow, environment: Environment, at_ms: int) -> Heartbeat:
    return Heartbeat(head.epoch, head.version, to_text(digest_of(head, environment)), at_ms)
