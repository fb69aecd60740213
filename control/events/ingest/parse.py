"""
Parses log messages into records that the tables can hold, or into dead letters with the reason.

Nearly all events are written alike, by known writers. Those are read without a model, and the fields they share with
others are checked once. Any other record takes the slow path through the models; only the slow path declares a record a
dead letter.
"""

from collections.abc import Iterable, Sequence

import orjson

from common.tracking.event import (
    ConversionRecord,
    CounterRecord,
    EventRecord,
    LogRecord,
    WriterId,
)
from common.tracking.record import RecordInvalid, parse_record
from common.values.errors import UNFORESEEN
from control.events.ingest.copy_encoding import pack_agent
from control.events.ingest.networks import pack_network
from control.events.ingest.parsed_records import (
    Conversion,
    Counter,
    DeadLetter,
    Event,
    Parsed,
    SharedFields,
    Writer,
)
from control.events.ingest.record_validation import (
    EARLIEST_MS,
    LATEST_MS,
    MAX_BIGINT,
    find_fault,
    is_writer,
    latest_ms,
    oldest_ms,
)
from control.events.ingest.scan import scan
from control.events.ingest.shared_fields import is_whole, parse_shared_fields
from control.ports.events import RawBatch, RawRecord

UNREADABLE = "unreadable: "
"""How the reason begins where code did not foresee a record."""
_REASON_CHARS = 500
_MAX_REMEMBERED = 50_000


class Parser:
    """
    Caches writers and the fields that events share; clears a cache that grows beyond `_MAX_REMEMBERED` entries.

    The caches are dicts and not `GenerationCache`: each event reads all five, and a batch must find at its end what it
    cached at its begin. So they are cleared between batches.
    """

    def __init__(self) -> None:
        self._shared: dict[bytes, SharedFields] = {}
        self._writers: dict[tuple[str, str], Writer] = {}
        self._writers_seen: dict[bytes, Writer] = {}
        self._readers: dict[bytes, tuple[str | None, str | None]] = {}
        self._agents: dict[bytes, bytes] = {}

    def parse(self, batches: Iterable[RawBatch], *, now_ms: int) -> Parsed:
        """Parses *batches*, by partition. A record that cannot be parsed or stored becomes a dead letter."""
        parsed = Parsed()
        memories = (self._shared, self._writers, self._writers_seen, self._readers, self._agents)
        for memory in memories:
            if len(memory) > _MAX_REMEMBERED:
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
        """Returns None where the event is unlike earlier ones, or cannot be stored."""
        found = scan(raw.raw)
        if found is None:
            return None
        (
            name,
            sequence,
            shared,
            token,
            issued_ms,
            at_ms,
            snapshot,
            prefix,
            agent_text,
            client,
            place,
            person,
        ) = found
        try:
            writer = self._writers_seen[name]
            fields = self._shared.get(shared) or self._read_first(shared)
            country, device = self._readers[place]
            network = None if prefix is None else pack_network(prefix.decode())
            agent = self._agents.get(agent_text) or self._read_agent(agent_text)
        except (KeyError, ValueError):
            return None
        if (
            fields is None
            or sequence < 1
            or not oldest <= issued_ms <= latest
            or not EARLIEST_MS <= at_ms < LATEST_MS
        ):
            return None
        return Event(
            partition,
            raw.position,
            raw.raw,
            writer,
            sequence,
            fields,
            token,
            issued_ms,
            at_ms,
            snapshot,
            client,
            None,
            None,
            None,
            country,
            device,
            person,
            network,
            agent,
            fields.reason,
            fields.judge_version,
            fields.valid,
            fields.live_reason,
        )

    def _read(self, parsed: Parsed, partition: int, raw: RawRecord, now_ms: int) -> None:
        try:
            self._read_by_model(parsed, partition, raw, now_ms)
        except RecordInvalid as error:
            parsed.dead.append(dead_letter(partition, raw, str(error)))
        except UNFORESEEN as error:
            parsed.dead.append(dead_letter(partition, raw, f"{UNREADABLE}{error!r}"))

    def _read_by_model(self, parsed: Parsed, partition: int, raw: RawRecord, now_ms: int) -> None:
        """Raises `RecordInvalid`."""
        record = parse_record(raw.raw)
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
        facts = body.facts
        prefix = facts.ip_prefix
        writer = self._writer(record.writer)
        fields = self._shared_fields_of(raw.raw, body, writer)
        return Event(
            partition,
            raw.position,
            raw.raw,
            writer,
            record.sequence,
            fields,
            body.token_id.bytes,
            body.issued_ms,
            body.at_ms,
            body.snapshot_version,
            facts.client_hash,
            body.value_cents,
            body.currency,
            body.order_id,
            body.country,
            body.device,
            None if body.person is None else bytes.fromhex(body.person),
            None if prefix is None else pack_network(prefix),
            pack_agent(facts.user_agent_family, facts.user_agent_major, facts.user_agent_pattern),
            body.reason,
            body.judge_version,
            body.reason.valid,
            body.live_reason,
        )

    def _read_first(self, shared: bytes) -> SharedFields | None:
        fields = parse_shared_fields(shared)
        if fields is not None:
            self._shared[shared] = fields
        return fields

    def _read_agent(self, text: bytes) -> bytes:
        values = orjson.loads(b"{%b}" % text)
        agent = self._agents[text] = pack_agent(
            values["user_agent_family"],
            values["user_agent_major"],
            values.get("user_agent_pattern"),
        )
        return agent

    def _shared_fields_of(self, raw: bytes, body: EventRecord, writer: Writer) -> SharedFields:
        """Caches the event's parts so that similar events take the fast path, if it is written in the usual form."""
        found = scan(raw)
        if found is None or not is_whole(found[2]):
            return SharedFields.of(body)
        name, _, shared, *_, reader, _ = found
        self._writers_seen[name] = writer
        self._readers[reader] = (body.country, body.device)
        return self._shared.get(shared) or self._shared.setdefault(shared, SharedFields.of(body))

    def _writer(self, writer: WriterId) -> Writer:
        key = (writer.edge, writer.boot)
        return self._writers.get(key) or self._writers.setdefault(key, Writer.of(writer))


def dead_letter(partition: int, raw: RawRecord, reason: str) -> DeadLetter:
    """Keeps the writer where it can still be read, so that its spool is not kept for ever."""
    frame = _find_frame(raw.raw)
    text = reason.replace("\0", "\\0")[:_REASON_CHARS]  # PostgreSQL stores no text with a NUL
    return DeadLetter(partition, raw.position, raw.raw, text, *frame)


def to_dead_letters(events: Sequence[Event | Conversion], reason: str) -> list[DeadLetter]:
    return [dead_letter(one.partition, RawRecord(one.position, one.raw), reason) for one in events]


def _find_frame(raw: bytes) -> tuple[str | None, int, int | None]:
    """Writer, sequence and instant of a frame that can be read."""
    try:
        values = orjson.loads(raw)
        edge, boot, sequence = str(values["edge"]), str(values["boot"]), int(values["seq"])
        at_ms = values["body"].get("at_ms")
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError):
        return None, 0, None
    if not is_writer(edge, boot) or not 1 <= sequence < MAX_BIGINT:
        return None, 0, None
    known = type(at_ms) is int and EARLIEST_MS <= at_ms < LATEST_MS
    return f"{edge}/{boot}", sequence, at_ms if known else None
