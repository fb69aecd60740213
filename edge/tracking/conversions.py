"""Turns a reported conversion into a stored record: its id, its person or click, and its verdict."""

import uuid

from common.ivt.judge import IvtInput, Verdict, judge
from common.privacy.anonymize import find_address
from common.snapshot.defaults import default_property
from common.snapshot.model import Property
from common.tracking.conversion import (
    ConversionReport,
    call_conversion_id,
    click_conversion_id,
    order_conversion_id,
    repeated_conversion_id,
)
from common.tracking.event import ConversionRecord
from common.values.enums import ConversionChannel, EventKind, Surface
from edge.admission.keys import Admission
from edge.context import EdgeContext
from edge.spool.spool import SpoolFull
from edge.state.click_ids import ClickId
from edge.tracking.conversion_body import ConversionBody
from edge.tracking.redeem import Conversion, RequestEvidence, to_stored_facts

_NO_PROPERTY = default_property("", "", domain=None)
"""A pixel is on the advertiser's page, so no publisher's origins or networks apply."""


async def record_server_conversion(
    edge: EdgeContext,
    admission: Admission,
    body: ConversionBody,
    evidence: RequestEvidence,
    now_ms: int,
) -> uuid.UUID:
    """Returns the conversion's id once it is on disk. Raises `SpoolFull`. The uid is not stored."""
    prop = admission.property
    verdict = _judge(edge, evidence, prop, now_ms)
    person = None if body.uid is None else edge.frequency_caps.person(prop.id, body.uid)
    whose = body.click_id.bytes if body.click_id is not None else person or b""
    property_id = uuid.UUID(prop.id)
    report = ConversionReport(
        *(edge.environment.is_test, property_id, body.click_id, whose),
        *(body.event_name, verdict.reason),
    )
    record = ConversionRecord(
        conversion_id=_id_of(edge, report, body, now_ms),
        door=ConversionChannel.SECRET_KEY,
        at_ms=now_ms,
        occurred_ms=body.occurred_ms,
        is_test=edge.environment.is_test,
        property_id=property_id,
        click_id=body.click_id,
        person=None if person is None else person.hex(),
        event_name=body.event_name,
        value_cents=body.conversion.value_cents,
        currency=_currency(body.conversion, prop),
        order_id=body.conversion.order_id,
        facts=to_stored_facts(evidence, prop.id, edge.salts.of_day(now_ms)),
        reason=verdict.reason,
        judge_version=verdict.version,
        live_reason=verdict.live_reason,
    )
    await edge.spool.append(record, whose)
    edge.redemptions.counts.counted += 1
    return record.conversion_id


async def record_pixel_conversion(
    edge: EdgeContext,
    click: ClickId,
    evidence: RequestEvidence,
    now_ms: int,
    *,
    event_name: str,
    conversion: Conversion,
) -> None:
    """Stores a pixel's conversion. If the spool is full it is lost, and counted: a browser cannot send it again."""
    click_id = click.id
    verdict = _judge(edge, evidence, _NO_PROPERTY, now_ms)
    # A click id without a tag may be forged, so its conversion must not have the id of the signed one's.
    whose = click_id.bytes if click.is_signed else click_id.bytes + b"/unsigned"
    report = ConversionReport(
        edge.environment.is_test, None, click_id, whose, event_name, verdict.reason
    )
    order_id = conversion.order_id
    record = ConversionRecord(
        conversion_id=click_conversion_id(report)
        if order_id is None
        else order_conversion_id(report, order_id),
        door=ConversionChannel.PIXEL if click.is_signed else ConversionChannel.PIXEL_UNSIGNED,
        at_ms=now_ms,
        occurred_ms=now_ms,
        is_test=edge.environment.is_test,
        property_id=None,
        click_id=click_id,
        person=None,
        event_name=event_name,
        value_cents=conversion.value_cents,
        currency=conversion.currency,
        order_id=order_id,
        facts=to_stored_facts(evidence, str(click_id), edge.salts.of_day(now_ms)),
        reason=verdict.reason,
        judge_version=verdict.version,
        live_reason=verdict.live_reason,
    )
    try:
        await edge.spool.append(record, click_id.bytes)
    except SpoolFull:
        edge.redemptions.counts.lost_spool_full += 1
    else:
        edge.redemptions.counts.counted += 1
        edge.redemptions.counts.invalid += not verdict.valid


def _id_of(
    edge: EdgeContext, report: ConversionReport, body: ConversionBody, now_ms: int
) -> uuid.UUID:
    if body.conversion.order_id is not None:
        return order_conversion_id(report, body.conversion.order_id)
    if body.idempotency_key is not None:
        return repeated_conversion_id(report, body.idempotency_key)
    return call_conversion_id(report, uuid.UUID(bytes=edge.new_token_id(now_ms).bytes))


def _currency(conversion: Conversion, prop: Property) -> str | None:
    """The property's currency if a value comes without one."""
    return conversion.currency or (None if conversion.value_cents is None else prop.currency)


def _judge(edge: EdgeContext, evidence: RequestEvidence, prop: Property, now_ms: int) -> Verdict:
    """Without a token, the ad's age and place are unknown, so the rules about them do not apply."""
    ivt_input = IvtInput(
        address=None if evidence.ip is None else find_address(evidence.ip),
        user_agent=evidence.user_agent,
        origin=None,
        prefetch=evidence.prefetch,
        server_caller=evidence.server_caller,
        is_test=edge.environment.is_test,
        consent_limited=False,
        surface=Surface.SERVER if evidence.server_caller else Surface.WEB,
        issued_ms=now_ms,
        at_ms=now_ms,
        kind=EventKind.CONVERSION,
    )
    return judge(ivt_input, prop, edge.lists.current)
