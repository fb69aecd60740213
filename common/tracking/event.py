"""
The event on its way from redeem to ingest, and how its identity follows from facts.

Identity (UUIDv8: time of the serve, then a hash): a valid event is derived from (token, kind), an invalid one also
from its record, so at most one valid event per token and kind can exist, whoever came first, and invalid ones stand
beside it. The record itself is told by its writer and number: sent twice, it is stored once.
"""

import uuid
from dataclasses import dataclass, field
from typing import Self

from common.decision.record import DecisionRecord
from common.values.enums import (
    ConversionDoor,
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
"""The last millisecond of 2099: the watermark of a writer's last record, for no event of it will ever follow."""
MAX_INVALID = 3
"""Invalid events kept per token and kind."""
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
    What one request showed, without personal data: addresses cut, user agent as family and major. Without slots, as
    `EventRecord`.
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
    """Keyed by the day's salt; for windows at ingest, never shown. None: a server, which speaks for many."""
    prefetch: bool


@dataclass
class EventRecord:
    """
    One redeemed token, as the edge saw it. Times in epoch ms, money in micros or cents as named. Without slots, for
    orjson writes an object's own dictionary in half the time.
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
    """The edge's verdict from what one request shows."""
    judge_version: int
    value_cents: int | None
    currency: str | None
    order_id: str | None
    country: str | None = None
    """Of the request's address: ISO 3166-1 alpha-2, lower case."""
    device: str | None = None
    """A `DeviceType`, by the request's user agent."""
    person: str | None = None
    """Whose serve it was, as 16 hex digits of `common.privacy.person`; only where it came with a consented ``uid``."""
    signs: int | None = None
    """What the judge found, as bits of `common.ivt.ivt_flags`."""
    lists_version: str | None = None
    """Of the lists it looked into (`common.ivt.judge_lists`)."""
    live_reason: Reason | None = None
    """Of a test event: the verdict on the same request in the live environment. None: a live event."""


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
the no-fill reason. Without a fill, ``format`` is the one that was asked for. None: not known.
"""


KeyRow = tuple[str, str, int]
"""(property, key, calls that its limits let through)."""


ExceededRow = tuple[str, str, str, str, str, str, str, str, int]
"""
(property, slot, campaign, ad, kind, format, source, surface, count): events beyond the rate of their address, that were
not stored one by one. All of them are invalid: ``rate_exceeded``.
"""


CapRow = tuple[str, int, int]
"""(property, look-ups of frequency caps, those of them without an answer)."""


@dataclass(frozen=True, slots=True)
class CounterRecord:
    """What one worker decided in one second, and its watermark: every event up to ``through_ms`` stands before it."""

    at_ms: int
    through_ms: int
    is_test: bool
    rows: tuple[CounterRow, ...]
    appended: tuple[tuple[int, int], ...] = ()
    """Now and then: (hour since the epoch, how many records with an instant in it the writer has appended so far)."""
    shipped: int = 0
    """Beside it: the highest sequence that the event log holds for good."""
    keys: tuple[KeyRow, ...] = ()
    """What keys were used for since the record before."""
    exceeded: tuple[ExceededRow, ...] = ()
    caps: tuple[CapRow, ...] = ()
    """Look-ups of frequency caps since the record before."""


@dataclass(slots=True)
class ConversionRecord:
    """
    A conversion that came without a track token; which ad it is for is found at ingest (`common.tracking.attribution`).

    ``property_id``: the key's; None of a pixel, which has the property of its click. Exactly one of ``click_id`` and
    ``person`` (16 hex digits) is there.
    """

    conversion_id: uuid.UUID
    """`common.tracking.conversion`: the same facts again are the same conversion."""
    door: ConversionDoor
    at_ms: int
    """When the edge heard of it."""
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
    """The edge's verdict from what one request shows."""
    judge_version: int
    live_reason: Reason | None = None
    """As in `EventRecord`."""


RecordBody = EventRecord | CounterRecord | ConversionRecord | DecisionRecord
"""Decisions travel by a log of their own, and so do the counters that close gaps among them."""


@dataclass(slots=True)
class LogRecord:
    """One frame of the spool and one message of the event log: who wrote it, which number, what."""

    writer: WriterId
    sequence: int
    """1, 2, 3 … within the writer, without gaps."""
    partition_key: bytes
    """Records of one client carry one key."""
    body: RecordBody


def valid_event_id(record: EventRecord) -> uuid.UUID:
    """Also the key that keeps the second valid event of a token and kind out."""
    return uuid.UUID(bytes=TokenKeys.of(record).valid(record.issued_ms, record.token_id.bytes))


@dataclass(frozen=True, slots=True)
class WriterKeys:
    """What ids of one writer's invalid events are derived from."""

    start: bytes

    @classmethod
    def of(cls, writer: WriterId) -> Self:
        return cls(framed(b"rec/v1", str(writer).encode()))

    def key(self, sequence: int) -> bytes:
        """16 bytes, of one record."""
        return derived_bytes(0, self.start + framed(b"%d" % sequence))


@dataclass(frozen=True, slots=True)
class TokenKeys:
    """What ids of one property's tokens and one kind of event are derived from, besides the token."""

    start: bytes
    end: bytes
    valid_start: bytes
    """Of a valid event's facts: all that stands before the token."""

    @classmethod
    def of(cls, record: EventRecord) -> Self:
        environment = b"test" if record.is_test else b"live"
        start = framed(record.property_id.bytes, environment)
        return cls(start, framed(record.kind.encode()), _VALID + start + _TOKEN_LENGTH)

    def valid(self, issued_ms: int, token_id: bytes) -> bytes:
        """16 bytes: id of the valid event of (token, kind), and the key that keeps a second one out."""
        return derived_bytes(issued_ms, b"".join((self.valid_start, token_id, self.end)))

    def invalid(self, issued_ms: int, token_id: bytes, record: bytes) -> bytes:
        """16 bytes: id of an invalid event, by the key of its record."""
        return derived_bytes(issued_ms, _INVALID + self._facts(token_id) + framed(record))

    def place(self, token_id: bytes, place: int) -> bytes:
        """16 bytes: *place* 0 … `MAX_INVALID` - 1; when all are taken, a further invalid event is dropped."""
        return derived_bytes(0, _PLACE + self._facts(token_id) + framed(b"%d" % place))

    def _facts(self, token_id: bytes) -> bytes:
        return b"".join((self.start, _TOKEN_LENGTH, token_id, self.end))
