"""The retention of decision records, and their daily partitions."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.events.ingest.record_validation import LATEST_MS

KEPT = timedelta(days=7)
"""The same as the outbox: the snapshot of a decision must be available too."""
_VERSION = 7


async def ensure_decision_partitions(session: AsyncSession, today: date) -> None:
    """Keeps seven days back to two ahead; older ones are dropped. Runs as the service role."""
    await session.execute(
        text("select ensure_decision_partitions(:today, :kept_days)"),
        {"today": today, "kept_days": KEPT.days},
    )


def find_instant(decision_id: UUID) -> datetime | None:
    """When a decision of that id was made, from its first 48 bits. None for an id that is no decision's."""
    at_ms = decision_id.int >> 80
    if decision_id.version != _VERSION or at_ms >= LATEST_MS:
        return None
    return datetime.fromtimestamp(at_ms / 1000, UTC)
