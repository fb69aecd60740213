"""
From a token's text to a kept event: verify, look whether it was redeemed, judge, keep, then claim.

Never claimed before it is durable: a crash between the two would answer the retry with 204 and lose the event.
"""

from dataclasses import dataclass
from enum import StrEnum

from common.ivt.judge import judge
from common.snapshot.model import Property
from common.snapshot.snapshot import Snapshot
from common.tracking.event import EventRecord
from common.tracking.token import (
    MAX_LEEWAY_S,
    Door,
    TokenInvalid,
    TokenPayload,
    leeway_ms,
    parse_token,
    verify_tag,
)
from common.vocabulary import EventKind, QualitySignal
from edge.context import EdgeContext
from edge.events.spool import SpoolFull
from edge.ports import TokenStoreUnavailable
from edge.tracking.redeeming import Turn
from edge.tracking.showing import Shown, facts_of, showing_of

_CLAIM_MARGIN_S = 2 * MAX_LEEWAY_S
"""Claims outlive their tokens, so that the last replay in time is still seen as one."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A token of ours, whose tag holds at the door it was shown. It may have expired."""

    payload: TokenPayload
    property: Property
    door: Door
    expired: bool


class Redeemed(StrEnum):
    COUNTED = "counted"
    """Kept now, whatever the judge said of it."""
    DUPLICATE = "duplicate"
    """Redeemed before: not kept again."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion may bring along."""

    value_cents: int | None = None
    currency: str | None = None
    order_id: str | None = None


_NOTHING = Conversion()


def verify(edge: EdgeContext, snapshot: Snapshot, text: str, door: Door, now_ms: int) -> Verified:
    """Raises `TokenInvalid` for what is not ours, of another environment, of another door, or from the future."""
    try:
        payload, prop = _authentic(edge, snapshot, text, door)
        _check_meant_for(edge, payload, now_ms)
    except TokenInvalid:
        edge.redeeming.counts.refused += 1
        raise
    expired = now_ms > payload.expires_ms(door)
    edge.redeeming.counts.expired += expired
    return Verified(payload, prop, door, expired)


async def redeem(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    shown: Shown,
    now_ms: int,
    *,
    conversion: Conversion = _NOTHING,
) -> Redeemed:
    """
    Keeps the event unless this token and kind was redeemed before. The token must not have expired.

    Raises `SpoolFull`: nothing was kept, and the same call may succeed later. Without the token store it keeps
    the event without looking; ingest stores it once.
    """
    turn: Turn = (token.payload.token_id, kind.value)
    if not await edge.redeeming.take(turn):
        edge.redeeming.counts.duplicate += 1
        return Redeemed.DUPLICATE
    claimed = False
    try:
        if await _seen(edge, turn):
            claimed = True
            edge.redeeming.counts.duplicate += 1
            return Redeemed.DUPLICATE
        record = _record(edge, token, kind, shown, now_ms, conversion=conversion)
        if not record.reason.valid:
            return await _redeem_invalid(edge, token, record)
        await _keep(edge, record)
        claimed = True
        if isinstance(kind, EventKind):
            edge.capping.count(edge.snapshots.current(), token.payload, kind, now_ms)
        await _claim(edge, turn, token)
    finally:
        edge.redeeming.finish(turn, claimed=claimed)
    return Redeemed.COUNTED


async def _redeem_invalid(edge: EdgeContext, token: Verified, record: EventRecord) -> Redeemed:
    """
    An invalid event never uses up its token: it is claimed under its reason, so that a robot that keeps coming
    is kept once a reason and a valid event of the same token is still to come.
    """
    turn: Turn = (record.token_id, f"{record.kind}:{record.reason}")
    if await _seen(edge, turn):
        edge.redeeming.counts.duplicate += 1
        return Redeemed.DUPLICATE
    await _keep(edge, record)
    await _claim(edge, turn, token)
    return Redeemed.COUNTED


def _authentic(
    edge: EdgeContext, snapshot: Snapshot, text: str, door: Door
) -> tuple[TokenPayload, Property]:
    payload, raw, tag = parse_token(text)
    prop = snapshot.properties.get(str(payload.property_id))
    secret = None if prop is None else edge.secrets.find(prop, payload.kid)
    if prop is None or secret is None or not verify_tag(raw, tag, door, secret):
        raise TokenInvalid("no property's secret signed this for this door")
    return payload, prop


def _check_meant_for(edge: EdgeContext, payload: TokenPayload, now_ms: int) -> None:
    if payload.is_test is not edge.environment.is_test:
        raise TokenInvalid("of the other environment")
    if payload.issued_ms > now_ms + leeway_ms(payload.life_s):
        raise TokenInvalid("issued in the future")


async def _seen(edge: EdgeContext, turn: Turn) -> bool:
    try:
        return await edge.tokens.seen(*turn)
    except TokenStoreUnavailable:
        edge.redeeming.counts.store_skipped += 1
        return False


async def _keep(edge: EdgeContext, record: EventRecord) -> None:
    client = record.facts.client_hash
    partition_key = record.token_id.bytes if client is None else bytes.fromhex(client)
    try:
        await edge.spool.append(record, partition_key)
    except SpoolFull:
        edge.redeeming.counts.lost_spool_full += 1
        raise
    edge.redeeming.counts.counted += 1
    edge.redeeming.counts.invalid += not record.reason.valid


async def _claim(edge: EdgeContext, turn: Turn, token: Verified) -> None:
    is_click = turn[1].partition(":")[0] == EventKind.CLICK
    life_s = token.payload.click_life_s if is_click else token.payload.life_s
    try:
        await edge.tokens.claim(*turn, ttl_s=life_s + _CLAIM_MARGIN_S)
    except TokenStoreUnavailable:
        edge.redeeming.counts.store_skipped += 1


def _record(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    shown: Shown,
    now_ms: int,
    *,
    conversion: Conversion,
) -> EventRecord:
    payload, prop = token.payload, token.property
    showing = showing_of(shown, payload, now_ms)
    verdict = judge(showing, prop, edge.judge_lists)
    return EventRecord(
        kind=kind,
        token_id=payload.token_id,
        issued_ms=payload.issued_ms,
        at_ms=now_ms,
        property_id=payload.property_id,
        slot_id=payload.slot_id,
        ad_id=payload.ad_id,
        campaign_id=payload.campaign_id,
        is_test=payload.is_test,
        consent_limited=payload.consent_limited,
        preview=payload.preview,
        source=payload.source,
        surface=payload.surface,
        format=payload.format,
        pricing_model=payload.pricing_model,
        price_micros=payload.price_micros,
        snapshot_version=payload.snapshot_version,
        facts=facts_of(shown, showing, prop.id, edge.secrets.day_salt(now_ms)),
        reason=verdict.reason,
        judge_version=verdict.version,
        value_cents=conversion.value_cents,
        currency=conversion.currency,
        order_id=conversion.order_id,
    )
