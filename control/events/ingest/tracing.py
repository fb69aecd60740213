"""Spans of stored events whose delivery is traced (ADR 111)."""

import secrets
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from common.service.channels import Channels
from common.service.tracing import AttributeValue, FinishedSpan, SpanKind, Tracer
from common.values.enums import EventKind
from common.values.trace_context import SpanRef, delivery_span, is_marked
from control.events.ingest.parsed_records import Conversion, Event
from control.foundation.settings import ControlSettings

STORED: Final = "stored"
INVALID: Final = "invalid"
"""Stored, and marked as invalid traffic."""
DUPLICATE: Final = "duplicate"
"""Not stored: the record, or an event of its token and kind, was stored before."""


@dataclass(frozen=True, slots=True)
class TracedRecord:
    """A record of a traced delivery, with its outcome. *reason*: its verdict."""

    decision_id: bytes
    kind: str
    at_ms: int
    partition: int
    position: int
    outcome: str
    reason: str


class IngestTracing:
    """*destination*: the topic of the event log, or what the names of its streams begin with."""

    def __init__(self, tracer: Tracer, *, system: str, destination: str) -> None:
        self._tracer = tracer
        self._system = system
        self._destination = destination

    @classmethod
    def of(cls, tracer: Tracer, settings: ControlSettings) -> "IngestTracing":
        channels = Channels(settings.namespace)
        if settings.kafka_bootstrap_servers:
            return cls(tracer, system="kafka", destination=channels.log_topic)
        streams = f"{channels.namespace}:{channels.log}"
        return cls(tracer, system="redis", destination=streams)

    def report(self, records: Iterable[TracedRecord], *, begun_ns: int) -> None:
        """*begun_ns*: when the transaction that has just ended began, in ns since the epoch."""
        now_ns = time.time_ns()
        for one in records:
            self._tracer.report(self._span(one, begun_ns, now_ns))

    def _span(self, one: TracedRecord, begun_ns: int, now_ns: int) -> FinishedSpan:
        parent = delivery_span(one.decision_id, one.kind, one.at_ms)
        attributes: dict[str, AttributeValue] = {
            "messaging.system": self._system,
            "messaging.operation.name": "process",
            "messaging.operation.type": "process",
            "messaging.destination.name": self._destination,
            "messaging.destination.partition.id": str(one.partition),
            "placard.position": one.position,
            "placard.event": one.kind,
            "placard.outcome": one.outcome,
            "placard.reason": one.reason,
            "placard.delay_ms": max(0, now_ns // 1_000_000 - one.at_ms),
        }
        if self._system == "kafka":
            attributes["messaging.kafka.offset"] = one.position
        return FinishedSpan(
            f"process {self._destination}",
            SpanKind.CONSUMER,
            SpanRef(parent.trace_id, secrets.randbits(64) or 1),
            parent.span_id,
            begun_ns,
            now_ns,
            attributes,
        )


def find_traced(
    events: Iterable[Event], conversions: Iterable[Conversion], taken: Collection[int]
) -> list[TracedRecord]:
    """*taken*: the Python ids of those that were stored."""
    found = [
        TracedRecord(
            one.token_id,
            one.shared_fields.kind.value,
            one.at_ms,
            one.partition,
            one.position,
            DUPLICATE if id(one) not in taken else STORED if one.valid else INVALID,
            one.reason.value,
        )
        for one in events
        if is_marked(one.token_id)
    ]
    for other in conversions:
        click = other.body.click_id
        if click is not None and is_marked(click.bytes):
            found.append(_traced_conversion(other, click.bytes, is_taken=id(other) in taken))
    return found


def _traced_conversion(one: Conversion, click: bytes, *, is_taken: bool) -> TracedRecord:
    reason = one.body.reason
    return TracedRecord(
        click,
        EventKind.CONVERSION.value,
        one.at_ms,
        one.partition,
        one.position,
        DUPLICATE if not is_taken else STORED if reason.valid else INVALID,
        reason.value,
    )
