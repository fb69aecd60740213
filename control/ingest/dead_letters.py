"""Where records go that cannot be stored, in the transaction that passes them by."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.ingest.arrivals import DeadLetter

_KEEP = text(
    "insert into dead_letters (source, partition, position, digest, raw, reason, at) "
    "select :source, partition, position, digest, raw, reason, :at "
    "from unnest(cast(:partitions as integer[]), cast(:positions as bigint[]), "
    "cast(:digests as bytea[]), cast(:raws as bytea[]), cast(:reasons as varchar[])) "
    "as n(partition, position, digest, raw, reason) on conflict do nothing"
)


async def keep_dead_letters(
    session: AsyncSession, source: str, letters: Sequence[DeadLetter], *, at: datetime
) -> None:
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
