"""
Event records between redemption and ingest, and the derivation of event ids from facts.

Event ids are UUIDv8: time of the serve, then a hash. The id of a valid event is derived from (token, kind), that of an
invalid one also from its record. So each token and kind has at most one valid event, whatever arrives first, and
invalid ones exist beside it. A record is identified by its writer and number: sent twice, it is stored once.
"""

import uuid
from dataclasses import dataclass, field
from typing import Self

from common.decision.record import DecisionRecord
from common.values.enums import (
    ConversionChannel,
    EventKind,
    Format,
    PricingModel,
    QualitySignal,
    Reason,
    Source,
    Surface,
)
from common.values.ids import derived_bytes, framed

NOTHING_FOLLOWS_MS = 4_102_444_799_999
"""The last millisecond of 2099: the watermark of a writer's last record, because no event follows it."""
MAX_INVALID = 3
"""Invalid events kept for each token and kind."""
_VALID, _INVALID, _PLACE = framed(b"evt/v1"), framed(b"inv/v1"), framed(b"inp/v1")
_TOKEN_LENGTH = (16).to_bytes(4, "big")


@dataclass(frozen=True, slots=True)
class WriterId:
    """A spool's writer: one boot of one edge worker. ``edge`` is the machine, ``boot`` a UUID's 32 hex digits."""

    edge: str
    boot: str

    def __str__(self) -> str:
        return f"{self.edge}/{self.boot}"


@dataclass
class RequestFacts:
    """
    Facts of one request, without personal data: addresses truncated, the user agent as family and major version. It has
    no slots, as `EventRecord`.
    """

    ip_prefix: str | None
    """IPv4 /24 or IPv6 /56."""
    user_agent_family: str | None
    user_agent_major: str | None
    user_agent_pattern: str | None = field(default=None, kw_only=True)
    """The pattern of the robot lists that matched; None: none did, or the record is older than this field."""
    referrer_origin: str | None
    origin: str | None
    client_hash: str | None
    """Keyed by the day's salt; for windows at ingest, never shown. None: a server, which sends for many users."""
    prefetch: bool


@dataclass
class EventRecord:
    """
    One redeemed token, as the edge saw it. Times in epoch ms, money in micros or cents as named. It has no slots,
    because orjson writes an object's `__dict__` in half the time.
    """

    kind: EventKind | QualitySignal
    token_id: uuid.UUID
    issued_ms: int
    at_ms: int
    property_id: uuid.UUID
    slot_id: uuid.UUID
    ad_id: uuid.UUID
    campaign_id: uuid.UUID
    is_test: bool
    consent_limited: bool
    preview: bool
    source: Source
    surface: Surface
    format: Format
    pricing_model: PricingModel
    price_micros: int
    snapshot_version: int
    facts: RequestFacts
    reason: Reason
    """The edge's verdict from this request alone."""
    judge_version: int
    value_cents: int | None
    currency: str | None
    order_id: str | None
    country: str | None = None
    """Country of the request's address: ISO 3166-1 alpha-2, lower case."""
    device: str | None = None
    """A `DeviceType`, from the request's user agent."""
    person: str | None = None
    """The person who was served, as 16 hex digits of `common.privacy.person`; only with a consented ``uid``."""
    signs: int | None = None
    """The judge's findings, as bits of `common.ivt.ivt_flags`."""
    lists_version: str | None = None
    """Version of the lists that the judge used (`common.ivt.judge_lists`)."""
    live_reason: Reason | None = None
    """For a test event: the verdict on the same request in the live environment. None: a live event."""
    held_until_day: int | None = None
    """As `TokenPayload.held_until_day`. Not written where it is None: an older ingest refuses unknown fields."""

    def __post_init__(self) -> None:
        # Reading falls back on the class, which has None. Only what the object itself has is written.
        if self.held_until_day is None:
            del self.held_until_day


CounterRow = tuple[
    str,
    str,
    str | None,
    str | None,
    str,
    str | None,
    str | None,
    str | None,
    str | None,
    int,
]
"""
(property, slot, campaign or None, ad or None, outcome, country, device, surface, format, count); outcome is ``fill`` or
the no-fill reason. Without a fill, ``format`` is the requested one. None: not known.
"""


KeyRow = tuple[str, str, int]
"""(property, key, calls that its limits admitted)."""


