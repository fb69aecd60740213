"""Builds the event that the ledger and the tables take, from a conversion and its touch."""

from uuid import UUID

from common.tracking.event import EventRecord, RequestFacts, WriterKeys
from common.values.clock import to_ms
from common.values.enums import (
    Attribution,
    ConversionChannel,
    EventKind,
    Format,
    PricingModel,
    Reason,
    Source,
    Surface,
)
from control.events.attribution.pending_conversions import PendingConversion
from control.events.attribution.touches import TouchRow
from control.events.ingest.copy_encoding import NO_AGENT
from control.events.ingest.parsed_records import ConversionEvent, SharedFields, Writer

_NO_FACTS = RequestFacts(None, None, None, None, None, None, prefetch=False)
_NO_WRITER = Writer("", WriterKeys(b""))


def event_of(
    held: PendingConversion, touch: TouchRow, attribution: Attribution, reason: Reason
) -> ConversionEvent:
    """Dated at the conversion's time, with the serve of the touch, whose price and day determine the charge."""
    record = _record(held, touch, reason)
    return ConversionEvent(
        partition=0,
        position=0,
        raw=b"",
        writer=_NO_WRITER,
        sequence=0,
        shared_fields=SharedFields.of(record, attribution, held.event_name),
        token_id=record.token_id.bytes,
        issued_ms=record.issued_ms,
        at_ms=record.at_ms,
        snapshot_version=record.snapshot_version,
        client=None,
        network=None,
        agent=NO_AGENT,
        value_cents=held.value_cents,
        currency=held.currency,
        order_id=held.order_id,
        country=touch.country,
        device=touch.device,
        person=touch.person,
        judged=reason,
        judge_version=held.judge_version,
        valid=reason.valid,
        live_reason=held.live_reason,
        reason=reason,
        own_id=held.id.bytes,
        is_signed=held.door is not ConversionChannel.PIXEL_UNSIGNED,
    )


def _record(held: PendingConversion, touch: TouchRow, reason: Reason) -> EventRecord:
    return EventRecord(
        kind=EventKind.CONVERSION,
        token_id=UUID(bytes=touch.token_id.bytes),
        issued_ms=to_ms(touch.issued_at),
        at_ms=held.occurred_ms,
        property_id=touch.property_id,
        slot_id=touch.slot_id,
        ad_id=touch.ad_id,
        campaign_id=touch.campaign_id,
        is_test=held.is_test,
        consent_limited=False,
        preview=False,
        source=Source(touch.source),
        surface=Surface(touch.surface),
        format=Format(touch.format),
        pricing_model=PricingModel(touch.pricing_model),
        price_micros=0 if held.door is ConversionChannel.PIXEL_UNSIGNED else touch.price_micros,
        snapshot_version=touch.snapshot_version,
        facts=_NO_FACTS,
        reason=reason,
        judge_version=held.judge_version,
        value_cents=held.value_cents,
        currency=held.currency,
        order_id=held.order_id,
        live_reason=held.live_reason,
    )
