"""Faults of a readable record: PostgreSQL could not store it, or could not prevent it from being counted twice."""

import re

from common.decision.record import DecisionRecord
from common.ivt.ivt_flags import ALL_FLAGS
from common.tracking.event import ConversionRecord, CounterRecord, EventRecord, LogRecord
from common.values.enums import DeviceType, EventKind, Format, QualitySignal, Source, Surface
from common.values.ids import is_uuid
from control.events.ingest.networks import is_network
from control.events.ingest.parsed_records import DAY_MS, HOUR_MS

KEYS_KEPT_DAYS = 40
"""Longer than the longest token life (30 days) plus a week in a spool. A later duplicate would go unnoticed."""
EARLIEST_MS = 1_577_836_800_000  # 2020
LATEST_MS = 4_102_444_800_000  # 2100
MAX_BIGINT = 2**63 - 1
COUNTRY = re.compile("[a-z]{2}")
PERSON = re.compile("[0-9a-f]{16}")
CLIENT = re.compile("(?:[0-9a-f]{2}){1,16}")
DEVICES = frozenset(DeviceType)
_MAX_SMALLINT = 2**15 - 1
_MAX_INTEGER = 2**31 - 1
_SURFACES: frozenset[str | None] = frozenset({None, *Surface})
_FORMATS: frozenset[str | None] = frozenset({None, *Format})
_KINDS = frozenset({*EventKind, *QualitySignal})
_SOURCES = frozenset(Source)
_MAX_COUNT = 2**31
_MAX_CENTS = MAX_BIGINT // 1_000_000
_TEXT_CHARS = 300
_BOOT_CHARS = 32


def find_fault(record: LogRecord, now_ms: int) -> str | None:
    """Why the record becomes a dead letter; None where it can be stored."""
    if isinstance(record.body, DecisionRecord):
        return "a decision, which belongs into a log of its own"
    if not 1 <= record.sequence < MAX_BIGINT:
        return f"sequence {record.sequence} is out of range"
    if not is_writer(record.writer.edge, record.writer.boot):
        return "the writer is no edge and boot"
    body = record.body
    fault = _body_fault(body)
    born_ms = body.issued_ms if isinstance(body, EventRecord) else body.at_ms
    if fault is None and born_ms < oldest_ms(now_ms):
        return f"older than {KEYS_KEPT_DAYS} days: its keys are gone, it may have been counted"
    if fault is None and born_ms > latest_ms(now_ms):
        return "from the future: no partition holds its keys. Is the edge's clock right?"
    return fault


def oldest_ms(now_ms: int) -> int:
    """An older record may have been counted already, and its keys are gone."""
    return now_ms - KEYS_KEPT_DAYS * DAY_MS


def latest_ms(now_ms: int) -> int:
    """Further ahead than any clock error by chance; partitions exist two days ahead."""
    return now_ms + DAY_MS


def is_writer(edge: str, boot: str) -> bool:
    return _is_text(edge) and len(boot) == _BOOT_CHARS and "\0" not in boot


def _body_fault(body: EventRecord | CounterRecord | ConversionRecord) -> str | None:
    if isinstance(body, EventRecord):
        return find_event_fault(body)
    return _counter_fault(body) if isinstance(body, CounterRecord) else _conversion_fault(body)


def _conversion_fault(body: ConversionRecord) -> str | None:
    texts = (body.event_name, body.currency, body.order_id)
    faults = {
        "an instant is out of range": not (
            _is_instant(body.occurred_ms) and _is_instant(body.at_ms)
        ),
        "judge_version is out of range": not 0 <= body.judge_version <= _MAX_SMALLINT,
        "value_cents is out of range": not 0 <= (body.value_cents or 0) <= _MAX_CENTS,
        "not of either a click or a person": (body.click_id is None) is (body.person is None),
        "person is not 16 hex digits": body.person is not None
        and not PERSON.fullmatch(body.person),
        "a person of no property": body.click_id is None and body.property_id is None,
        f"a text is empty, longer than {_TEXT_CHARS} characters or holds a NUL": not all(
            text is None or _is_text(text) for text in texts
        ),
    }
    return next((fault for fault, found in faults.items() if found), None)


