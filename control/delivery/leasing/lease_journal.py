"""
Stores the allocator's state in PostgreSQL before any grant is sent.

Each round appends its changes to a journal, and writes the holds that grew to a table of their own. From time to time
books and minutes are rewritten, and the journal is emptied.
The journal is read in the order in which it was written: a worker that was removed may report again, and its counts
then begin anew. A new leader increments the epoch. A replaced leader finds it changed, and nothing of its round is
stored. Encoding runs in slices, because it may be megabytes.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.pacing.holds import Hold, HoldDays
from common.pacing.lease import Lease
from common.pacing.lease_messages import (
    encode_list_steps,
    encode_map_steps,
    parse_list_steps,
)
from common.service.cooperative import batches, run_cooperatively
from common.values.clock import from_ms, to_ms
from control.delivery.leasing.worker_state import AllocationRound, WorkerLeases

_DAY_MINUTES = 1_440
_REMOVED = -1
"""
The sequence of a removed worker in the journal. Release 0.2.0 reads such an entry as one of a worker without changes.
"""
_BEGIN = text(
    "update lease_epoch set epoch = greatest(epoch, :reported) + 1 where id = 1 returning epoch"
)
_HOLD = text("select epoch from lease_epoch where id = 1 for share")
_WORKER_LEASES = text("select worker, sequence, heard_at, body from lease_books")
_MINUTES = text("select minute, body from lease_minutes where minute >= :first")
_JOURNAL = text("select body from lease_journal order by epoch, number")
_ENTER = text("insert into lease_journal (epoch, number, body) values (:epoch, :number, :body)")
_STORE = text(
    "insert into lease_books (worker, sequence, heard_at, body) "
    "select * from unnest(cast(:workers as varchar[]), cast(:sequences as bigint[]), "
    "cast(:reported as timestamptz[]), cast(:bodies as bytea[])) as n(w, s, h, b) order by w "
    "on conflict (worker) do update set sequence = excluded.sequence, heard_at = excluded.heard_at, "
    "body = excluded.body"
)
_KEEP_MINUTE = text(
    "insert into lease_minutes (minute, body) values (:minute, :body) "
    "on conflict (minute) do update set body = excluded.body"
)
FIND_OUTSTANDING = text("select at, micros from find_outstanding(:campaign)")
"""For tenants: what may still be delivered of one of their campaigns, and as of when."""
_KEEP_OUTSTANDING = text(
    "insert into lease_outstanding (id, at, body) values (1, :now, cast(:body as jsonb)) "
    "on conflict (id) do update set at = excluded.at, body = excluded.body"
)
_HOLDS = text(
    "select worker, campaign_id, cast(day as varchar), until_day, micros from lease_holds "
    "where until_day >= :first"
)
_KEEP_HOLDS = text(
    "insert into lease_holds (campaign_id, day, until_day, worker, micros) "
    "select * from unnest(cast(:campaigns as varchar[]), cast(:days as date[]), cast(:until as integer[]), "
    "cast(:workers as varchar[]), cast(:micros as bigint[])) as n(c, d, u, w, m) order by c, d, u, w "
    "on conflict (campaign_id, day, until_day, worker) do update set "
    "micros = greatest(lease_holds.micros, excluded.micros)"
)
_DROP = text("delete from lease_books where not worker = any(:workers)")
_DROP_CHARGES = text("delete from campaign_spend_minutes where minute < :first")
_DROP_MINUTES = text("delete from lease_minutes where minute < :first")
_DROP_HOLDS = text("delete from lease_holds where until_day < :first")
_DROP_HOLD_CHARGES = text("delete from campaign_spend_holds where until_day < :first")
_DROP_JOURNAL = text("delete from lease_journal")


class LostLeadership(Exception):
    """Another process grants now; nothing was stored."""


@dataclass(slots=True)
class AllocatorState:
    """``worker_leases``: by worker. ``minutes``: commits by minute and campaign, without ``holds``."""

    worker_leases: dict[str, WorkerLeases] = field(default_factory=dict)
    minutes: dict[int, dict[str, int]] = field(default_factory=dict)
    holds: list[Hold] = field(default_factory=list)


async def begin_epoch(session: AsyncSession, reported_ms: int = 0) -> int:
    """*reported_ms*: the latest epoch that a worker reported; workers ignore earlier ones."""
    epoch: int = (await session.execute(_BEGIN, {"reported": reported_ms})).scalar_one()
    return epoch


async def read_state(session: AsyncSession, first_minute: int) -> AllocatorState:
    """Reads the stored state, with minutes from *first_minute* on, and holds that end after it."""
    state = AllocatorState()
    for worker, sequence, reported_at, body in await session.execute(_WORKER_LEASES):
        leases = await run_cooperatively(_parse_leases(body))
        state.worker_leases[worker] = WorkerLeases(to_ms(reported_at), sequence, leases)
    for minute, body in await session.execute(_MINUTES, {"first": first_minute}):
        state.minutes[minute] = orjson.loads(body)
    first_day = first_minute // _DAY_MINUTES
    for worker, campaign_id, day, until_day, micros in await session.execute(
        _HOLDS, {"first": first_day}
    ):
        state.holds.append(Hold(worker, campaign_id, HoldDays(day, until_day), micros))
    for body in await session.scalars(_JOURNAL):
        await run_cooperatively(restore_round_steps(state, body, first_minute))
    return state


async def store_round(session: AsyncSession, epoch: int, entry: AllocationRound) -> int:
    """Stores a round and returns its bytes. Raises `LostLeadership`."""
    if (await session.execute(_HOLD)).scalar_one() != epoch:
        raise LostLeadership
    body = await run_cooperatively(encode_round_steps(entry))
    await session.execute(_ENTER, {"epoch": epoch, "number": entry.number, "body": body})
    if entry.holds:
        await _store_holds(session, entry.holds)
    return len(body)


async def _store_holds(session: AsyncSession, holds: Sequence[Hold]) -> None:
    await session.execute(
        _KEEP_HOLDS,
        {
            "campaigns": [one.campaign_id for one in holds],
            "days": [date.fromisoformat(one.days.day) for one in holds],
            "until": [one.days.until_day for one in holds],
            "workers": [one.worker for one in holds],
            "micros": [one.micros for one in holds],
        },
    )


async def fold(
    session: AsyncSession,
    leases_by_worker: Mapping[str, WorkerLeases],
    minutes: Mapping[int, Mapping[str, int]],
    first_minute: int,
) -> int:
    """
    Rewrites the whole state in the transaction that `keep` uses: all *leases_by_worker*, and *minutes* from
    *first_minute* on.

    Deletes the journal, other workers, earlier minutes and charges, and holds that ended before. Returns the bytes of
    the books.
    """
    bodies = [
        await run_cooperatively(_encode_leases(worker_leases.leases))
        for worker_leases in leases_by_worker.values()
    ]
    if leases_by_worker:
        await session.execute(
            _STORE,
            {
                "workers": list(leases_by_worker),
                "sequences": [
                    worker_leases.sequence for worker_leases in leases_by_worker.values()
                ],
                "reported": [
                    from_ms(worker_leases.reported_ms)
                    for worker_leases in leases_by_worker.values()
                ],
                "bodies": bodies,
            },
        )
    for minute, campaigns in minutes.items():
        body = await run_cooperatively(encode_map_steps(campaigns.items()))
        await session.execute(_KEEP_MINUTE, {"minute": minute, "body": body})
    await session.execute(_DROP_JOURNAL)
    await session.execute(_DROP, {"workers": list(leases_by_worker)})
    await session.execute(_DROP_MINUTES, {"first": first_minute})
    await session.execute(_DROP_CHARGES, {"first": first_minute})
    for statement in (_DROP_HOLDS, _DROP_HOLD_CHARGES):
        await session.execute(statement, {"first": first_minute // _DAY_MINUTES})
    return sum(map(len, bodies))


async def store_outstanding(
    session: AsyncSession, outstanding: Mapping[str, int], now: datetime
) -> None:
    amounts = ((name, micros) for name, micros in outstanding.items() if micros)
    body = await run_cooperatively(encode_map_steps(amounts))
    await session.execute(_KEEP_OUTSTANDING, {"body": body.decode(), "now": now})


def _parse_leases(body: bytes) -> Generator[None, None, dict[str, Lease]]:
    found = dict[str, Lease]()
    for batch in batches((yield from parse_list_steps(body))):
        found |= {campaign_id: Lease(*counts) for campaign_id, *counts in batch}
        yield
    return found


def restore_round_steps(
    state: AllocatorState, body: bytes, first_minute: int
) -> Generator[None, None, None]:
    """
    Adds one entry of the journal to *state*. *body*: a JSON list of the minute, commits in micros by campaign, and for
    each worker its name, sequence, report time in ms and changed leases. A worker whose sequence is `_REMOVED` is
    removed with all its leases.

    Commits before *first_minute* are in *state* already.
    """
    minute, commits, workers = orjson.loads(body)
    if minute >= first_minute:
        known = state.minutes.setdefault(minute, {})
        for batch in batches(commits.items()):
            for campaign_id, micros in batch:
                known[campaign_id] = known.get(campaign_id, 0) + micros
            yield
    for worker, sequence, reported_ms, lines in workers:
        if sequence == _REMOVED:
            state.worker_leases.pop(worker, None)
            continue
        worker_leases = state.worker_leases.get(worker)
        leases = {} if worker_leases is None else dict(worker_leases.leases)
        for batch in batches(lines):
            for campaign_id, *counts in batch:
                leases.setdefault(campaign_id, Lease()).merge_grant(Lease(*counts))
            yield
        state.worker_leases[worker] = WorkerLeases(reported_ms, sequence, leases)


def encode_round_steps(entry: AllocationRound) -> Generator[None, None, bytes]:
    commits = yield from encode_map_steps(entry.commits.items())
    workers = [orjson.dumps((worker, _REMOVED, 0, ())) for worker in entry.removed]
    for worker, found in entry.workers.items():
        head = orjson.dumps((worker, found.sequence, found.reported_ms))
        workers.append(head[:-1] + b"," + (yield from _encode_leases(found.leases)) + b"]")
    return b"[%d,%b,[%b]]" % (entry.minute, commits, b",".join(workers))


def _encode_leases(leases: Mapping[str, Lease]) -> Generator[None, None, bytes]:
    return encode_list_steps(
        (name, lease.granted_micros, lease.returned_micros, lease.committed_micros)
        for name, lease in leases.items()
    )
