"""Where records go that cannot be stored, in the transaction that passes them by, and how they come back."""

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
"""How the sources of replays begin."""
_CLAIM = text(
    f"delete from dead_letters where digest = any(:digests) and not starts_with(source, '{REPLAY}') "  # noqa: S608 - a constant
    "returning digest"
)


async def claim_letters(session: AsyncSession, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """
    Those of *arrivals* that are dead letters still; they are none any more. For replays: by sequences they all were
    passed by before.
    """
    asked: dict[bytes, Arrival] = {}
    for one in arrivals:
        asked.setdefault(hashlib.sha256(one.raw).digest(), one)
    rows = await session.execute(_CLAIM, {"digests": list(asked)})
    won = {bytes(row[0]) for row in rows}
    return [one for digest, one in asked.items() if digest in won]


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
