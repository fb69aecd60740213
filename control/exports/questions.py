"""What an export is about, parsed: from the wire when it is asked for, from its row when it is made."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.environment import Environment
from common.errors import Detail
from common.vocabulary import EventKind
from control.exports.schemas import ExportCreate, ExportFormat, ExportKind
from control.exports.spans import MOST, Span, parse_when
from control.http.faults import refuse
from control.tables.exports import ExportRow

Values = tuple[str, ...] | None
"""None: any."""


@dataclass(frozen=True, slots=True)
class EventsQuestion:
    """Which events; ids are text."""

    account_id: str
    environment: Environment
    span: Span
    property_ids: Values
    campaign_ids: Values
    ad_ids: Values
    slot_ids: Values
    events: tuple[EventKind, ...] | None
    valid: bool | None


def parse_span(asked: ExportCreate, now: datetime) -> Span:
    """Raises `Refused` (422) with all that is wrong with it."""
    since, until = (parse_when(text, asked.tz) for text in (asked.from_, asked.to))
    wrong = []
    if until <= since:
        wrong.append(Detail("to", "order", "Must be later than `from`."))
    if until - since > MOST:
        wrong.append(Detail("to", "range", f"At most {MOST.days} days; make several exports."))
    if since > now:
        wrong.append(Detail("from", "range", "Must not be in the future."))
    if wrong:
        raise refuse(wrong)
    return Span(since, until)


def question_of(row: ExportRow) -> EventsQuestion:
    asked = ExportCreate.model_validate(
        row.question | {"kind": ExportKind(row.kind), "format": ExportFormat(row.format)}
    )
    span = Span(*(parse_when(text, asked.tz) for text in (asked.from_, asked.to)))
    return EventsQuestion(
        row.account_id,
        Environment(row.environment),
        span,
        property_ids=_values(asked.property_id),
        campaign_ids=_values(asked.campaign_id),
        ad_ids=_values(asked.ad_id),
        slot_ids=_values(asked.slot_id),
        events=None if asked.event is None else tuple(asked.event),
        valid=asked.valid,
    )


def to_question(asked: ExportCreate, own_property: str | None) -> dict[str, Any]:
    """What is kept and shown of it. A key asks about its own property and no other."""
    found = asked.model_dump(
        mode="json", by_alias=True, exclude={"kind", "format"}, exclude_none=True
    )
    return found if own_property is None else found | {"property_id": [own_property]}


def _values(values: list[str] | None) -> Values:
    return None if values is None else tuple(values)
