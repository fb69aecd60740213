"""Turns a request into a report query: instants instead of dates, and the range checked against its limits."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from common.contract.validation_errors import refuse
from common.values.errors import Detail
from common.values.messages import Message
from control.reporting.reports.metrics import METRICS, OF_DECISIONS
from control.reporting.reports.periods import HOUR, hour_of, start_of
from control.reporting.reports.report_query import ReportOrder, ReportSpec
from control.reporting.reports.schemas import ReportFields
from control.reporting.reports.vocabulary import NOT_OF_DECISIONS, Dimension, Granularity

LONGEST: dict[Granularity, timedelta] = {
    Granularity.HOUR: timedelta(days=31),
    Granularity.DAY: timedelta(days=400),
    Granularity.WEEK: timedelta(days=800),
    Granularity.MONTH: timedelta(days=800),
    Granularity.TOTAL: timedelta(days=800),
}
"""The longest range."""


def question_of(fields: ReportFields, timezone: str, now: datetime) -> ReportSpec:
    """*timezone*: used where `tz` names none. Raises `Refused`: one 422 with every fault of the range."""
    zone = fields.tz or timezone
    to = hour_of(now) + HOUR if fields.to is None else fields.to
    faults = [*_off_hour("from", fields.from_, zone), *_off_hour("to", to, zone)]
    from_at, to_at = _hour(fields.from_, zone), _hour(to, zone)
    faults += _span(from_at, to_at, fields.granularity)
    if faults:
        raise refuse(faults)
    return ReportSpec(
        from_at=from_at,
        to_at=to_at,
        timezone=zone,
        granularity=fields.granularity,
        group_by=tuple(fields.group_by),
        metrics=tuple(fields.metrics),
        filters=filters_of(fields),
    )


def order_of(sort: str, question: ReportSpec) -> ReportOrder:
    """Parses *sort* from the wire. Raises `Refused` where that figure is not in the rows."""
    order = ReportOrder(METRICS[sort.removeprefix("-")], sort.startswith("-"))
    if order.metric not in question.metrics:
        raise refuse(
            [
                Detail(
                    "sort",
                    "not_asked_for",
                    Message(
                        "Add `{metric}` to `metrics`, or sort by another metric.",
                        metric=order.metric,
                    ),
                )
            ]
        )
    requested = {*question.filters, *question.group_by}
    if requested & NOT_OF_DECISIONS and OF_DECISIONS & {*order.metric.sums}:
        words = Message(
            "`{metric}` is not available by source or reason. Sort by another of `metrics`.",
            metric=order.metric,
        )
        raise refuse([Detail("sort", "not_known", words)])
    return order


def filters_of(fields: ReportFields) -> Mapping[Dimension, Sequence[str]]:
    """The named filters, as rows are stored: countries in lower case. An empty list is no filter."""
    named = {each: getattr(fields, each.column) for each in Dimension}
    found = {each: [str(one) for one in values] for each, values in named.items() if values}
    if countries := found.get(Dimension.COUNTRY):
        found[Dimension.COUNTRY] = [one.lower() for one in countries]
    return found


def instant_of(bound: date | datetime, zone: str) -> datetime:
    if not isinstance(bound, datetime):
        return start_of(bound, zone)
    if bound.tzinfo is None:
        bound = bound.replace(tzinfo=ZoneInfo(zone))
    return bound.astimezone(UTC)


def _hour(bound: date | datetime, zone: str) -> datetime:
    return hour_of(instant_of(bound, zone))


def _off_hour(param: str, bound: date | datetime, zone: str) -> list[Detail]:
    """Accepts a full hour of UTC, or one of the zone; the latter then means the hour of UTC that contains it."""
    at = instant_of(bound, zone)
    if any(
        (each.minute, each.second, each.microsecond) == (0, 0, 0)
        for each in (at, at.astimezone(ZoneInfo(zone)))
    ):
        return []
    return [
        Detail(param, "full_hour", Message("Must be a full hour: reports are stored by the hour."))
    ]


def _span(from_at: datetime, to_at: datetime, granularity: Granularity) -> list[Detail]:
    if to_at <= from_at:
        return [Detail("to", "range", Message("Must be later than `from`."))]
    longest = LONGEST[granularity]
    if to_at - from_at > longest + HOUR:  # an hour more where clocks go back
        words = Message(
            "A report by {granularity} covers at most {days} days. Choose a shorter range, or a "
            "larger granularity.",
            granularity=granularity,
            days=longest.days,
        )
        return [Detail("to", "range", words if granularity is not Granularity.TOTAL else _TOO_LONG)]
    return []


_TOO_LONG = Message(
    "A report covers at most {days} days. Choose a shorter range.",
    days=LONGEST[Granularity.TOTAL].days,
)
