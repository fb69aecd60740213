"""Builds `SharedFields` from the raw bytes of the fields that many events share, without a model."""

import re
from uuid import UUID

import orjson

from common.tracking.event import EventRecord, RequestFacts
from common.values.enums import (
    EventKind,
    Format,
    PricingModel,
    QualitySignal,
    Reason,
    Source,
    Surface,
)
from control.events.ingest.parsed_records import SharedFields
from control.events.ingest.record_validation import EARLIEST_MS, find_event_fault

_ID = '":"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","'
_IS, _WORD, _COUNT = '":(?:true|false),"', '":"[a-z_]+","', "(?:0|[1-9][0-9]{0,18})"
_WHOLE = re.compile(
    (
        f'"kind{_WORD}property_id{_ID}slot_id{_ID}ad_id{_ID}campaign_id{_ID}is_test{_IS}consent_limited{_IS}'
        f'preview{_IS}source{_WORD}surface{_WORD}format{_WORD}pricing_model{_WORD}price_micros":{_COUNT},'
        rf'"reason{_WORD}judge_version":{_COUNT},"signs":(?:null|{_COUNT}),"lists_version":(?:null|"[ !#-\[\]-~]*")'
        f'(?:,"live_reason":(?:null|"[a-z_]+"))?(?:,"held_until_day":{_COUNT})?'
    ).encode()
).fullmatch
"""Each field once and nothing else."""
_KINDS: dict[str, EventKind | QualitySignal] = {
    one.value: one for kinds in (EventKind, QualitySignal) for one in kinds
}
_NO_TOKEN = UUID(int=0)
_NO_FACTS = RequestFacts(None, None, None, None, None, None, prefetch=False)


def is_whole(shared: bytes) -> bool:
    """Whether *shared*, as `scan` returns it, has every field exactly once."""
    return _WHOLE(shared) is not None


def parse_shared_fields(shared: bytes) -> SharedFields | None:
    """Parses *shared*; returns None where the models must check it, because it is unusual or invalid."""
    if not is_whole(shared):
        return None
    values = orjson.loads(b"{%b}" % shared)
    live_reason = values.get("live_reason")
    try:
        record = EventRecord(
            kind=_KINDS[values["kind"]],
            token_id=_NO_TOKEN,
            issued_ms=EARLIEST_MS,
            at_ms=EARLIEST_MS,
            property_id=UUID(values["property_id"]),
            slot_id=UUID(values["slot_id"]),
            ad_id=UUID(values["ad_id"]),
            campaign_id=UUID(values["campaign_id"]),
            is_test=values["is_test"],
            consent_limited=values["consent_limited"],
            preview=values["preview"],
            source=Source(values["source"]),
            surface=Surface(values["surface"]),
            format=Format(values["format"]),
            pricing_model=PricingModel(values["pricing_model"]),
            price_micros=values["price_micros"],
            snapshot_version=0,
            facts=_NO_FACTS,
            reason=Reason(values["reason"]),
            judge_version=values["judge_version"],
            value_cents=None,
            currency=None,
            order_id=None,
            signs=values["signs"],
            lists_version=values["lists_version"],
            live_reason=None if live_reason is None else Reason(live_reason),
            held_until_day=values.get("held_until_day"),
        )
    except (KeyError, ValueError):
        return None
    return None if find_event_fault(record) else SharedFields.of(record)
