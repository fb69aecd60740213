"""
The grantor's memory in PostgreSQL, where it stands before anybody is told of a grant.

Whoever becomes grantor counts the epoch up; one that another replaced finds it moved, and nothing of it is kept.
"""

from collections.abc import Mapping
from datetime import datetime

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.clock import from_ms, to_ms
from common.pacing.lease import Lease
from control.pacing.grantor import Book

_BEGIN = text("update lease_epoch set epoch = epoch + 1 where id = 1 returning epoch")
_HOLD = text("select epoch from lease_epoch where id = 1 for share")
_BOOKS = text("select worker, sequence, heard_at, body from lease_books")
_MINUTES = text("select minute, body from lease_minutes where minute >= :first")
_KEEP = text(
    "insert into lease_books (worker, sequence, heard_at, body) "
    "select * from unnest(cast(:workers as varchar[]), cast(:sequences as bigint[]), "
    "cast(:heard as timestamptz[]), cast(:bodies as bytea[])) as n(w, s, h, b) order by w "
    "on conflict (worker) do update set sequence = excluded.sequence, heard_at = excluded.heard_at, "
    "body = excluded.body"
)
_KEEP_MINUTE = text(
    "insert into lease_minutes (minute, body) values (:minute, :body) "
    "on conflict (minute) do update set body = excluded.body"
)
FIND_OUTSTANDING = text("select at, micros from find_outstanding(:campaign)")
"""For a tenant, of a campaign of its own: what may still be delivered of it, and when that was."""
_KEEP_OUTSTANDING = text(
    "insert into lease_outstanding (id, at, body) values (1, :now, cast(:body as jsonb)) "
    "on conflict (id) do update set at = excluded.at, body = excluded.body"
)
_DROP = text("delete from lease_books where not worker = any(:workers)")
_DROP_CHARGES = text("delete from campaign_spend_minutes where minute < :first")
_DROP_MINUTES = text("delete from lease_minutes where minute < :first")


class Replaced(Exception):
    """Another process grants now; nothing was kept."""


async def begin_epoch(session: AsyncSession) -> int:
    epoch: int = (await session.execute(_BEGIN)).scalar_one()
    return epoch


async def read_books(session: AsyncSession) -> dict[str, Book]:
    """By worker."""
    rows = await session.execute(_BOOKS)
    return {
        worker: Book(
            to_ms(heard_at),
            sequence,
            {campaign: Lease(*counts) for campaign, *counts in orjson.loads(body)},
        )
        for worker, sequence, heard_at, body in rows
    }


async def read_commits(session: AsyncSession, first_minute: int) -> dict[int, dict[str, int]]:
    """By minute, from *first_minute* on, and campaign."""
    rows = await session.execute(_MINUTES, {"first": first_minute})
    return {minute: orjson.loads(body) for minute, body in rows}


async def keep(
    session: AsyncSession,
    epoch: int,
    books: Mapping[str, Book],
    commits: Mapping[int, Mapping[str, int]],
) -> None:
    """*commits*: of whole minutes, by campaign. Raises `Replaced`."""
    if (await session.execute(_HOLD)).scalar_one() != epoch:
        raise Replaced
    if books:
        await session.execute(
            _KEEP,
            {
                "workers": list(books),
                "sequences": [book.sequence for book in books.values()],
                "heard": [from_ms(book.heard_ms) for book in books.values()],
                "bodies": [_encode(book) for book in books.values()],
            },
        )
    for minute, campaigns in commits.items():
        await session.execute(_KEEP_MINUTE, {"minute": minute, "body": orjson.dumps(campaigns)})


async def keep_outstanding(
    session: AsyncSession, outstanding: Mapping[str, int], now: datetime
) -> None:
    body = orjson.dumps({name: micros for name, micros in outstanding.items() if micros}).decode()
    await session.execute(_KEEP_OUTSTANDING, {"body": body, "now": now})


async def sweep(session: AsyncSession, workers: list[str], first_minute: int) -> None:
    """Keeps the books of *workers*, and from *first_minute* on what was committed and charged a minute."""
    await session.execute(_DROP, {"workers": workers})
    await session.execute(_DROP_MINUTES, {"first": first_minute})
    await session.execute(_DROP_CHARGES, {"first": first_minute})


def _encode(book: Book) -> bytes:
    return orjson.dumps(
        [
            (name, lease.granted_micros, lease.returned_micros, lease.committed_micros)
            for name, lease in book.leases.items()
        ]
    )
