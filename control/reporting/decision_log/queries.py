"""Queries of recorded decisions. The API explains single decisions; the page of a campaign also lists recent ones."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import to_ms

_RECENT = text(
    "select body from decision_records where day >= :first_day and id >= :first_id "
    "and property_id = any(cast(:properties as uuid[])) and is_test = :is_test "
    "order by day desc, id desc limit :most"
)


async def list_recent(
    session: AsyncSession,
    property_ids: Sequence[str],
    since: datetime,
    *,
    is_test: bool,
    limit: int,
) -> list[dict[str, Any]]:
    """The fields of `DecisionRecord` of decisions for the properties' slots, newest first."""
    found = await session.scalars(
        _RECENT,
        {
            "first_day": since.date(),
            "first_id": _first_id(since),
            "properties": list(property_ids),
            "is_test": is_test,
            "most": limit,
        },
    )
    return [orjson.loads(body) for body in found]


def _first_id(at: datetime) -> str:
    """The smallest id of a decision made at or after that time: a UUIDv7 starts with its instant."""
    return str(UUID(int=to_ms(at) << 80))
