"""Records from the log in the form that ingest works with. Thousands arrive a second, so little is created for each."""

import hashlib
from dataclasses import dataclass, field

from common.ivt.windows import SERVED_BY_SERVERS
from common.tracking.event import (
    ConversionRecord,
    CounterRecord,
    EventRecord,
    TokenKeys,
    WriterId,
    WriterKeys,
)
from common.values.enums import Attribution, EventKind, PricingModel, QualitySignal, Reason, Surface
from control.events.ingest.copy_encoding import pack_shared_fields
from control.events.ingest.prices import price_micros

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@dataclass(frozen=True, slots=True)
class Writer:
    """A spool's writer; created once for all of its records."""

    name: str
    keys: WriterKeys

    @classmethod
    def of(cls, writer: WriterId) -> "Writer":
        return cls(str(writer), WriterKeys.of(writer))


@dataclass(frozen=True, slots=True)
class SharedFields:
    """Fields that many events share, checked and packed for the table once. Ids are canonical texts."""

    kind: EventKind | QualitySignal
    property_id: str
    slot_id: str
    ad_id: str
    campaign_id: str
    is_test: bool
    preview: bool
    surface: Surface
    pricing_model: PricingModel
    price_micros: int
    reason: Reason
    live_reason: Reason | None
    judge_version: int
    valid: bool
    is_listed: bool
    """False for quality signals, which are summed and never listed."""
    attribution: Attribution | None
    """None: no conversion."""
    keys: TokenKeys
    is_only_counted: bool
    """
    True where windows only count the event: an impression requested by the reader's own device, where no rule needs the
    previous one.
    """
    foreseen_micros: int
    """The charge of a valid event if nothing prevents it; the ledger decides."""
    held_until_day: int | None
    """As in `EventRecord`."""
    packed: bytes

    @classmethod
    def of(
        cls,
        record: EventRecord,
        attribution: Attribution = Attribution.IN_SESSION,
        event_name: str | None = None,
    ) -> "SharedFields":
        """*attribution* and *event_name*: of a conversion."""
        attributed = attribution if record.kind is EventKind.CONVERSION else None
        return cls(
            record.kind,
            str(record.property_id),
            str(record.slot_id),
            str(record.ad_id),
            str(record.campaign_id),
            record.is_test,
            record.preview,
            record.surface,
            record.pricing_model,
            record.price_micros,
            record.reason,
            record.live_reason,
            record.judge_version,
            record.reason.valid,
            isinstance(record.kind, EventKind),
            attributed,
            TokenKeys.of(record),
            record.kind is EventKind.IMPRESSION
            and not (record.is_test or record.preview or record.surface in SERVED_BY_SERVERS),
            price_micros(record, attributed, bill_in_session=False),
            record.held_until_day,
            pack_shared_fields(record, attributed, event_name),
        )


@dataclass(slots=True)
class Event:
    """
    An event record and its position in the log.

    ``judged`` and ``judge_version`` begin as the edge's verdict and change if windows find a fault. ``reason`` and
    ``charged_micros`` are set by the clock and the ledger, anew at every attempt to store.
    """

    partition: int
    position: int
    raw: bytes
    writer: Writer
    sequence: int
    shared_fields: SharedFields
    token_id: bytes
    issued_ms: int
    at_ms: int
    snapshot_version: int
    client: str | None
    value_cents: int | None
    currency: str | None
    order_id: str | None
    country: str | None
    device: str | None
    person: bytes | None
    network: bytes | None
    """In the format of `control.events.ingest.networks.pack_network`."""
    agent: bytes
    """In the format of `control.events.ingest.copy_encoding.pack_agent`."""
    judged: Reason
    judge_version: int
    valid: bool
    live_reason: Reason | None
    """Of test traffic: the verdict on a live event of the same request; windows add their findings."""
    reason: Reason = Reason.OK
    charged_micros: int = 0
    _token_key: bytes | None = None

    @property
    def place(self) -> tuple[int, int]:
        return self.partition, self.position

    @property
    def is_test(self) -> bool:
        return self.shared_fields.is_test

    @property
    def is_authenticated(self) -> bool:
        """Of a conversion: whether a server's key or a signed click id reported it. Any page can send a token."""
        return False

    @property
    def foreseen_micros(self) -> int:
        return self.shared_fields.foreseen_micros if self.valid else 0

    @property
    def day(self) -> int:
        """
        Days since the epoch, in UTC: of the serve, never of the arrival.

        The partition of that day holds the keys.
        """
        return self.issued_ms // DAY_MS

    @property
    def token_key(self) -> bytes:
        """Id of the valid event of this token and kind, and the key that keeps a second one out."""
        if self._token_key is None:
            self._token_key = self.shared_fields.keys.valid(self.issued_ms, self.token_id)
        return self._token_key

    @property
    def id(self) -> bytes | None:
        """None: a quality signal."""
        if not self.shared_fields.is_listed:
            return None
        if self.valid:
            return self.token_key
        record = self.writer.keys.key(self.sequence)
        return self.shared_fields.keys.invalid(self.issued_ms, self.token_id, record)


@dataclass(slots=True)
class ConversionEvent(Event):
    """An event whose id is the id of its conversion. ``is_signed``: False for a click id without a tag."""

    own_id: bytes = b""
    is_signed: bool = True

    @property
    def is_authenticated(self) -> bool:
        return self.is_signed

    @property
    def id(self) -> bytes:
        return self.own_id


@dataclass(slots=True)
class Counter:
    """What an edge decided in a second, with its position in the log."""

    partition: int
    position: int
    raw: bytes
    writer: Writer
    sequence: int
    body: CounterRecord

    @property
    def is_test(self) -> bool:
        return self.body.is_test

    @property
    def at_ms(self) -> int:
        return self.body.at_ms


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion that is not attributed yet, with its position in the log."""

    partition: int
    position: int
    raw: bytes
    writer: Writer
    sequence: int
    body: ConversionRecord

    @property
    def is_test(self) -> bool:
        return self.body.is_test

    @property
    def at_ms(self) -> int:
        return self.body.at_ms

    @property
    def property_id(self) -> str | None:
        """None for a conversion from a pixel: its click determines the property."""
        return None if self.body.property_id is None else str(self.body.property_id)


Arrival = Event | Counter | Conversion


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """``writer`` and ``sequence`` are set if at least the frame could be read, ``at_ms`` if the body could."""

    partition: int
    position: int
    raw: bytes
    reason: str
    writer: str | None = None
    sequence: int = 0
    at_ms: int | None = None

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.raw).digest()


@dataclass(slots=True)
class Parsed:
    """A poll's records by type, each type in order of partition and position."""

    events: list[Event] = field(default_factory=list)
    counters: list[Counter] = field(default_factory=list)
    conversions: list[Conversion] = field(default_factory=list)
    dead: list[DeadLetter] = field(default_factory=list)

    @property
    def arrivals(self) -> list[Arrival]:
        """All but the dead letters."""
        return [*self.events, *self.counters, *self.conversions]

    def add(self, later: "Parsed") -> None:
        self.events += later.events
        self.counters += later.counters
        self.conversions += later.conversions
        self.dead += later.dead
