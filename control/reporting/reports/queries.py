"""
Reads reports: from rolled up days where they exist and from hours for the rest, summed in one statement; or from the
report store, where it is open.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import from_ms
from control.ports.report_store import NoReportStore, ReportStore
from control.reporting.reports.calendar_spans import Span
from control.reporting.reports.columns import by_hour_of_week, found_in
from control.reporting.reports.display_names import with_names
from control.reporting.reports.metrics import OF_DECISIONS, Sum, figure_of
from control.reporting.reports.periods import periods_of
from control.reporting.reports.read_plan import Rolled, RollupRead, source_of
from control.reporting.reports.report_query import Report, ReportOrder, ReportScope, ReportSpec
from control.reporting.reports.statement import statement_of
from control.reporting.reports.vocabulary import NOT_OF_DECISIONS, Dimension
from control.reporting.store.reading import find_as_of, read_stored
from control.reporting.store.statement import StoredQuery

_VALID_ONLY = text(
    "select (select rolled_before from report_head), (select months_before from report_head), "
    "(select weeks_before from report_head), "
    "array(select distinct day from report_late_days where account_id = :account), "
    "events_stored_at(:is_test), events_through_ms(:is_test), current_setting('transaction_isolation'), "
    "(select jsonb_build_array(sent, as_of) from report_store)"
)
NO_STORE = NoReportStore()
_OF_ONE_INSTANT = "repeatable read"
_PROPERTIES = text("select id from properties where account_id = :account")


class TooManyRows(Exception):
    """The report has more rows than the caller accepts."""


async def read_report(
    session: AsyncSession,
    scope: ReportScope,
    question: ReportSpec,
    *,
    store: ReportStore = NO_STORE,
    max_rows: int | None = None,
) -> Report:
    """
    *session*: a transaction that sees the account's rows as of one instant. *store*: read instead of its hours where
    it is open; `ReportStoreUnavailable` is raised until it received all of them.

    Rows are ordered by period, then by their groups. Raises `TooManyRows` where there are more than *max_rows*. The
    statement's time limit is the session's.
    """
    reading = await _begin(session, scope, question, store)
    sums = _answerable(question, question.group_by)
    most = question.most or max_rows
    rows = await reading.rows(session, question.group_by, sums, most, question.order)
    is_part = most is not None and len(rows) > most
    if is_part and question.most is None:
        raise TooManyRows
    found = found_in(rows[:most], reading.periods, question.group_by, sorted(sums))
    totals = {} if is_part else found.totals()
    beside = sorted(_answerable(question, ()) - totals.keys())
    whole = await reading.rows(session, (), beside)
    totals |= found_in(whole, reading.periods, (), beside).totals()
    columns = await with_names(session, question.group_by, found.shown(question))
    return reading.report_of(columns, totals)


async def read_hours(
    session: AsyncSession,
    scope: ReportScope,
    question: ReportSpec,
    *,
    store: ReportStore = NO_STORE,
) -> Report:
    """
    *question*: by hour, without dimensions. Its hours are added up by the hours of a week in the question's time zone.

    The columns are ``weekday``, ``hour`` and the metrics, for hours with events only. *session* and *store*: as for
    `read_report`.
    """
    reading = await _begin(session, scope, question, store)
    sums = sorted(_answerable(question, ()))
    found = found_in(await reading.rows(session, (), sums), reading.periods, (), sums)
    hours = by_hour_of_week(found, question.timezone)
    columns: dict[str, list[Any]] = {
        "weekday": [one.weekday for one in hours],
        "hour": [one.hour for one in hours],
    }
    for metric in question.metrics:
        columns[metric.value] = [figure_of(metric, each) for each in hours.values()]
    return reading.report_of(columns, found.totals())


async def _begin(
    session: AsyncSession, scope: ReportScope, question: ReportSpec, store: ReportStore
) -> "_Reading":
    names = {"account": scope.account_id, "is_test": scope.environment.is_test}
    days, months, weeks, late, stored_at, through_ms, isolation, state = (
        await session.execute(_VALID_ONLY, names)
    ).one()
    if isolation != _OF_ONE_INSTANT:
        raise RuntimeError(f"A report is read as of one instant, and this session is {isolation}.")
    properties = await _properties(session, scope, question)
    spans = {Span.MONTH: months, Span.WEEK: weeks}
    rolled = Rolled(days, frozenset(late), {span: day for span, day in spans.items() if day})
    is_narrowed = scope.property_id is not None
    periods = periods_of(question.from_at, question.to_at, question.granularity, question.timezone)
    values = names | {"properties": properties}
    if state is not None:
        sent, as_of = state
        stored_at, through_ms = await find_as_of(store, sent, as_of, scope.environment)
    through = None if through_ms is None else from_ms(through_ms)
    used = None if state is None else store
    return _Reading(question, periods, values, rolled, is_narrowed, stored_at, through, used)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One query within its scope, with the state of the database when it was requested."""

    question: ReportSpec
    periods: Sequence[datetime]
    values: dict[str, Any]
    rolled: Rolled
    is_narrowed: bool
    """The scope is one property, whatever the query names."""
    stored_at: datetime | None
    through: datetime | None
    store: ReportStore | None
    """None: it is not open."""

    def report_of(self, columns: dict[str, list[Any]], totals: Mapping[Sum, int]) -> Report:
        figures = {metric.value: figure_of(metric, totals) for metric in self.question.metrics}
        return Report(columns, figures, self.stored_at, self.through)

    async def rows(
        self,
        session: AsyncSession,
        group_by: Sequence[Dimension],
        sums: Collection[Sum],
        max_rows: int | None = None,
        order: ReportOrder | None = None,
    ) -> Sequence[Sequence[Any]]:
        """
        Each group in the form that `found_in` takes, in order; one more than *max_rows* if there are more.

        Leaves out groups whose sums are all 0. Returns nothing without *sums*.
        """
        if not sums:
            return []
        question, ordered, periods = self.question, sorted(sums), self.periods
        filters = {each: list(wanted) for each, wanted in question.filters.items()}
        filters.pop(Dimension.PROPERTY, None)
        most = None if max_rows is None else max_rows + 1
        if self.store is not None:
            stored = StoredQuery(
                self.values["account"],
                self.values["is_test"],
                self.values["properties"],
                periods,
                question.to_at,
                group_by,
                ordered,
                filters,
                order,
                most,
            )
            return await read_stored(session, self.store, stored)
        needed = {*group_by, *question.filters}
        if self.is_narrowed:
            needed.add(Dimension.PROPERTY)
        source = source_of(question, needed, periods, self.rolled)
        values = self.values | {"periods": periods, "most": most}
        for read in (*source.rolled, *source.live):
            values |= _places(read)
        values |= {f"wanted_{each}": wanted for each, wanted in filters.items()}
        statement = statement_of(
            source, group_by, ordered, filters, by=order, has_periods=len(periods) > 1
        )
        clause, names = _prepared(statement)
        return (await session.execute(clause, {name: values[name] for name in names})).all()


