"""Names beside the ids of a report: what a person reads."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.reports.vocabulary import NAMED, Dimension

_TABLES = {
    Dimension.CAMPAIGN: "campaigns",
    Dimension.AD: "ads",
    Dimension.PROPERTY: "properties",
    Dimension.SLOT: "slots",
}
_FIND = {
    each: text(f"select id, name from {table} where id = any(:ids)")  # noqa: S608 - constants only
    for each, table in _TABLES.items()
}


async def add_names(
    session: AsyncSession, group_by: Sequence[Dimension], rows: list[dict[str, Any]]
) -> None:
    """
    ``campaign_name`` behind ``campaign_id`` and so on, as they are called now; null where there is no id, or nothing of
    that id any more.
    """
    known: dict[str, dict[str, str]] = {}
    for each in group_by:
        if each in NAMED:
            ids = sorted({row[each.column] for row in rows if row[each.column] is not None})
            found = await session.execute(_FIND[each], {"ids": ids})
            known[each.column] = {row[0]: row[1] for row in found}
    if known:
        rows[:] = [_named(row, known) for row in rows]


def _named(row: dict[str, Any], known: dict[str, dict[str, str]]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for field, value in row.items():
        named[field] = value
        if field in known:
            named[f"{field.removesuffix('_id')}_name"] = known[field].get(value)
    return named
