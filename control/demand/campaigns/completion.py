"""Completes campaigns whose total budget is used up."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_COMPLETE = text(
    "update campaigns set status = 'completed', completed_from = status, version = version + 1, updated_at = :now "
    "where id = any(:ids) and status = 'active'"
)


async def complete_spent(session: AsyncSession, campaigns: Sequence[str], now: datetime) -> None:
    """
    Completes active campaigns whose total budget is used up, until the budget is raised. A paused one stays paused, and
    is completed when it is resumed: a refund would otherwise make it active.
    """
    await session.execute(_COMPLETE, {"ids": sorted(campaigns), "now": now})
