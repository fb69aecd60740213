"""
Rate limits counted in PostgreSQL: all processes share one count, and a restart keeps it.

The algorithm is that of `common.values.rate_limit`, with one row a key: the statement evaluates `wait_for` and counts
in one step. Keys are stored as hashes.
"""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from common.values.rate_limit import wait_for
from control.foundation.rate_limit import Rate

_TAKE = text(
    "insert into throttles (key, due_at)"
    " values (:key, cast(:now as timestamptz) + cast(:every as interval))"
    " on conflict (key) do update"
    " set due_at = least(greatest(throttles.due_at, cast(:now as timestamptz)),"
    " cast(:now as timestamptz) + cast(:slack as interval)) + cast(:every as interval)"
    " where throttles.due_at <= cast(:now as timestamptz) + cast(:slack as interval)"
    " or throttles.due_at > cast(:now as timestamptz) + cast(:impossible as interval)"
    " returning due_at"
)
_CLOCKS_APART = timedelta(minutes=1)
"""
Instants are of wall clocks, because a restart keeps the count and several machines count. A caller is never further
ahead than a burst and this, unless the clock was set back; then its next attempt is admitted and uses the burst up.
"""
_DUE = text("select due_at from throttles where key = :key")
_REFUND = text("update throttles set due_at = due_at - cast(:every as interval) where key = :key")
_PURGE = text("delete from throttles where key = :key")


@dataclass(frozen=True, slots=True)
class Throttle:
    """A rate limit. *name* and the counted values, such as an address, make the key."""

    name: str
    rate: Rate

    def key(self, *counted: str) -> bytes:
        digest = hashlib.sha256()
        for part in (self.name, *counted):
            raw = part.encode()
            digest.update(len(raw).to_bytes(4, "big"))
            digest.update(raw)
        return digest.digest()

    async def take(self, session: AsyncSession, now: datetime, *counted: str) -> float:
        """Returns 0.0 and counts the attempt, or returns the seconds until one would be admitted and counts nothing."""
        key = self.key(*counted)
        slack = timedelta(seconds=self.rate.burst_s) - self._every
        impossible = slack + self._every + _CLOCKS_APART
        values = {
            "key": key,
            "now": now,
            "every": self._every,
            "slack": slack,
            "impossible": impossible,
        }
        if await session.scalar(_TAKE, values) is not None:
            return 0.0
        due_at = await session.scalar(_DUE, {"key": key}) or now
        times_s = due_at.timestamp(), now.timestamp()
        return max(wait_for(*times_s, self.rate.interval_s, self.rate.burst_s), 1.0)

    async def check(self, session: AsyncSession, now: datetime, *counted: str) -> None:
        """As `take`, but raises `Refused` (``rate_limited``) where the attempt is not admitted."""
        wait_s = await self.take(session, now, *counted)
        if wait_s > 0:
            raise too_many(wait_s)

    async def refund(self, session: AsyncSession, *counted: str) -> None:
        """Uncounts an attempt that turned out to be legitimate."""
        await session.execute(_REFUND, {"key": self.key(*counted), "every": self._every})

    async def reset(self, session: AsyncSession, *counted: str) -> None:
        """Resets the count: the next attempt has a full burst."""
        await session.execute(_PURGE, {"key": self.key(*counted)})

    @property
    def _every(self) -> timedelta:
        return timedelta(seconds=self.rate.interval_s)


def too_many(wait_s: float) -> Refused:
    seconds = math.ceil(wait_s)
    return Refused(
        ErrorCode.RATE_LIMITED,
        Message("Too many attempts. Wait {wait_s} s, then try again.", wait_s=seconds),
        retry_after_s=seconds,
        headers={"Cache-Control": "no-store"},
    )
