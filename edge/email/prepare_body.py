"""Parses the body of ``POST /v1/email/prepare``. Validated by hand, all faults at once, in slices of the event loop."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, TypeVar

import orjson

from common.contract.email_models import (
    MAX_EMAIL_SLOTS,
    MAX_ID_CHARS,
    MAX_KEY_VALUES,
    MAX_LIFE_DAYS,
    MAX_LINK_SIGNAL_BYTES,
    MAX_RECIPIENTS,
    EmailMode,
    EmailRender,
)
from common.decision.rules.kinds.language import languages_of
from common.http.json_body import check_count, check_names
from common.privacy.consent import ConsentSignals
from common.service.cooperative import TimeSlice
from common.values.countries import COUNTRIES
from common.values.errors import MAX_DETAILS, Detail
from common.values.messages import Message
from edge.request.keywords import key_values_of
from edge.request.raw_addresses import address_fault, address_steps, contains_address
from edge.tracking.track_body import load_object, refused_for

_Choice = TypeVar("_Choice", EmailMode, EmailRender)
_EXAMPLE: Final = (
    '{"slot": "newsletter-top", "send_id": "2026-08-31", "recipients": [{"ref": "r1"}]}'
)
_FIELDS: Final = frozenset(
    {"slot", "slots", "send_id", "mode", "render", "recipients", "expires_in_days", "consent"}
)
_RECIPIENT_FIELDS: Final = frozenset({"ref", "uid", "country", "lang", "kv"})
_CONSENT_FIELDS: Final = frozenset(ConsentSignals._fields) - {"gpc", "dnt"}
_NO_VALUES: Final[Mapping[str, frozenset[str]]] = MappingProxyType({})
_MAX_SLOT_CHARS: Final = 64
_MAX_LANG_CHARS: Final = 100
_MAX_VALUES: Final = 70_000
"""Of a body: the most recipients with the most key-values each have 60 000."""
_SUSPECT_BODY: Final = re.compile(rb"[@%&\\]|[^\x00-\x7f]")
"""A body without one of these has no e-mail address in any spelling. The backslash begins JSON's own escapes."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """``country`` and ``languages`` in lower case. ``ref`` None: all copies of a mail without recipients."""

    ref: str | None
    uid: str | None = None
    country: str | None = None
    languages: tuple[str, ...] = ()
    key_values: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NO_VALUES)


@dataclass(frozen=True, slots=True)
class PrepareBody:
    """``is_list_of_slots``: they came as ``slots``. ``consent``: None where the call states none."""

    slots: tuple[str, ...]
    send_id: str
    mode: EmailMode
    render: EmailRender
    recipients: tuple[Recipient, ...]
    life_days: int
    consent: ConsentSignals | None
    is_list_of_slots: bool


def named_slots(raw: bytes) -> list[tuple[str, str]]:
    """
    The slots that a body names, with their fields, as far as they can be parsed. Raises `Refused` if it is not JSON, or
    has too many values.
    """
    check_count(raw, _MAX_VALUES, _MAX_VALUES)
    values = load_object(raw, _EXAMPLE)
    slot, slots = values.get("slot"), values.get("slots")
    named = [("slot", slot)] if slot is not None else []
    if isinstance(slots, list):
        named += [(f"slots.{number}", one) for number, one in enumerate(slots[:MAX_EMAIL_SLOTS])]
    texts = [(param, one) for param, one in named if isinstance(one, str) and one]
    return [(param, one) for param, one in texts if not contains_address(one)]


async def parse_prepare_body(raw: bytes) -> PrepareBody:
    """
    Parses JSON, whatever the content type, of a body with a permitted number of values (`named_slots`). Raises
    `Refused`, with the path of each faulty field.
    """
    values = load_object(raw, _EXAMPLE)
    slices = TimeSlice()
    faults = list[Detail]()
    if _SUSPECT_BODY.search(raw) is not None:
        faults += await _address_faults(values, slices)
        if faults:  # other messages would repeat the address
            raise refused_for(faults)
    await asyncio.to_thread(check_names, raw, values, _MAX_VALUES)
    faults += _unknown_faults(values, _FIELDS, "")
    slots = _slots(values, faults)
    send_id = _text(values.get("send_id"), "send_id", faults, is_required=True)
    mode = _choice(EmailMode, values, "mode", EmailMode.PER_RECIPIENT, faults)
    render = _choice(EmailRender, values, "render", EmailRender.FIXED, faults)
    life_days = _life_days(values.get("expires_in_days", MAX_LIFE_DAYS), faults)
    consent = _consent(values.get("consent"), faults)
    recipients = await _recipients(values.get("recipients"), mode, render, faults, slices)
    if faults or send_id is None:
        raise refused_for(_one_each(faults))
    return PrepareBody(
        slots, send_id, mode, render, recipients, life_days, consent, "slots" in values
    )


