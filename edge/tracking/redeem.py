"""
Turns a token's text into a stored event: verifies it, judges the event, then redeems it with others
of the same moment.
"""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Final

from common.ivt.judge import judge
from common.snapshot.model import Property
from common.snapshot.snapshot import Snapshot
from common.tracking.event import EventRecord
from common.tracking.token import (
    MAX_LEEWAY_S,
    TokenInvalid,
    TokenPayload,
    TokenUse,
    campaign_id_of,
    leeway_ms,
    parse_token,
    property_id_of,
    verify_tag,
)
from common.values.enums import EventKind, QualitySignal, Reason
from edge.context import EdgeContext
from edge.ports import token_key_of
from edge.request.device import device_of
from edge.state.redemptions import Attempt, OnDone, Redeemed
from edge.tracking.request_evidence import RequestEvidence, to_ivt_input, to_stored_facts

_CLAIM_MARGIN_S = 2 * MAX_LEEWAY_S
"""Claims outlive their tokens, so that the last valid replay is still recognised."""
_COUNTED: Final = frozenset(EventKind)
"""Kinds that money and goals depend on; all others are measurement only."""
_MAX_CLAIMED_S = 86_400
"""
Limit for tokens of mails. Claims only save work, and claims of a month would fill the store. Ingest
counts once anyway.
"""


@dataclass(slots=True, init=False)
class Verified:
    """A token of ours with a valid tag for its use. It may have expired."""

    payload: TokenPayload
    campaign_id: str
    property: Property
    door: TokenUse
    expired: bool

    def __init__(
        self,
        payload: TokenPayload,
        campaign_id: str,
        prop: Property,
        door: TokenUse,
        *,
        expired: bool,
    ) -> None:
        self.payload = payload
        self.campaign_id = campaign_id
        self.property = prop
        self.door = door
        self.expired = expired


@dataclass(slots=True)
class Conversion:
    """Optional data of a conversion."""

    value_cents: int | None = None
    currency: str | None = None
    order_id: str | None = None


NO_CONVERSION = Conversion()


def verify(
    edge: EdgeContext, snapshot: Snapshot, text: str, door: TokenUse, now_ms: int
) -> Verified:
    """
    Raises `TokenInvalid` for a token that is not ours, of another environment, for another use, or
    from the future.
    """
    try:
        payload, campaign_id, prop = _authentic(edge, snapshot, text, door)
        _check_meant_for(edge, payload, now_ms)
    except TokenInvalid:
        edge.redeeming.counts.refused += 1
        raise
    expired = now_ms > payload.expires_ms(door)
    edge.redeeming.counts.expired += expired
    return Verified(payload, campaign_id, prop, door, expired=expired)


async def redeem(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    shown: RequestEvidence,
    now_ms: int,
    *,
    conversion: Conversion = NO_CONVERSION,
    reason: Reason | None = None,
) -> Redeemed:
    """
    Stores the event unless this token and kind was redeemed before. The token must not have expired. *reason*: as in
    `begin`.

    Raises `SpoolFull`: nothing was stored, and the same call may succeed later. Without the token store it stores the
    event without a lookup; ingest stores it once.
    """
    answer: asyncio.Future[Redeemed] = asyncio.get_running_loop().create_future()
    done = partial(settle, answer)
    begin(edge, token, kind, shown, now_ms, conversion=conversion, done=done, reason=reason)
    return await answer


def begin(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    shown: RequestEvidence,
    now_ms: int,
    *,
    conversion: Conversion,
    done: OnDone,
    reason: Reason | None = None,
) -> None:
    """
    Redeems without waiting; *done* is called with the result. *reason*: overrides the verdict, if a rate was exceeded
    or a test scenario requests it. A quality signal of a user who may not be measured is dropped, with the same
    response as a stored one.
    """
    if not token.payload.is_measured and kind not in _COUNTED:
        done(Redeemed.COUNTED)
        return
    record = record_of(edge, token, kind, shown, now_ms, conversion=conversion)
    if reason is not None:
        record.reason = reason
        if record.is_test:
            record.live_reason = reason
    turn = token_key_of(record.token_id, kind.value)
    verdict = record.reason
    own = turn if verdict.valid else f"{turn}:{verdict.value}"
    payload = token.payload
    life_s = payload.click_life_s if kind is EventKind.CLICK else payload.life_s
    claimed_s = min(life_s, _MAX_CLAIMED_S) + _CLAIM_MARGIN_S
    edge.redeeming.begin(Attempt(record, payload, turn, (own, claimed_s), done))


def settle(answer: "asyncio.Future[Redeemed]", result: Redeemed | Exception) -> None:
    """Passes *result* to the awaiter of *answer*."""
    if answer.done():  # its caller disconnected
        return
    if isinstance(result, Exception):
        answer.set_exception(result)
    else:
        answer.set_result(result)


def _authentic(
    edge: EdgeContext, snapshot: Snapshot, text: str, door: TokenUse
) -> tuple[TokenPayload, str, Property]:
    payload, raw, tag = parse_token(text)
    prop = snapshot.properties.get(property_id_of(raw))
    secret = None if prop is None else edge.secrets.find(prop, payload.kid)
    if prop is None or secret is None or not verify_tag(raw, tag, door, secret):
        raise TokenInvalid("no property's secret signed this for this door")
    return payload, campaign_id_of(raw), prop


def _check_meant_for(edge: EdgeContext, payload: TokenPayload, now_ms: int) -> None:
    if payload.is_test is not edge.environment.is_test:
        raise TokenInvalid("of the other environment")
    if payload.issued_ms > now_ms + leeway_ms(payload.life_s):
        raise TokenInvalid("issued in the future")


def record_of(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    shown: RequestEvidence,
    now_ms: int,
    *,
    conversion: Conversion,
) -> EventRecord:
    """
    The event as it is stored, with its verdict. It holds nothing personal; for a user who may not be measured, not even
    a masked person.
    """
    payload, prop = token.payload, token.property
    snapshot = edge.snapshots.current()
    campaign = snapshot.campaigns.get(token.campaign_id)
    showing = to_ivt_input(shown, payload, kind, now_ms, campaign)
    lists = edge.lists.current
    verdict = judge(showing, prop, lists)
    person = edge.capping.revealed(payload) if payload.is_measured else None
    if not payload.is_measured:
        conversion = NO_CONVERSION
    # In the order of the fields: keyword arguments cost a microsecond a call.
    return EventRecord(
        kind,
        payload.token_id,
        payload.issued_ms,
        now_ms,
        payload.property_id,
        payload.slot_id,
        payload.ad_id,
        payload.campaign_id,
        payload.is_test,
        payload.consent_limited,
        payload.preview,
        payload.source,
        payload.surface,
        payload.format,
        payload.pricing_model,
        payload.price_micros,
        payload.snapshot_version,
        to_stored_facts(shown, showing, prop.id, edge.salts.of_day(now_ms)),
        verdict.reason,
        verdict.version,
        conversion.value_cents,
        conversion.currency,
        conversion.order_id,
        _country(edge, shown),
        _device(shown),
        None if person is None else person.hex(),
        verdict.signs,
        lists.version or None,
        verdict.live_reason,
    )


def _country(edge: EdgeContext, shown: RequestEvidence) -> str | None:
    """The country of the user; None for a server, because its address is not its user's."""
    return None if shown.server_caller else edge.geo.find(shown.ip).country


def _device(shown: RequestEvidence) -> str | None:
    if shown.server_caller or shown.user_agent is None:
        return None
    return device_of(shown.user_agent).type
