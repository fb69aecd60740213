"""Parses the body of ``POST /v1/track``. Validated by hand, because it is the most frequent body."""

from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from common.contract.conversion_models import MAX_VALUE_CENTS
from common.http.json_body import check_names
from common.privacy.anonymize import find_address
from common.user_agent.user_agent import MAX_USER_AGENT_CHARS
from common.values.enums import EventKind, QualitySignal
from common.values.errors import MAX_DETAILS, Detail, ErrorCode, Refused
from common.values.messages import Message
from common.values.money import CURRENCIES
from edge.tracking.redeem import NO_CONVERSION, Conversion

_KINDS: dict[str, EventKind | QualitySignal] = {
    **{kind.value: kind for kind in EventKind},
    **{signal.value: signal for signal in QualitySignal},
}
_FIELDS = frozenset({"token", "event", "value_cents", "currency", "order_id", "ip", "ua"})
_EXAMPLE = '{"token": track_token, "event": "impression"}'
_REQUIRED_FIELDS = frozenset({"token", "event"})
"""Nearly all bodies have these two fields and no others."""
_MIN_QUOTES = 8
"""Of two names and two texts. A repeated name has two more."""
_ONLY_OF_CONVERSIONS = ("value_cents", "currency", "order_id")
_MAX_ORDER_ID_CHARS = 128
_ORDER_ID_FAULT = Message("order_id must be 1 to 128 visible characters, without line breaks.")


@dataclass(slots=True, init=False)
class TrackBody:
    """``ip``, ``ua``: the user's, as sent by a trusted server; None if it sent none."""

    token: str
    event: EventKind | QualitySignal
    conversion: Conversion
    ip: str | None
    ua: str | None

    def __init__(
        self,
        token: str,
        event: EventKind | QualitySignal,
        conversion: Conversion,
        ip: str | None = None,
        ua: str | None = None,
    ) -> None:
        self.token = token
        self.event = event
        self.conversion = conversion
        self.ip = ip
        self.ua = ua


def parse_track_body(raw: bytes, *, believed: bool) -> TrackBody:
    """
    Parses JSON, whatever the content type. *believed*: see `Admission`; from other clients ``ip`` and ``ua`` are
    ignored.

    Raises `Refused`, with every fault of every field.
    """
    values = load_object(raw, _EXAMPLE)
    if values.keys() == _REQUIRED_FIELDS and raw.count(b'"') == _MIN_QUOTES:
        token, kind = (
            values["token"],
            _KINDS.get(values["event"]) if type(values["event"]) is str else None,
        )
        if type(token) is str and kind is not None:
            return TrackBody(token, kind, NO_CONVERSION)
    check_names(raw, values)
    if faults := faults_of_track_body(values, believed=believed):
        raise refused_for(faults)
    return track_body_of(values, believed=believed)


def track_body_of(values: dict[str, Any], *, believed: bool) -> TrackBody:
    """*values* must be free of faults."""
    conversion = conversion_of(values)
    kind = _KINDS[values["event"]]
    if not believed:
        return TrackBody(values["token"], kind, conversion)
    ip, ua = values.get("ip"), values.get("ua")
    address = None if ip is None else str(find_address(ip))
    return TrackBody(values["token"], kind, conversion, address, ua)


def conversion_of(values: dict[str, Any]) -> Conversion:
    """*values* must be free of faults."""
    currency = values.get("currency")
    return Conversion(
        values.get("value_cents"), currency and currency.upper(), values.get("order_id")
    )


def refused_for(faults: list[Detail]) -> Refused:
    return Refused(
        ErrorCode.VALIDATION_FAILED,
        faults[0].message,
        param=faults[0].param,
        details=tuple(faults),
    )


def parse_object(raw: bytes, example: str) -> dict[str, Any]:
    """Parses a JSON object without repeated names. Raises `Refused`. *example*: what to send instead."""
    values = load_object(raw, example)
    check_names(raw, values)
    return values


def load_object(raw: bytes, example: str) -> dict[str, Any]:
    """As `parse_object`, but of repeated names it takes the last: the caller looks for them."""
    try:
        values = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise Refused(
            ErrorCode.INVALID_JSON,
            Message("The body is not JSON. Send {example}.", example=example),
        ) from None
    if not isinstance(values, dict):
        raise refused_for(
            [Detail("body", "not_an_object", Message("The body must be a JSON object."))]
        )
    return values


def faults_of_track_body(values: dict[str, Any], *, believed: bool) -> list[Detail]:
    """All faults, each with its field. *believed*: the caller may state the visitor's address and user agent."""
    found = [
        Detail(
            name,
            "unknown_field",
            Message("The field {name} does not exist. Remove it.", name=repr(name[:64])),
        )
        for name in islice(values.keys() - _FIELDS, MAX_DETAILS)
    ]
    found += _required_faults(values)
    for name in _ONLY_OF_CONVERSIONS:
        if values.get(name) is None:
            continue
        if values.get("event") != EventKind.CONVERSION:
            found.append(
                Detail(
                    name,
                    "not_allowed",
                    Message("{name} is allowed for conversions only. Remove it.", name=name),
                )
            )
        elif fault := find_conversion_fault(values, name):
            found.append(fault)
    return found + _person_faults(values) if believed else found


def _person_faults(values: dict[str, Any]) -> list[Detail]:
    ip, ua = values.get("ip"), values.get("ua")
    found = []
    if ip is not None and (not isinstance(ip, str) or find_address(ip) is None):
        message = Message("ip must be the visitor's IP address, like 203.0.113.7 or 2001:db8::7.")
        found.append(Detail("ip", "invalid", message))
    if ua is not None and not (isinstance(ua, str) and len(ua) <= MAX_USER_AGENT_CHARS):
        message = Message(
            "ua must be the visitor's User-Agent: at most {max_chars} characters.",
            max_chars=MAX_USER_AGENT_CHARS,
        )
        found.append(Detail("ua", "invalid", message))
    return found


def _required_faults(values: dict[str, Any]) -> list[Detail]:
    found = []
    if not isinstance(values.get("token"), str):
        message = Message("token is required: the unchanged track_token of the serve response.")
        found.append(Detail("token", "required", message))
    event = values.get("event")
    if not isinstance(event, str) or event not in _KINDS:
        code = "required" if event is None else "not_allowed"
        found.append(
            Detail("event", code, Message("event must be one of {kinds}.", kinds=", ".join(_KINDS)))
        )
    return found


def find_conversion_fault(values: dict[str, Any], name: str) -> Detail | None:
    """The fault of a conversion's ``value_cents``, ``currency`` or ``order_id``, which *values* have; None if valid."""
    message = _conversion_fault(name, values[name])
    if message is not None:
        return Detail(name, "invalid", message)
    if name == "currency" and values.get("value_cents") is None:
        message = Message("currency needs value_cents. Send both, or neither.")
        return Detail(name, "not_allowed", message)
    return None


def _conversion_fault(name: str, value: Any) -> Message | None:
    match name:
        case "value_cents":
            ok = type(value) is int and 0 <= value <= MAX_VALUE_CENTS
            return (
                None
                if ok
                else Message(
                    "value_cents must be an integer from 0 to {max_cents}.",
                    max_cents=MAX_VALUE_CENTS,
                )
            )
        case "currency":
            ok = isinstance(value, str) and value.upper() in CURRENCIES
            return None if ok else Message("currency must be an ISO 4217 code, like EUR.")
        case _:
            ok = isinstance(value, str) and 0 < len(value) <= _MAX_ORDER_ID_CHARS
            return None if ok and value.isprintable() else _ORDER_ID_FAULT
