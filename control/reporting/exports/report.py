"""The rows of a report as rows of an export: the same figures, with a type for each column."""

from collections.abc import AsyncIterator, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from control.inventory.properties.queries import get_currency
from control.reporting.exports.export_query import metadata_of
from control.reporting.exports.table_schema import Cells, Column, ColumnType, Pages
from control.reporting.reports.queries import read_report
from control.reporting.reports.report_query import Report, ReportScope, ReportSpec, columns_of
from control.reporting.reports.vocabulary import Metric

MAX_ROWS = 200_000
"""A report is summed in the database and held in memory, so it needs a limit; events are streamed."""
_PAGE_ROWS = 5_000
_RATIOS = frozenset({Metric.FILL_RATE, Metric.CTR, Metric.CVR})


async def open_report(session: AsyncSession, scope: ReportScope, question: ReportSpec) -> Pages:
    """Raises `control.reporting.reports.queries.TooManyRows`."""
    report = await read_report(session, scope, question, max_rows=MAX_ROWS)
    columns = [Column(str(name), _type_of(name)) for name in columns_of(question)]
    currency = await get_currency(session, scope.account_id)
    return Pages(columns, _pages(report), metadata_of(question, currency))


async def _pages(report: Report) -> AsyncIterator[tuple[Sequence[Cells], float]]:
    rows = list(report.cells)
    for start in range(0, len(rows), _PAGE_ROWS):
        page = rows[start : start + _PAGE_ROWS]
        yield page, (start + len(page)) / len(rows)


def _type_of(name: str) -> ColumnType:
    if name == "period":
        return ColumnType.INSTANT
    if name.endswith("_name"):
        return ColumnType.TEXT
    if name.endswith("_cents"):
        return ColumnType.CENTS
    if name in _RATIOS:
        return ColumnType.RATIO
    return ColumnType.COUNT if name in tuple(Metric) else ColumnType.ID
