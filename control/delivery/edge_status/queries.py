"""The workers of all edges, as they last spoke; and which of those that live lack a version."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.environment import Environment
from control.storage.tables.edges import EdgeWorkerRow
from control.storage.tables.outbox import SnapshotHeadRow

LIVING = timedelta(seconds=60)
"""Who said nothing for so long is not waited for: it catches up before it is ready again."""


@dataclass(frozen=True, slots=True)
class Head:
    epoch: str
    version: int


@dataclass(frozen=True, slots=True)
class Propagation:
    """Of the living workers of an environment, or of all: who has a version, and who not yet."""

    workers: int
    pending: tuple[EdgeWorkerRow, ...]

    @property
    def complete(self) -> bool:
        """Where nobody lives, nobody has it."""
        return self.workers > 0 and not self.pending


async def read_head(session: AsyncSession) -> Head:
    row = (
        await session.execute(select(col(SnapshotHeadRow.epoch), col(SnapshotHeadRow.version)))
    ).one()
    return Head(row[0], row[1])


async def list_workers(
    session: AsyncSession,
    environment: Environment | None,
    after: tuple[str, str] | None,
    limit: int,
) -> Sequence[EdgeWorkerRow]:
    """By environment and name, behind *after*; at most *limit*, those too that are gone for less than a day."""
    key = tuple_(col(EdgeWorkerRow.environment), col(EdgeWorkerRow.worker))
    wanted = select(EdgeWorkerRow).order_by(key).limit(limit)
    if environment is not None:
        wanted = wanted.where(col(EdgeWorkerRow.environment) == environment.value)
    if after is not None:
        wanted = wanted.where(key > after)
    return (await session.scalars(wanted)).all()


async def list_living(
    session: AsyncSession, now: datetime, environment: Environment | None = None
) -> Sequence[EdgeWorkerRow]:
    wanted = select(EdgeWorkerRow).where(col(EdgeWorkerRow.seen_at) > now - LIVING)
    if environment is not None:
        wanted = wanted.where(col(EdgeWorkerRow.environment) == environment.value)
    ordered = wanted.order_by(col(EdgeWorkerRow.environment), col(EdgeWorkerRow.worker))
    return (await session.scalars(ordered)).all()


def propagation_of(living: Sequence[EdgeWorkerRow], epoch: str, version: int) -> Propagation:
    """Versions of another epoch than *epoch* are of another history, and have nothing of this one."""
    pending = tuple(row for row in living if row.epoch != epoch or row.version < version)
    return Propagation(len(living), pending)