async def _address_faults(values: dict[str, Any], slices: TimeSlice) -> list[Detail]:
    found = list[str]()
    for _ in address_steps(values, "", found):
        await slices.checkpoint()
    return [address_fault(param) for param in found]


def _one_each(faults: list[Detail]) -> list[Detail]:
    """The first fault of each field."""
    found: dict[str, Detail] = {}
    for fault in faults:
        found.setdefault(fault.param, fault)
    return list(found.values())


def _unknown_faults(values: dict[str, Any], known: frozenset[str], path: str) -> Iterator[Detail]:
    for name in islice(values.keys() - known, MAX_DETAILS):
        message = Message("The field {name} does not exist. Remove it.", name=repr(name[:64]))
        yield Detail(f"{path}{name[:64]}", "unknown_field", message)


def _slots(values: dict[str, Any], faults: list[Detail]) -> tuple[str, ...]:
    slot, slots = values.get("slot"), values.get("slots")
    if slot is not None and slots is not None:
        message = Message("Send slot or slots, not both.")
        faults.append(Detail("slots", "not_allowed", message))
    if slots is None:
        if slot is None:
            message = Message(
                "The slot is missing. Send its key or id as slot, or several as slots."
            )
            faults.append(Detail("slot", "required", message))
            return ()
        return (_slot(slot, "slot", faults),)
    if not isinstance(slots, list) or not 1 <= len(slots) <= MAX_EMAIL_SLOTS:
        message = Message(
            "slots must be a list of 1 to {max_slots} keys or ids of slots.",
            max_slots=MAX_EMAIL_SLOTS,
        )
        faults.append(Detail("slots", "out_of_range", message))
        return ()
    return tuple(_slot(one, f"slots.{number}", faults) for number, one in enumerate(slots))


def _slot(value: Any, param: str, faults: list[Detail]) -> str:
    if isinstance(value, str) and 0 < len(value) <= _MAX_SLOT_CHARS:
        return value
    faults.append(Detail(param, "invalid", Message("A slot must be text: its key or id.")))
    return ""


def _text(value: Any, param: str, faults: list[Detail], *, is_required: bool = False) -> str | None:
    if value is None and not is_required:
        return None
    if isinstance(value, str) and 0 < len(value) <= MAX_ID_CHARS and value.isprintable():
        return value
    message = Message(
        "{param} must be text of 1 to {max_chars} visible characters.",
        param=param,
        max_chars=MAX_ID_CHARS,
    )
    faults.append(Detail(param, "required" if value is None else "invalid", message))
    return None


def _choice(
    kind: type[_Choice],
    values: dict[str, Any],
    param: str,
    default: _Choice,
    faults: list[Detail],
) -> _Choice:
    value = values.get(param, default.value)
    for one in kind:
        if value == one.value:
            return one
    choices = ", ".join(one.value for one in kind)
    message = Message("{param} must be one of {choices}.", param=param, choices=choices)
    faults.append(Detail(param, "unknown_value", message))
    return default


def _life_days(value: Any, faults: list[Detail]) -> int:
    if type(value) is int and 1 <= value <= MAX_LIFE_DAYS:
        return value
    message = Message(
        "expires_in_days must be an integer from 1 to {max_days}.", max_days=MAX_LIFE_DAYS
    )
    faults.append(Detail("expires_in_days", "out_of_range", message))
    return MAX_LIFE_DAYS


def _consent(value: Any, faults: list[Detail]) -> ConsentSignals | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        faults.append(Detail("consent", "not_an_object", Message("consent must be a JSON object.")))
        return None
    faults += _unknown_faults(value, _CONSENT_FIELDS, "consent.")
    for name in _CONSENT_FIELDS & value.keys():
        if value[name] is not None and not isinstance(value[name], str):
            message = Message("{name} must be text, as in the query of serve.", name=name)
            faults.append(Detail(f"consent.{name}", "invalid", message))
    if faults:
        return None
    return ConsentSignals(**value)


