"""
Parses the body of ``POST /v1/conversions`` and the query of the conversion pixel. Validated by hand; all faults are
reported at once.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from common.tracking.conversion import DEFAULT_EVENT_NAME, MAX_AHEAD_MS, MAX_PAST_MS
from common.values.clock import to_ms
from common.values.errors import MAX_DETAILS, Detail
from common.values.messages import Message
from edge.state.click_ids import ClickId, ClickIds
from edge.tracking.redeem import Conversion
from edge.tracking.track_body import (
    conversion_of,
    find_conversion_fault,
    parse_object,
    refused_for,
)

_OF_VALUE = ("value_cents", "currency", "order_id")
_FIELDS = ("click_id", "uid", "event_name", *_OF_VALUE, "occurred_at")
_EXAMPLE = '{"click_id": sa_click_id, "event_name": "purchase"}'
_EVENT_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")
_IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")
_MAX_UID_CHARS = 128
_MAX_PARAMETERS = 100


@dataclass(frozen=True, slots=True)
class ConversionBody:
    """Exactly one of ``click_id`` and ``uid`` is set."""

    click_id: UUID | None
    uid: str | None
    event_name: str
    conversion: Conversion
    occurred_ms: int
    idempotency_key: str | None


def parse_conversion_body(
    raw: bytes, now_ms: int, idempotency_key: str | None, click_ids: ClickIds
) -> ConversionBody:
    """Parses JSON, whatever the content type. Raises `Refused`, with every fault of every field."""
    values = {
        name: value for name, value in parse_object(raw, _EXAMPLE).items() if value is not None
    }
    occurred_ms = _find_instant(values.get("occurred_at"), now_ms)
    click = click_ids.find(values.get("click_id"))
    faults = _faults_of(values, click, now_ms, occurred_ms)
    if idempotency_key is not None and not _IDEMPOTENCY_KEY.fullmatch(idempotency_key):
        message = Message("Idempotency-Key must be 1 to 255 visible ASCII characters.")
        faults.append(Detail("Idempotency-Key", "invalid", message))
    if faults or occurred_ms is None:
        raise refused_for(faults)
    return ConversionBody(
        None if click is None else click.id,
        values.get("uid"),
        values["event_name"],
        conversion_of(values),
        occurred_ms,
        idempotency_key,
    )


def parse_conversion_query(text: str) -> tuple[str, Conversion]:
    """
    The event name and the value of a pixel's conversion. Unknown parameters are ignored, and empty ones count as
    missing. Of a parameter that comes twice, the first counts. Raises `Refused`.
    """
    values: dict[str, Any] = {}
    try:
        for name, value in parse_qsl(text, max_num_fields=_MAX_PARAMETERS):
            if name in _FIELDS:
                values.setdefault(name, value)
    except ValueError:
        message = Message(
            "The query has more than {max_parameters} parameters. Send fewer.",
            max_parameters=_MAX_PARAMETERS,
        )
        raise refused_for([Detail("query", "too_long", message)]) from None
    if _WHOLE_NUMBER.fullmatch(values.get("value_cents", "")):
        values["value_cents"] = int(values["value_cents"])
    name = values.get("event_name", DEFAULT_EVENT_NAME)
    if faults := [*_name_faults(name), *_value_faults(values)]:
        raise refused_for(faults)
    return name, conversion_of(values)


def _faults_of(
    values: dict[str, Any], click: ClickId | None, now_ms: int, occurred_ms: int | None
) -> list[Detail]:
    found = [
        Detail(
            name,
            "unknown_field",
            Message("The field {name} does not exist. Remove it.", name=repr(name[:64])),
        )
        for name in islice(values.keys() - set(_FIELDS), MAX_DETAILS)
    ]
    found += _whose_faults(values, click)
    found += _name_faults(values.get("event_name"))
    found += _value_faults(values)
    if occurred_ms is None:
        message = Message(
            "occurred_at must be an ISO 8601 time with Z or an offset, like 2026-01-31T12:00:00Z."
        )
        found.append(Detail("occurred_at", "invalid", message))
    elif occurred_ms > now_ms + MAX_AHEAD_MS:
        message = Message(
            "occurred_at is in the future. Send the time of the conversion, or leave it out."
        )
        found.append(Detail("occurred_at", "out_of_range", message))
    elif occurred_ms < now_ms - MAX_PAST_MS:
        message = Message(
            "occurred_at is more than 90 days ago, and clicks of that time are no longer stored."
        )
        found.append(Detail("occurred_at", "out_of_range", message))
    return found


def _whose_faults(values: dict[str, Any], click: ClickId | None) -> list[Detail]:
    click_id, uid = values.get("click_id"), values.get("uid")
    if click_id is None and uid is None:
        message = Message("Send click_id (the sa_click_id of the landing page's URL) or uid.")
        return [Detail("click_id", "required", message)]
    found = []
    if click_id is not None and click is None:
        message = Message(
            "click_id must be the unchanged sa_click_id: a UUID, a dot and a tag, or the UUID "
            "alone."
        )
        found.append(Detail("click_id", "invalid", message))
    if uid is not None and not (isinstance(uid, str) and 0 < len(uid) <= _MAX_UID_CHARS):
        found.append(Detail("uid", "invalid", Message("uid must be text of 1 to 128 characters.")))
    if click_id is not None and uid is not None:
        message = Message("Send click_id or uid, not both. Prefer click_id.")
        found.append(Detail("uid", "not_allowed", message))
    return found


def _name_faults(name: Any) -> list[Detail]:
    if isinstance(name, str) and _EVENT_NAME.fullmatch(name):
        return []
    message = Message("event_name is required: 1 to 64 characters of A-Z a-z 0-9 _ . -")
    return [Detail("event_name", "required" if name is None else "invalid", message)]


def _value_faults(values: dict[str, Any]) -> list[Detail]:
    sent = [name for name in _OF_VALUE if values.get(name) is not None]
    faults = (find_conversion_fault(values, name) for name in sent)
    return [fault for fault in faults if fault is not None]


def _find_instant(text: Any, default_ms: int) -> int | None:
    """None: *text* is not an instant."""
    if text is None:
        return default_ms
    try:
        instant = datetime.fromisoformat(text.upper())
        return None if instant.tzinfo is None else to_ms(instant)
    except (AttributeError, ValueError, OverflowError):
        return None