def find_event_fault(body: EventRecord) -> str | None:
    """Finds values that PostgreSQL could not store."""
    if not _is_instant(body.issued_ms) or not _is_instant(body.at_ms):
        return "an instant is out of range"
    bounds = {
        "price_micros": (body.price_micros, MAX_BIGINT // 2),
        "snapshot_version": (body.snapshot_version, MAX_BIGINT),
        "judge_version": (body.judge_version, _MAX_SMALLINT),
        "value_cents": (body.value_cents or 0, _MAX_CENTS),
        "held_until_day": (body.held_until_day or 0, _MAX_INTEGER),
    }
    for name, (value, most) in bounds.items():
        if not 0 <= value <= most:
            return f"{name} {value} is out of range"
    for name in ("currency", "order_id"):
        text = getattr(body, name)
        if text is not None and not _is_text(text):
            return f"{name} is empty, longer than {_TEXT_CHARS} characters or holds a NUL"
    if body.person is not None and not PERSON.fullmatch(body.person):
        return "person is not 16 hex digits"
    return _signals_fault(body) or _visitor_fault(body.country, body.device)


def _signals_fault(body: EventRecord) -> str | None:
    facts = body.facts
    if facts.client_hash is not None and not CLIENT.fullmatch(facts.client_hash):
        return "client_hash is not hexadecimal"
    if facts.ip_prefix is not None and not is_network(facts.ip_prefix):
        return "ip_prefix is no network"
    if body.signs is not None and not 0 <= body.signs <= ALL_FLAGS:
        return f"signs {body.signs} is out of range"
    if body.lists_version is not None and not _is_text(body.lists_version):
        return f"lists_version is empty, longer than {_TEXT_CHARS} characters or holds a NUL"
    return None


def _visitor_fault(country: str | None, device: str | None) -> str | None:
    if country is not None and not COUNTRY.fullmatch(country):
        return "country is not two lower-case letters"
    return "device is unknown" if device is not None and device not in DEVICES else None


def _counter_fault(body: CounterRecord) -> str | None:
    if not _is_instant(body.at_ms) or not _is_instant(body.through_ms):
        return "an instant is out of range"
    return (
        _report_fault(body)
        or _rows_fault(body)
        or _keys_fault(body)
        or _exceeded_fault(body)
        or _caps_fault(body)
    )


def _report_fault(body: CounterRecord) -> str | None:
    for hour, count in body.appended:
        if not _is_instant(hour * HOUR_MS) or not 0 <= count < MAX_BIGINT:
            return "what was appended is out of range"
    return None if 0 <= body.shipped < MAX_BIGINT else "what was shipped is out of range"


def _rows_fault(body: CounterRecord) -> str | None:
    for *ids, outcome, country, device, surface, ad_format, count in body.rows:
        if not all(value is None or is_uuid(str(value)) for value in ids):
            return "a counter row names something that is no id"
        if not _is_text(outcome) or not 0 <= count <= _MAX_COUNT:
            return "a counter row is out of range"
        if surface not in _SURFACES or ad_format not in _FORMATS:
            return "a counter row names an unknown surface or format"
        fault = _visitor_fault(country, device)
        if fault is not None:
            return f"of a counter row, {fault}"
    return None


def _keys_fault(body: CounterRecord) -> str | None:
    for *ids, count in body.keys:
        if not all(is_uuid(str(value)) for value in ids) or not 0 <= count <= _MAX_COUNT:
            return "what a key was used for is out of range"
    return None


def _exceeded_fault(body: CounterRecord) -> str | None:
    for *ids, kind, ad_format, source, surface, count in body.exceeded:
        if not all(is_uuid(str(value)) for value in ids) or not 0 <= count <= _MAX_COUNT:
            return "what exceeded a rate is out of range"
        if kind not in _KINDS or source not in _SOURCES:
            return "what exceeded a rate is of an unknown kind or source"
        if surface not in _SURFACES or ad_format not in _FORMATS:
            return "what exceeded a rate names an unknown surface or format"
    return None


def _caps_fault(body: CounterRecord) -> str | None:
    for property_id, lookups, unknown in body.caps:
        if not is_uuid(str(property_id)) or not 0 <= unknown <= lookups <= _MAX_COUNT:
            return "what was looked up of frequency caps is out of range"
    return None


def _is_instant(instant_ms: int) -> bool:
    return EARLIEST_MS <= instant_ms < LATEST_MS


def _is_text(value: str) -> bool:
    return 0 < len(value) <= _TEXT_CHARS and "\0" not in value
