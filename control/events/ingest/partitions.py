"""The daily partitions of events and their keys, created ahead and dropped after retention."""

from datetime import date, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

EVENTS_KEPT_DAYS = 90
_PURGE = text("delete from retractions where made_at < :before")
"""The events that these retractions name were stored earlier, and are already dropped."""
_FORGET_LOOKUPS = text("delete from cap_lookups where hour < :before")
_LOOKUPS_KEPT = timedelta(days=2)


async def ensure_partitions(
    session: AsyncSession, today: date, *, kept_days: int = EVENTS_KEPT_DAYS
) -> None:
    """
    Keeps keys from 40 days back to 2 ahead, and events from yesterday to 7 days ahead; older partitions are dropped.

    Runs as the service role. A row whose day has no partition went to the default one and is moved from there.
    """
    await session.execute(
        text("select ensure_partitions(:today, :kept_days)"),
        {"today": today, "kept_days": kept_days},
    )
    await session.execute(_PURGE, {"before": today - timedelta(days=kept_days)})
    await session.execute(_FORGET_LOOKUPS, {"before": today - _LOOKUPS_KEPT})
