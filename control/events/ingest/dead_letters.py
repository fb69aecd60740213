"""Stores records that cannot be ingested, in the transaction that skips them, and claims them for replay."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.events.ingest.parsed_records import Arrival, DeadLetter

_KEEP = text(
    "insert into dead_letters (source, partition, position, digest, raw, reason, at) "
    "select :source, partition, position, digest, raw, reason, :at "
    "from unnest(cast(:partitions as integer[]), cast(:positions as bigint[]), "
    "cast(:digests as bytea[]), cast(:raws as bytea[]), cast(:reasons as varchar[])) "
    "as n(partition, position, digest, raw, reason) on conflict do nothing"
)

REPLAY = "replay/"
"""Prefix of the sources of replays."""
_CLAIM = text(
    f"delete from dead_letters where digest = any(:digests) and not starts_with(source, '{REPLAY}') "  # noqa: S608 - a constant
    "returning digest"
)


async def claim_letters(session: AsyncSession, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """
    Returns those of *arrivals* that are still dead letters, and deletes these letters.

    For replays: by their sequences, all these records were already skipped.
    """
    requested: dict[bytes, Arrival] = {}
    for one in arrivals:
        requested.setdefault(hashlib.sha256(one.raw).digest(), one)
    rows = await session.execute(_CLAIM, {"digests": list(requested)})
    won = {bytes(row[0]) for row in rows}
    return [one for digest, one in requested.items() if digest in won]


async def keep_dead_letters(
    session: AsyncSession, source: str, letters: Sequence[DeadLetter], *, at: datetime
) -> None:
    """Stores *letters*; one that is stored already stays as it is. *source*: where their positions count."""
    if letters:
        await session.execute(
            _KEEP,
            {
                "source": source,
                "at": at,
                "partitions": [letter.partition for letter in letters],
                "positions": [letter.position for letter in letters],
                "digests": [letter.digest for letter in letters],
                "raws": [letter.raw for letter in letters],
                "reasons": [letter.reason for letter in letters],
            },
        )
