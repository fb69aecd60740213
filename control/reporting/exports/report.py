"""The rows of a report as rows of an export: the same figures, with a type for each column."""

from collections.abc import AsyncIterator, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from control.inventory.properties.queries import get_currency
from control.ports.report_store import ReportStore
from control.reporting.exports.export_query import metadata_of
from control.reporting.exports.table_schema import Cells, Column, ColumnType, Pages
from control.reporting.reports.metrics import Metric
from control.reporting.reports.queries import read_report
from control.reporting.reports.report_query import (
    Report,
    ReportScope,
    ReportSpec,
    columns_of,
    group_fields,
)
from control.reporting.reports.vocabulary import Dimension

MAX_ROWS = 200_000
"""A report is summed in the database and held in memory, so it needs a limit; events are streamed."""
_PAGE_ROWS = 5_000
_TYPES = {
    "period": ColumnType.INSTANT,
    **dict.fromkeys(("campaign_id", "ad_id", "property_id", "slot_id"), ColumnType.ID),
    **dict.fromkeys(("campaign_name", "ad_name", "property_name", "slot_name"), ColumnType.TEXT),
    **dict.fromkeys(("country", "device", "format", "source", "surface", "reason"), ColumnType.ID),
    **{metric.value: ColumnType[metric.unit.name] for metric in Metric},
}
"""A column whose type nobody stated is refused, because text must be disarmed against formulas."""
if missing := {name for each in Dimension for name in group_fields(each)} - _TYPES.keys():
    raise ValueError(f"State the type of the columns {sorted(missing)} of exports in `_TYPES`.")


async def open_report(
    session: AsyncSession, scope: ReportScope, question: ReportSpec, store: ReportStore
) -> Pages:
    """Raises `control.reporting.reports.queries.TooManyRows` and `ReportStoreUnavailable`."""
    report = await read_report(session, scope, question, store=store, max_rows=MAX_ROWS)
    columns = [Column(str(name), _TYPES[name]) for name in columns_of(question)]
    currency = await get_currency(session, scope.account_id)
    return Pages(columns, _pages(report), metadata_of(question, currency))


async def _pages(report: Report) -> AsyncIterator[tuple[Sequence[Cells], float]]:
    rows = list(report.cells)
    for start in range(0, len(rows), _PAGE_ROWS):
        page = rows[start : start + _PAGE_ROWS]
        yield page, (start + len(page)) / len(rows)
