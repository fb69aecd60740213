"""From a log message to a record that the tables can hold, or to a dead letter that says why not."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, TypeVar

import orjson

from common.clock import from_ms
from common.decision.record import DecisionRecord
from common.ids import is_uuid
from common.tracking.event import CounterRecord, EventRecord, LogRecord, WriterId
from common.tracking.record import RecordInvalid, parse_record
from control.ports.events import RawBatch, RawRecord

KEYS_KEPT_DAYS = 40
"""Longer than the longest token life (30 days) and a week in a spool; a later record could be a duplicate unseen."""
_DAY_MS = 86_400_000
_EARLIEST_MS = 1_577_836_800_000  # 2020
_LATEST_MS = 4_102_444_800_000  # 2100
_MOST_BIGINT = 2**63 - 1
_MOST_SMALLINT = 2**15 - 1
_MOST_COUNT = 2**31
_TEXT_CHARS = 300
_BOOT_CHARS = 32
_REASON_CHARS = 500

Body = TypeVar("Body", EventRecord, CounterRecord)


@dataclass(frozen=True, slots=True)
class Arrival(Generic[Body]):
    """A record and where it stood."""

    partition: int
    position: int
    raw: bytes
    writer: WriterId
    sequence: int
    body: Body

    @property
    def place(self) -> tuple[int, int]:
        return self.partition, self.position

    @property
    def token_day(self) -> date:
        """The day in UTC whose partition holds the record's keys: of the serve, never of the arrival."""
        return from_ms(_born_ms(self.body)).date()


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """``writer`` and ``sequence`` are known where at least the frame could be read."""

    partition: int
    position: int
    raw: bytes
    reason: str
    writer: str | None = None
    sequence: int = 0

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.raw).digest()


@dataclass(slots=True)
class Parsed:
    """A poll's records, sorted by what they are, each kind in order of partition and position."""

    events: list[Arrival[EventRecord]] = field(default_factory=list)
    counters: list[Arrival[CounterRecord]] = field(default_factory=list)
    dead: list[DeadLetter] = field(default_factory=list)


def parse_batches(batches: Iterable[RawBatch], *, now_ms: int) -> Parsed:
    parsed = Parsed()
    for batch in sorted(batches, key=lambda batch: batch.partition):
        for raw in batch.records:
            _read(parsed, batch.partition, raw, now_ms)
    return parsed


def dead_letter(partition: int, raw: RawRecord, reason: str) -> DeadLetter:
    """With the writer read from what can still be read, so that its spool is not kept for ever."""
    writer, sequence = _find_writer(raw.raw)
    return DeadLetter(
        partition, raw.position, raw.raw, reason[:_REASON_CHARS], writer=writer, sequence=sequence
    )


def to_dead_letter(arrival: Arrival[Any], reason: str) -> DeadLetter:
    return dead_letter(arrival.partition, RawRecord(arrival.position, arrival.raw), reason)


def _read(parsed: Parsed, partition: int, raw: RawRecord, now_ms: int) -> None:
    try:
        record = parse_record(raw.raw)
    except RecordInvalid as error:
        parsed.dead.append(dead_letter(partition, raw, str(error)))
        return
    fault = _find_fault(record, now_ms)
    if fault is not None:
        parsed.dead.append(dead_letter(partition, raw, fault))
        return
    place = (partition, raw.position, raw.raw, record.writer, record.sequence)
    if isinstance(record.body, EventRecord):
        parsed.events.append(Arrival(*place, record.body))
    elif isinstance(record.body, CounterRecord):
        parsed.counters.append(Arrival(*place, record.body))


def _find_fault(record: LogRecord, now_ms: int) -> str | None:
    """What PostgreSQL could not hold, or could not protect from being counted twice."""
    if isinstance(record.body, DecisionRecord):
        return "a decision, which belongs into a log of its own"
    if not 1 <= record.sequence < _MOST_BIGINT:
        return f"sequence {record.sequence} is out of range"
    if not _is_text(record.writer.edge) or len(record.writer.boot) != _BOOT_CHARS:
        return "the writer is no edge and boot"
    body = record.body
    fault = _event_fault(body) if isinstance(body, EventRecord) else _counter_fault(body)
    if fault is None and _born_ms(body) < now_ms - KEYS_KEPT_DAYS * _DAY_MS:
        return f"older than {KEYS_KEPT_DAYS} days: its keys are gone, it may have been counted"
    return fault


def _event_fault(body: EventRecord) -> str | None:
    if not _is_instant(body.issued_ms) or not _is_instant(body.at_ms):
        return "an instant is out of range"
    bounds = {
        "price_micros": (body.price_micros, _MOST_BIGINT // 2),
        "snapshot_version": (body.snapshot_version, _MOST_BIGINT),
        "judge_version": (body.judge_version, _MOST_SMALLINT),
        "value_cents": (body.value_cents or 0, _MOST_BIGINT // 1_000_000),
    }
    for name, (value, most) in bounds.items():
        if not 0 <= value <= most:
            return f"{name} {value} is out of range"
    for name in ("currency", "order_id"):
        text = getattr(body, name)
        if text is not None and not _is_text(text):
            return f"{name} is empty, longer than {_TEXT_CHARS} characters or holds a NUL"
    return None


def _counter_fault(body: CounterRecord) -> str | None:
    if not _is_instant(body.at_ms) or not _is_instant(body.through_ms):
        return "an instant is out of range"
    for *ids, outcome, count in body.rows:
        if not all(value is None or is_uuid(str(value)) for value in ids):
            return "a counter row names something that is no id"
        if not _is_text(outcome) or not 0 <= count <= _MOST_COUNT:
            return "a counter row is out of range"
    return None


def _born_ms(body: EventRecord | CounterRecord) -> int:
    return body.issued_ms if isinstance(body, EventRecord) else body.at_ms


def _is_instant(instant_ms: int) -> bool:
    return _EARLIEST_MS <= instant_ms < _LATEST_MS


def _is_text(value: str) -> bool:
    return 0 < len(value) <= _TEXT_CHARS and "\0" not in value


def _find_writer(raw: bytes) -> tuple[str | None, int]:
    try:
        values = orjson.loads(raw)
        edge, boot, sequence = str(values["edge"]), str(values["boot"]), int(values["seq"])
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
        return None, 0
    if _is_text(edge) and len(boot) == _BOOT_CHARS and 1 <= sequence < _MOST_BIGINT:
        return f"{edge}/{boot}", sequence
    return None, 0
