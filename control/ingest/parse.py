"""
From a log message to what the tables can hold, or to a dead letter that says why not.

Most events are like one met before in all but token, time and client: those are read without a model. Whatever is
unusual goes the long way, through the models, and only the long way says that something is poison.
"""

import re
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

import orjson

from common.tracking.event import (
    ConversionRecord,
    CounterRecord,
    EventRecord,
    LogRecord,
    WriterId,
)
from common.tracking.record import VERSION, RecordInvalid, parse_record
from control.ingest.arrivals import (
    Conversion,
    Counter,
    DeadLetter,
    Event,
    Parsed,
    Traits,
    Writer,
)
from control.ingest.faults import (
    CLIENT,
    COUNTRY,
    DEVICES,
    EARLIEST_MS,
    LATEST_MS,
    MOST_BIGINT,
    PERSON,
    find_fault,
    is_writer,
    latest_ms,
    oldest_ms,
)
from control.ingest.networks import pack_network
from control.ports.events import RawBatch, RawRecord

_REASON_CHARS = 500
_MOST_REMEMBERED = 50_000
_FRAME = itemgetter("v", "edge", "boot", "seq", "t", "body")
_SHARED = itemgetter(
    *("kind", "property_id", "slot_id", "ad_id", "campaign_id", "is_test", "consent_limited"),
    *("preview", "source", "surface", "format", "pricing_model", "price_micros"),
    *("reason", "judge_version", "signs", "lists_version"),
)
_FIRST = {"signs": None, "lists_version": None}
"""What records of older edges lack."""
_OWN = itemgetter(
    *("token_id", "issued_ms", "at_ms", "snapshot_version", "facts"),
    *("value_cents", "currency", "order_id", "country", "device", "person"),
)
_FIELDS, _FACTS = 28, 7
_COUNTRY, _PERSON, _CLIENT = COUNTRY.fullmatch, PERSON.fullmatch, CLIENT.fullmatch
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch


