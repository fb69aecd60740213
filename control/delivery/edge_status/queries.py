"""Queries of the workers of all edges by their last status, and of living workers that lack a version."""

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
"""A worker without a status for so long is not waited for: it catches up before it is ready again."""


@dataclass(frozen=True, slots=True)
class Head:
    epoch: str
    version: int


@dataclass(frozen=True, slots=True)
class Propagation:
    """How many of the living workers, of one environment or of both, have a version, and which lack it."""

    workers: int
    pending: tuple[EdgeWorkerRow, ...]

    @property
    def complete(self) -> bool:
        """False where no worker is living, because then none has the version."""
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
    """In order of environment and name, after *after*; at most *limit*, including workers gone for less than a day."""
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
    """A worker in an epoch other than *epoch* is pending, because its versions belong to another history."""
    pending = tuple(row for row in living if row.epoch != epoch or row.version < version)
    return Propagation(len(living), pending)
