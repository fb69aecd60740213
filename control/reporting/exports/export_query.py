"""What an export is about, parsed: from the wire when it is asked for, from its row when it is made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from common.values.clock import to_iso
from common.values.enums import EventKind
from common.values.environment import Environment
from common.values.errors import Detail, Refused
from control.foundation.http.errors import refuse
from control.reporting.exports.schemas import ExportCreate, ExportKind
from control.reporting.reports.periods import start_of
from control.reporting.reports.report_query import ReportSpec, Scope
from control.reporting.reports.rules import filters_of, question_of
from control.reporting.reports.vocabulary import Dimension
from control.storage.tables.exports import ExportRow

LONGEST = timedelta(days=92)
"""Of events; a report has its own bounds."""
_OF_REPORTS = ("granularity", "group_by", "metrics")
_OF_EVENTS = ("event", "valid")


@dataclass(frozen=True, slots=True)
class EventsQuery:
    """``since`` and ``until`` are half open; ``filters`` as a report's; None: any."""

    since: datetime
    until: datetime
    timezone: str
    filters: Mapping[Dimension, Sequence[str]]
    events: tuple[EventKind, ...] | None
    valid: bool | None


AnyQuestion = ReportSpec | EventsQuery


def parse_question(asked: ExportCreate, timezone: str, now: datetime) -> AnyQuestion:
    """*timezone*: where `tz` names none. Raises `Refused`: one 422 with all that is wrong."""
    faults = _misplaced(asked)
    try:
        if asked.kind is ExportKind.REPORT:
            question: AnyQuestion = question_of(asked.fields(), timezone, now)
        else:
            question = _events(asked, asked.tz or timezone, now)
    except Refused as refusal:
        raise refuse([*faults, *refusal.details]) from None
    if faults:
        raise refuse(faults)
    return question


def to_kept(asked: ExportCreate, question: AnyQuestion) -> dict[str, Any]:
    """What is kept and shown of it: instants instead of days, and what was left to us."""
    is_report = isinstance(question, ReportSpec)
    others = _OF_EVENTS if is_report else _OF_REPORTS
    found = asked.model_dump(
        mode="json", by_alias=True, exclude={"kind", "format", *others}, exclude_none=True
    )
    since, until = ends_of(question)
    return found | {"from": to_iso(since), "to": to_iso(until), "tz": question.timezone}


def ends_of(question: AnyQuestion) -> tuple[datetime, datetime]:
    """Of its range, half open."""
    if isinstance(question, ReportSpec):
        return question.from_at, question.to_at
    return question.since, question.until


def metadata_of(question: AnyQuestion, currency: str) -> dict[str, str]:
    """What a format may store beside the rows. *currency*: ISO 4217, the account's."""
    since, until = ends_of(question)
    return {
        "currency": currency,
        "from": to_iso(since),
        "to": to_iso(until),
        "timezone": question.timezone,
    }


def of_row(row: ExportRow) -> tuple[Scope, AnyQuestion]:
    """What the row keeps, as it was asked."""
    kept = row.question | {"kind": row.kind, "format": row.format}
    asked = ExportCreate.model_validate(kept)
    scope = Scope(row.account_id, Environment(row.environment), row.property_id)
    return scope, parse_question(asked, "UTC", row.created_at)


def _misplaced(asked: ExportCreate) -> list[Detail]:
    if asked.kind is ExportKind.REPORT:
        return list(_faults(asked, _OF_EVENTS, "Only events are told apart by it. Remove it."))
    return list(_faults(asked, _OF_REPORTS, "Only a report has it. Remove it."))


def _faults(asked: ExportCreate, names: Iterable[str], message: str) -> Iterable[Detail]:
    return (
        Detail(name, "not_allowed", message) for name in names if name in asked.model_fields_set
    )


def _events(asked: ExportCreate, zone: str, now: datetime) -> EventsQuery:
    since = _instant(asked.from_, zone)
    until = now if asked.to is None else _instant(asked.to, zone)
    if until <= since:
        raise refuse([Detail("to", "range", "Must be later than `from`.")])
    if until - since > LONGEST:
        words = f"A range of events is at most {LONGEST.days} days. Make several exports."
        raise refuse([Detail("to", "range", words)])
    return EventsQuery(
        since,
        until,
        zone,
        filters_of(asked.fields()),
        events=None if asked.event is None else tuple(asked.event),
        valid=asked.valid,
    )


def _instant(bound: date | datetime, zone: str) -> datetime:
    if not isinstance(bound, datetime):
        return start_of(bound, zone)
    if bound.tzinfo is None:
        bound = bound.replace(tzinfo=ZoneInfo(zone))
    return bound.astimezone(UTC)
