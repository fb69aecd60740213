"""
Stores the workers' snapshot statuses in the database. The leading publish process collects them from Redis. Edges that
cannot reach Redis send theirs over HTTP to any publish process.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import orjson
import structlog
from sqlalchemy import delete, text
from sqlmodel import col

from common.snapshot.status import StatusInvalid, WorkerStatus, parse_status
from common.values.clock import Clock, from_ms
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused, Unavailable
from common.values.messages import Message
from control.ports.snapshots import SnapshotChannel, SnapshotChannelUnavailable
from control.storage.database import Database, describe_error
from control.storage.tables.edges import EdgeWorkerRow

KEPT = timedelta(days=1)
"""How long a worker that is gone is still listed."""
_CHECK_S = 1.0
_SWEEP_S = 600.0
_LONGEST_TEXT = 500

_PUT = text("""
insert into edge_workers as was
    (environment, worker, boot, epoch, version, ok, age_s, seen_at, acked_at, nacked_at, nack_reason)
select :environment, worker, boot, epoch, version, ok, age_s, seen_at,
    case when ok then seen_at end, case when not ok then seen_at end, reason
from unnest(
    cast(:workers as text[]), cast(:boots as text[]), cast(:epochs as text[]), cast(:versions as bigint[]),
    cast(:oks as boolean[]), cast(:ages as float8[]), cast(:seen as timestamptz[]), cast(:reasons as text[])
) as reported (worker, boot, epoch, version, ok, age_s, seen_at, reason)
on conflict (environment, worker) do update set
    boot = excluded.boot, epoch = excluded.epoch, version = excluded.version, ok = excluded.ok,
    age_s = excluded.age_s, seen_at = excluded.seen_at,
    acked_at = coalesce(excluded.acked_at, was.acked_at),
    nacked_at = coalesce(excluded.nacked_at, was.nacked_at),
    nack_reason = coalesce(excluded.nack_reason, was.nack_reason)
where excluded.seen_at >= was.seen_at
""")

Seen = tuple[WorkerStatus, datetime]
"""A status, and when its worker was seen."""

_log: structlog.stdlib.BoundLogger = structlog.get_logger("edges")


class AckCollector:
    """Call `collect` in the leading process only."""

    def __init__(self, database: Database, channel: SnapshotChannel, clock: Clock) -> None:
        self._database = database
        self._channel = channel
        self._clock = clock
        self._last: dict[tuple[Environment, str], bytes] = {}

    async def collect(self) -> None:
        """Runs until cancelled. While Redis or PostgreSQL is unavailable, statuses are not updated."""
        self._last.clear()
        swept_s = float("-inf")
        while True:
            try:
                await self._collect_changed()
                if self._clock.monotonic_s() - swept_s >= _SWEEP_S:
                    await self._sweep()
                    swept_s = self._clock.monotonic_s()
            except (SnapshotChannelUnavailable, Unavailable) as error:
                _log.debug("edge_status_collection_failed", reason=describe_error(error))
            except Exception:  # noqa: BLE001 - a status that cannot be stored must not end publishing
                _log.exception("edge_status_not_stored")
            await asyncio.sleep(_CHECK_S)

    async def receive_pushed(self, environment: Environment, raw: bytes) -> None:
        """Stores statuses sent over HTTP. *raw*: a JSON list of statuses. Raises `Refused` where it is not."""
        try:
            items = orjson.loads(raw)
            statuses = [parse_status(orjson.dumps(item)) for item in items]
        except (orjson.JSONDecodeError, StatusInvalid, TypeError) as error:
            raise Refused(
                ErrorCode.VALIDATION_FAILED,
                Message("The body is not a list of statuses: {problem}", problem=str(error)),
            ) from None
        now = self._clock.now()
        await self._put({environment: [(status, now) for status in statuses]})

    async def _collect_changed(self) -> None:
        """Stores changed statuses; an unchanged one means that its worker has sent nothing since."""
        changed: dict[tuple[Environment, str], bytes] = {}
        for environment in Environment:
            found = await self._channel.find_workers(environment)
            changed |= {(environment, name): raw for name, raw in found.items()}
        changed = {key: raw for key, raw in changed.items() if self._last.get(key) != raw}
        seen: dict[Environment, list[Seen]] = {}
        for (environment, name), raw in changed.items():
            if (status := _find_status(name, raw)) is not None:
                seen_at = self._seen_at(environment, status)
                seen.setdefault(environment, []).append((status, seen_at))
        await self._put(seen)
        self._last |= changed

    def _seen_at(self, environment: Environment, status: WorkerStatus) -> datetime:
        """A worker's first status may be old, so the edge's clock counts for it; after that, ours counts."""
        now = self._clock.now()
        is_first = (environment, status.worker) not in self._last
        return min(now, from_ms(status.at_ms)) if is_first else now

    async def _put(self, seen: Mapping[Environment, Sequence[Seen]]) -> None:
        if not any(seen.values()):
            return
        async with self._database.service() as session:
            for environment, statuses in seen.items():
                columns = _columns_of(statuses)
                await session.execute(_PUT, {"environment": environment.value, **columns})

    async def _sweep(self) -> None:
        """Removes workers without a status for a day, here and in Redis."""
        before = self._clock.now() - KEPT
        async with self._database.service() as session:
            await session.execute(delete(EdgeWorkerRow).where(col(EdgeWorkerRow.seen_at) < before))
        for environment in Environment:
            found = await self._channel.find_workers(environment)
            old = [name for name, raw in found.items() if _is_before(name, raw, before)]
            await self._channel.remove_workers(environment, old)


def _columns_of(seen: Iterable[Seen]) -> dict[str, list[Any]]:
    """Of several statuses of one worker, the last."""
    rows = {_storable(status.worker): (status, at) for status, at in seen}
    statuses = [status for status, _ in rows.values()]
    return {
        "workers": list(rows),
        "boots": [_storable(one.boot) for one in statuses],
        "epochs": [_storable(one.epoch) for one in statuses],
        "versions": [one.version for one in statuses],
        "oks": [one.ok for one in statuses],
        "ages": [one.age_s for one in statuses],
        "seen": [at for _, at in rows.values()],
        "reasons": [one.reason and _storable(one.reason) for one in statuses],
    }


def _storable(text: str) -> str:
    """PostgreSQL text cannot hold NUL."""
    return text[:_LONGEST_TEXT].replace("\0", "")


def _find_status(name: str, raw: bytes) -> WorkerStatus | None:
    """Returns None where the status is unreadable, or stored under another worker's name."""
    try:
        status = parse_status(raw)
    except StatusInvalid:
        return None
    return status if status.worker == name else None


def _is_before(name: str, raw: bytes, instant: datetime) -> bool:
    status = _find_status(name, raw)
    return status is None or from_ms(status.at_ms) < instant