ExceededRow = tuple[str, str, str, str, str, str, str, str, int]
"""
(property, slot, campaign, ad, kind, format, source, surface, count): events above the rate limit of their address,
which were not stored one by one. All of them are invalid: ``rate_exceeded``.
"""


CapRow = tuple[str, int, int]
"""(property, look-ups of frequency caps, look-ups without an answer)."""


@dataclass(frozen=True, slots=True)
class CounterRecord:
    """
    One worker's decisions in one second, and its watermark:
    every event up to ``through_ms`` comes before this record.
    """

    at_ms: int
    through_ms: int
    is_test: bool
    rows: tuple[CounterRow, ...]
    appended: tuple[tuple[int, int], ...] = ()
    """
    Included now and then: (hour since the epoch, records with an instant in that hour that
    the writer appended so far).
    """
    shipped: int = 0
    """Included with ``appended``: the highest sequence that the event log has durably stored."""
    keys: tuple[KeyRow, ...] = ()
    """Uses of keys since the previous record."""
    exceeded: tuple[ExceededRow, ...] = ()
    caps: tuple[CapRow, ...] = ()
    """Look-ups of frequency caps since the previous record."""


@dataclass(slots=True)
class ConversionRecord:
    """
    A conversion that came without a track token; ingest finds its ad (`common.tracking.attribution`).

    ``property_id``: the key's; None for a pixel, which has the property of its click. Exactly one of ``click_id`` and
    ``person`` (16 hex digits) is set.
    """

    conversion_id: uuid.UUID
    """See `common.tracking.conversion`: the same facts give the same conversion."""
    door: ConversionChannel
    at_ms: int
    """When the edge received it."""
    occurred_ms: int
    is_test: bool
    property_id: uuid.UUID | None
    click_id: uuid.UUID | None
    person: str | None
    event_name: str
    value_cents: int | None
    currency: str | None
    order_id: str | None
    facts: RequestFacts
    reason: Reason
    """The edge's verdict from this request alone."""
    judge_version: int
    live_reason: Reason | None = None
    """As in `EventRecord`."""


RecordBody = EventRecord | CounterRecord | ConversionRecord | DecisionRecord
"""Decisions have a log of their own, and so do the counters that close gaps between them."""


@dataclass(slots=True)
class LogRecord:
    """One frame of the spool and one message of the event log: writer, number, content."""

    writer: WriterId
    sequence: int
    """1, 2, 3 … within the writer, without gaps."""
    partition_key: bytes
    """The same for all records of one client."""
    body: RecordBody


@dataclass(frozen=True, slots=True)
class WriterKeys:
    """The prefix from which the ids of one writer's invalid events are derived."""

    start: bytes

    @classmethod
    def of(cls, writer: WriterId) -> Self:
        return cls(framed(b"rec/v1", str(writer).encode()))

    def key(self, sequence: int) -> bytes:
        """Returns the 16-byte key of one record."""
        return derived_bytes(0, self.start + framed(b"%d" % sequence))


@dataclass(frozen=True, slots=True)
class TokenKeys:
    """The prefixes from which event ids of one property and one kind are derived, apart from the token."""

    start: bytes
    end: bytes
    valid_start: bytes
    """The facts of a valid event up to the token."""

    @classmethod
    def of(cls, record: EventRecord) -> Self:
        environment = b"test" if record.is_test else b"live"
        start = framed(record.property_id.bytes, environment)
        return cls(start, framed(record.kind.encode()), _VALID + start + _TOKEN_LENGTH)

    def valid(self, issued_ms: int, token_id: bytes) -> bytes:
        """Returns 16 bytes: the id of the valid event of (token, kind), and the key that rejects a second one."""
        return derived_bytes(issued_ms, b"".join((self.valid_start, token_id, self.end)))

    def invalid(self, issued_ms: int, token_id: bytes, record: bytes) -> bytes:
        """Returns 16 bytes: the id of an invalid event, from the key of its record."""
        return derived_bytes(issued_ms, _INVALID + self._facts(token_id) + framed(record))

    def place(self, token_id: bytes, place: int) -> bytes:
        """
        Returns 16 bytes for *place* 0 … `MAX_INVALID` - 1; when all places are taken, a further invalid event is
        dropped.
        """
        return derived_bytes(0, _PLACE + self._facts(token_id) + framed(b"%d" % place))

    def _facts(self, token_id: bytes) -> bytes:
        return b"".join((self.start, _TOKEN_LENGTH, token_id, self.end))