@lru_cache(maxsize=500)
def _prepared(statement: str) -> tuple[TextClause, Sequence[str]]:
    """The statement with the names that it binds. Finding those takes longer than running most reports."""
    clause = text(statement)
    return clause, tuple(clause.compile().params)


def _places(read: RollupRead) -> dict[str, Any]:
    return {
        f"{read.name}_rollup": read.rollup,
        f"{read.name}_starts": [part.start for part in read.parts],
        f"{read.name}_ends": [part.end for part in read.parts],
        f"{read.name}_count_at": [part.counts_at for part in read.parts],
    }


async def _properties(session: AsyncSession, scope: ReportScope, question: ReportSpec) -> list[str]:
    """The requested properties, within the scope."""
    wanted = question.filters.get(Dimension.PROPERTY)
    if wanted is None and scope.property_id is not None:
        return [scope.property_id]
    if wanted is None:
        return list(await session.scalars(_PROPERTIES, {"account": scope.account_id}))
    return [each for each in wanted if scope.property_id in (None, each)]


def _answerable(question: ReportSpec, group_by: Collection[Dimension]) -> set[Sum]:
    """The sums of the metrics; without those of decisions if a requested dimension is not stored for decisions."""
    needed = {name for metric in question.metrics for name in metric.sums}
    requested = {*question.filters, *group_by}
    return needed - OF_DECISIONS if requested & NOT_OF_DECISIONS else needed
