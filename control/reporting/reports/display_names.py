"""Adds names to the ids of a report, for human readers."""

from collections.abc import Mapping, Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.reporting.reports.columns import Column
from control.reporting.reports.vocabulary import NAMED, Dimension

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


async def with_names(
    session: AsyncSession, group_by: Sequence[Dimension], columns: Mapping[str, Column]
) -> dict[str, Column]:
    """
    *columns* with ``campaign_name`` after ``campaign_id`` and so on, by their present names.

    The name is None where there is no id, or no object with that id any more.
    """
    named: dict[str, Column] = {}
    dimensions = {each.column: each for each in group_by if each in NAMED}
    for field, column in columns.items():
        named[field] = column
        if field in dimensions:
            each = dimensions[field]
            ids = sorted(set(column) - {None})
            known = {row[0]: row[1] for row in await session.execute(_FIND[each], {"ids": ids})}
            named[f"{each.value}_name"] = [known.get(one) for one in column]
    return named