async def _recipients(
    value: Any, mode: EmailMode, render: EmailRender, faults: list[Detail], slices: TimeSlice
) -> tuple[Recipient, ...]:
    if value is None and mode is EmailMode.PER_SEND and render is EmailRender.FIXED:
        return (Recipient(None),)
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_RECIPIENTS:
        code = "required" if value is None else "out_of_range"
        message = Message(
            "recipients must be a list of 1 to {max_recipients} objects with a ref. Only per_send with fixed works "
            "without; split a larger mailing into several calls.",
            max_recipients=MAX_RECIPIENTS,
        )
        faults.append(Detail("recipients", code, message))
        return ()
    found = list[Recipient]()
    refs = dict[str, int]()
    for number, one in enumerate(value):
        before = len(faults)
        recipient = _recipient(one, f"recipients.{number}", faults)
        ref = recipient.ref
        if ref is not None and refs.setdefault(ref, number) != number:
            message = Message(
                "The ref is the same as in recipients.{first}. Send each recipient once.",
                first=refs[ref],
            )
            faults.append(Detail(f"recipients.{number}.ref", "duplicate", message))
        if render is EmailRender.ON_OPEN and len(faults) == before and _is_long(one):
            message = Message(
                "With on_open a recipient may have at most {max_bytes} bytes: what it states becomes part of its URLs.",
                max_bytes=MAX_LINK_SIGNAL_BYTES,
            )
            param = f"recipients.{number}.kv" if recipient.key_values else f"recipients.{number}"
            faults.append(Detail(param, "too_long", message))
        found.append(recipient)
        await slices.checkpoint()
    return tuple(found)


def _is_long(recipient: dict[str, Any]) -> bool:
    """*recipient*: one without faults, which is not nested deeper than JSON can be written."""
    return len(orjson.dumps(recipient)) > MAX_LINK_SIGNAL_BYTES


def _recipient(value: Any, path: str, faults: list[Detail]) -> Recipient:
    if not isinstance(value, dict):
        faults.append(
            Detail(path, "not_an_object", Message("A recipient must be a JSON object with a ref."))
        )
        return Recipient(None)
    if value.keys() - _RECIPIENT_FIELDS:
        faults += _unknown_faults(value, _RECIPIENT_FIELDS, f"{path}.")
    return Recipient(
        _text(value.get("ref"), f"{path}.ref", faults, is_required=True),
        _text(value.get("uid"), f"{path}.uid", faults),
        _country(value.get("country"), f"{path}.country", faults),
        _languages(value.get("lang"), f"{path}.lang", faults),
        _key_values(value["kv"], f"{path}.kv", faults) if "kv" in value else _NO_VALUES,
    )


def _country(value: Any, param: str, faults: list[Detail]) -> str | None:
    if value is None:
        return None
    if isinstance(value, str) and value.lower() in COUNTRIES:
        return value.lower()
    message = Message("country must be an ISO 3166-1 country code, like BR.")
    faults.append(Detail(param, "unknown_value", message))
    return None


def _languages(value: Any, param: str, faults: list[Detail]) -> tuple[str, ...]:
    if value is None:
        return ()
    found = languages_of(value) if isinstance(value, str) and len(value) <= _MAX_LANG_CHARS else ()
    if not found:
        message = Message("lang must be a BCP 47 language tag, like pt-BR.")
        faults.append(Detail(param, "invalid", message))
    return found


def _key_values(value: Any, param: str, faults: list[Detail]) -> Mapping[str, frozenset[str]]:
    if not isinstance(value, dict) or len(value) > MAX_KEY_VALUES:
        message = Message(
            "kv must be a JSON object of at most {max_values} names and values.",
            max_values=MAX_KEY_VALUES,
        )
        faults.append(Detail(param, "invalid", message))
        return _NO_VALUES
    pairs = list[tuple[str, str]]()
    for name, given in value.items():
        texts = given[: MAX_KEY_VALUES + 1] if isinstance(given, list) else [given]
        if not all(isinstance(text, str) for text in texts):
            message = Message("A value of kv must be text, or a list of texts.")
            faults.append(Detail(f"{param}.{name[:64]}", "invalid", message))
            continue
        pairs += [(name, text) for text in texts]
    own = list[Detail]()
    found = key_values_of(pairs, own)
    path = param.removesuffix("kv")
    faults += [replace(fault, param=f"{path}{fault.param}") for fault in own]
    return found
