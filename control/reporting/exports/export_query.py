"""The query of an export: parsed from the request on creation, and from its row when the file is built."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from common.contract.validation_errors import refuse
from common.values.clock import from_ms, to_iso, to_ms
from common.values.enums import EventKind
from common.values.environment import Environment
from common.values.errors import Detail, Refused
from common.values.messages import Message
from control.reporting.exports.schemas import ExportCreate, ExportKind
from control.reporting.reports.report_query import ReportScope, ReportSpec
from control.reporting.reports.rules import filters_of, instant_of, question_of
from control.reporting.reports.vocabulary import Dimension
from control.storage.tables.exports import ExportRow

LONGEST = timedelta(days=92)
"""Of events; a report has its own bounds."""
_OF_REPORTS = ("granularity", "group_by", "metrics")
_OF_EVENTS = ("event", "valid")


@dataclass(frozen=True, slots=True)
class EventsQuery:
    """``since`` and ``until`` are half open; ``filters`` as in a report. None: any."""

    since: datetime
    until: datetime
    timezone: str
    filters: Mapping[Dimension, Sequence[str]]
    events: tuple[EventKind, ...] | None
    valid: bool | None


AnyQuestion = ReportSpec | EventsQuery


def parse_question(body: ExportCreate, timezone: str, now: datetime) -> AnyQuestion:
    """*timezone*: used where `tz` names none. Raises `Refused`: one 422 with all faults."""
    faults = _misplaced(body)
    try:
        if body.kind is ExportKind.REPORT:
            question: AnyQuestion = question_of(body.fields(), timezone, now)
        else:
            question = _events(body, body.tz or timezone, now)
    except Refused as refusal:
        raise refuse([*faults, *refusal.details]) from None
    if faults:
        raise refuse(faults)
    return question


def to_kept(body: ExportCreate, question: AnyQuestion) -> dict[str, Any]:
    """The query as it is stored and shown: instants instead of days, and with the defaults filled in."""
    is_report = isinstance(question, ReportSpec)
    others = _OF_EVENTS if is_report else _OF_REPORTS
    found = body.model_dump(
        mode="json", by_alias=True, exclude={"kind", "format", *others}, exclude_none=True
    )
    since, until = ends_of(question)
    return found | {"from": to_iso(since), "to": to_iso(until), "tz": question.timezone}


def ends_of(question: AnyQuestion) -> tuple[datetime, datetime]:
    """Start and end of its range, half open."""
    if isinstance(question, ReportSpec):
        return question.from_at, question.to_at
    return question.since, question.until


def metadata_of(question: AnyQuestion, currency: str) -> dict[str, str]:
    """Metadata that a format may store with the rows. *currency*: ISO 4217, the account's."""
    since, until = ends_of(question)
    return {
        "currency": currency,
        "from": to_iso(since),
        "to": to_iso(until),
        "timezone": question.timezone,
    }


def of_row(row: ExportRow) -> tuple[ReportScope, AnyQuestion]:
    """The scope and the query of the row, as requested."""
    kept = row.question | {"kind": row.kind, "format": row.format}
    body = ExportCreate.model_validate(kept)
    scope = ReportScope(row.account_id, Environment(row.environment), row.property_id)
    return scope, parse_question(body, "UTC", row.created_at)


def _misplaced(body: ExportCreate) -> list[Detail]:
    if body.kind is ExportKind.REPORT:
        return list(
            _faults(body, _OF_EVENTS, Message("Only exports of events have this field. Remove it."))
        )
    return list(
        _faults(body, _OF_REPORTS, Message("Only exports of reports have this field. Remove it."))
    )


def _faults(body: ExportCreate, names: Iterable[str], message: Message) -> Iterable[Detail]:
    return (Detail(name, "not_allowed", message) for name in names if name in body.model_fields_set)


def _events(body: ExportCreate, zone: str, now: datetime) -> EventsQuery:
    """In whole milliseconds, as they are stored and shown."""
    since = from_ms(to_ms(instant_of(body.from_, zone)))
    until = from_ms(to_ms(now if body.to is None else instant_of(body.to, zone)))
    if until <= since:
        raise refuse([Detail("to", "range", Message("Must be later than `from`."))])
    if until - since > LONGEST:
        words = Message(
            "An export of events covers at most {days} days. Create several exports.",
            days=LONGEST.days,
        )
        raise refuse([Detail("to", "range", words)])
    return EventsQuery(
        since,
        until,
        zone,
        filters_of(body.fields()),
        events=None if body.event is None else tuple(body.event),
        valid=body.valid,
    )
