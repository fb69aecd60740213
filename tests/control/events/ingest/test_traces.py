"""Which stored records have a span, and what it says of them."""

import uuid
from dataclasses import replace

from common.service.tracing import FinishedSpan
from common.tracking.event import EventRecord, LogRecord
from common.values.enums import Reason
from common.values.trace_context import delivery_span, marked
from control.events.ingest.store import Store
from control.events.ingest.tracing import IngestTracing
from tests.control.events.ingest.world import Edge, World

SYSTEM, TOPIC = "kafka", "placard.events"


class Notes:
    """A tracer that keeps what is reported."""

    def __init__(self) -> None:
        self.spans: list[FinishedSpan] = []
        self.exported = 0
        self.dropped: dict[str, int] = {}

    def report(self, span: FinishedSpan) -> None:
        self.spans.append(span)

    def take(self, name: str) -> list[object]:
        """Values of an attribute of all spans since the last call."""
        values: list[object] = [span.attributes[name] for span in self.spans]
        self.spans.clear()
        return values


def traced_store(world: World) -> tuple[Store, Notes]:
    notes = Notes()
    tracing = IngestTracing(notes, system=SYSTEM, destination=TOPIC)
    store = Store(world.database, world.clock, world.flush, world.limits, tracing=tracing)
    return store, notes


def of_traced_delivery(record: LogRecord) -> LogRecord:
    assert isinstance(record.body, EventRecord)
    record.body.token_id = uuid.UUID(bytes=marked(record.body.token_id.bytes))
    return record


async def test_a_record_has_a_span_under_that_of_its_edge(world: World, edge: Edge) -> None:
    store, notes = traced_store(world)
    campaign = await world.add_campaign()
    record = of_traced_delivery(edge.event(campaign))
    await world.ingest([edge.event(campaign), record], store=store, partition=3)
    (span,) = notes.spans
    body = record.body
    assert isinstance(body, EventRecord)

    parent = delivery_span(body.token_id.bytes, body.kind.value, body.at_ms)
    assert (span.ref.trace_id, span.parent_id) == (body.token_id.int, parent.span_id)
    assert span.name == f"process {TOPIC}"
    assert span.start_ns <= span.end_ns
    about = dict(span.attributes)
    assert isinstance(about.pop("placard.delay_ms"), int)
    assert about == {
        "messaging.system": SYSTEM,
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": TOPIC,
        "messaging.destination.partition.id": "3",
        "messaging.kafka.offset": about["placard.position"],
        "placard.position": about["placard.position"],
        "placard.event": "impression",
        "placard.outcome": "stored",
        "placard.reason": "ok",
    }


async def test_the_outcome_is_stored_duplicate_or_invalid(world: World, edge: Edge) -> None:
    store, notes = traced_store(world)
    campaign = await world.add_campaign()
    record = of_traced_delivery(edge.event(campaign))
    await world.ingest([record], store=store)
    assert notes.take("placard.outcome") == ["stored"]

    await world.ingest([replace(record, sequence=record.sequence + 100)], store=store)
    assert notes.take("placard.outcome") == ["duplicate"]

    invalid = of_traced_delivery(edge.event(campaign, reason=Reason.BOT_USER_AGENT))
    await world.ingest([invalid], store=store)
    assert [span.attributes["placard.reason"] for span in notes.spans] == [
        Reason.BOT_USER_AGENT.value
    ]
    assert notes.take("placard.outcome") == ["invalid"]


async def test_a_store_without_traces_notes_none(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    stored = await world.ingest([of_traced_delivery(edge.event(campaign))])

    assert (stored.events, stored.traced) == (1, [])