class Parser:
    """Remembers what events have in common, and writers; forgets all of it when it is too much."""

    def __init__(self) -> None:
        self._traits: dict[tuple[Any, ...], Traits] = {}
        self._writers: dict[tuple[str, str], Writer] = {}

    def parse(self, batches: Iterable[RawBatch], *, now_ms: int) -> Parsed:
        parsed = Parsed()
        for memory in (self._traits, self._writers):
            if len(memory) > _MOST_REMEMBERED:
                memory.clear()
        oldest = max(EARLIEST_MS, oldest_ms(now_ms))
        latest = latest_ms(now_ms)
        for batch in sorted(batches, key=lambda batch: batch.partition):
            for raw in batch.records:
                event = self._read_quickly(batch.partition, raw, oldest, latest)
                if event is not None:
                    parsed.events.append(event)
                else:
                    self._read(parsed, batch.partition, raw, now_ms)
        return parsed

    def _read_quickly(
        self, partition: int, raw: RawRecord, oldest: int, latest: int
    ) -> Event | None:
        """None: not an event like those before, or poison."""
        try:
            version, edge, boot, sequence, kind, body = _FRAME(orjson.loads(raw.raw))
            traits = self._traits[_SHARED(body)]
            writer = self._writers[edge, boot]
            token, issued_ms, at_ms, snapshot, facts, *rest = _OWN(body)
            *money, country, device, person = rest
            client, prefix = facts["client_hash"], facts["ip_prefix"]
            network = None if prefix is None else pack_network(prefix)
            usual = (
                version == VERSION
                and kind == "event"
                and len(body) == _FIELDS
                and len(facts) == _FACTS
                and type(sequence) is type(issued_ms) is type(at_ms) is type(snapshot) is int
                and 1 <= sequence < MOST_BIGINT
                and oldest <= issued_ms <= latest
                and EARLIEST_MS <= at_ms < LATEST_MS
                and 0 <= snapshot <= MOST_BIGINT
                and (client is None or _CLIENT(client))
                and money == [None, None, None]
                and _UUID(token)
                and (country is None or _COUNTRY(country))
                and (device is None or device in DEVICES)
                and (person is None or _PERSON(person))
            )
        except (KeyError, TypeError, ValueError):
            return None
        if not usual:
            return None
        return Event(
            partition,
            raw.position,
            raw.raw,
            writer,
            sequence,
            traits,
            bytes.fromhex(token.replace("-", "")),
            issued_ms,
            at_ms,
            snapshot,
            client,
            None,
            None,
            None,
            country,
            device,
            None if person is None else bytes.fromhex(person),
            network,
            traits.reason,
            traits.judge_version,
            traits.valid,
        )

    def _read(self, parsed: Parsed, partition: int, raw: RawRecord, now_ms: int) -> None:
        try:
            record = parse_record(raw.raw)
        except RecordInvalid as error:
            parsed.dead.append(dead_letter(partition, raw, str(error)))
            return
        fault = find_fault(record, now_ms)
        if fault is not None:
            parsed.dead.append(dead_letter(partition, raw, fault))
        elif isinstance(record.body, EventRecord):
            parsed.events.append(self._event(partition, raw, record, record.body))
        elif isinstance(record.body, CounterRecord):
            writer = self._writer(record.writer)
            place = (partition, raw.position, raw.raw, writer, record.sequence)
            parsed.counters.append(Counter(*place, record.body))
        elif isinstance(record.body, ConversionRecord):
            writer = self._writer(record.writer)
            place = (partition, raw.position, raw.raw, writer, record.sequence)
            parsed.conversions.append(Conversion(*place, record.body))

    def _event(self, partition: int, raw: RawRecord, record: LogRecord, body: EventRecord) -> Event:
        shared = _SHARED(_FIRST | orjson.loads(raw.raw)["body"])
        prefix = body.facts.ip_prefix
        traits = self._traits.get(shared) or self._traits.setdefault(shared, Traits.of(body))
        writer = self._writer(record.writer)
        return Event(
            partition,
            raw.position,
            raw.raw,
            writer,
            record.sequence,
            traits,
            body.token_id.bytes,
            body.issued_ms,
            body.at_ms,
            body.snapshot_version,
            body.facts.client_hash,
            body.value_cents,
            body.currency,
            body.order_id,
            body.country,
            body.device,
            None if body.person is None else bytes.fromhex(body.person),
            None if prefix is None else pack_network(prefix),
            body.reason,
            body.judge_version,
            body.reason.valid,
        )

    def _writer(self, writer: WriterId) -> Writer:
        key = (writer.edge, writer.boot)
        return self._writers.get(key) or self._writers.setdefault(key, Writer.of(writer))


def dead_letter(partition: int, raw: RawRecord, reason: str) -> DeadLetter:
    """With the writer read from what can still be read, so that its spool is not kept for ever."""
    frame = _find_frame(raw.raw)
    return DeadLetter(partition, raw.position, raw.raw, reason[:_REASON_CHARS], *frame)


def to_dead_letters(events: Sequence[Event | Conversion], reason: str) -> list[DeadLetter]:
    return [dead_letter(one.partition, RawRecord(one.position, one.raw), reason) for one in events]


def _find_frame(raw: bytes) -> tuple[str | None, int, int | None]:
    """Writer, sequence and instant, of a frame that can be read."""
    try:
        values = orjson.loads(raw)
        edge, boot, sequence = str(values["edge"]), str(values["boot"]), int(values["seq"])
        at_ms = values["body"].get("at_ms")
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError):
        return None, 0, None
    if not is_writer(edge, boot) or not 1 <= sequence < MOST_BIGINT:
        return None, 0, None
    known = type(at_ms) is int and EARLIEST_MS <= at_ms < LATEST_MS
    return f"{edge}/{boot}", sequence, at_ms if known else None
