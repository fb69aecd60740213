"""
Turns an event of a verified token into a stored one: reduces the request's facts, judges the event, then redeems it
with others of the same moment.
"""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Final

from common.ivt.judge import IvtInput, judge
from common.privacy.anonymize import find_address, find_origin, find_prefix, hash_client
from common.tracking.event import EventRecord, RequestFacts
from common.tracking.token import MAX_LEEWAY_S
from common.user_agent.user_agent import parse_user_agent
from common.values.enums import EventKind, QualitySignal, Reason
from edge.context import EdgeContext
from edge.ports import token_key_of
from edge.request.call import Call, readable_agent
from edge.request.device import device_of
from edge.state.redemptions import Attempt, OnDone, Redeemed
from edge.tracking.track_token import Verified

_CLAIM_MARGIN_S = 2 * MAX_LEEWAY_S
"""Claims outlive their tokens, so that the last valid replay is still recognised."""
_COUNTED: Final = frozenset(EventKind)
"""Kinds that money and goals depend on; all others are measurement only."""
_MAX_CLAIMED_S = 86_400
"""
Limit for tokens of mails. Claims only save work, and claims of a month would fill the store. Ingest
counts once anyway.
"""


@dataclass(slots=True, init=False, repr=False)
class RequestEvidence:
    """
    One request's raw values: complete in memory for the judge, reduced by `to_stored_facts` for everything that is
    stored. It has no repr, so that they cannot end in a log. ``ip``: empty where a server named its user's agent and
    not the address. ``is_agent_unstated``: as in `IvtInput`.
    """

    ip: str
    user_agent: str | None
    origin: str | None
    referrer: str | None
    prefetch: bool
    server_caller: bool
    is_agent_unstated: bool = False

    def __init__(
        self,
        ip: str,
        user_agent: str | None,
        origin: str | None,
        referrer: str | None,
        *,
        prefetch: bool,
        server_caller: bool,
        is_agent_unstated: bool = False,
    ) -> None:
        self.ip = ip
        self.user_agent = user_agent
        self.origin = origin
        self.referrer = referrer
        self.prefetch = prefetch
        self.server_caller = server_caller
        self.is_agent_unstated = is_agent_unstated


@dataclass(slots=True)
class Conversion:
    """Optional data of a conversion."""

    value_cents: int | None = None
    currency: str | None = None
    order_id: str | None = None


NO_CONVERSION = Conversion()


def request_evidence(
    call: Call,
    *,
    ip: str,
    server_caller: bool,
    user_agent: str | None = None,
    reads_origin: bool = True,
    is_agent_unstated: bool = False,
) -> RequestEvidence:
    """
    *ip*: the client's address, as found behind the trusted proxies, or as sent by a trusted server; empty where it
    is unknown. *user_agent*: as sent by such a server; None: the header's, or none where *is_agent_unstated*.
    *reads_origin*: False where the page is not the property's.
    """
    headers, caller = call.headers, call.caller
    agent = None if is_agent_unstated else caller.agent
    return RequestEvidence(
        ip,
        readable_agent(user_agent) if user_agent else agent,
        headers.get("origin") if reads_origin else None,
        headers.get("referer"),
        prefetch=caller.prefetch,
        server_caller=server_caller,
        is_agent_unstated=is_agent_unstated,
    )


def to_stored_facts(evidence: RequestEvidence, property_id: str, salt: bytes) -> RequestFacts:
    """Facts for the record; they do not identify a person."""
    agent = None if evidence.user_agent is None else parse_user_agent(evidence.user_agent)
    return RequestFacts(
        ip_prefix=find_prefix(evidence.ip),
        user_agent_family=None if agent is None else agent.family,
        user_agent_major=None if agent is None else agent.major,
        user_agent_pattern=None if agent is None else agent.pattern,
        referrer_origin=find_origin(evidence.referrer),
        origin=find_origin(evidence.origin),
        # A server calls for many users: what it does in a minute is no evidence about one of them.
        client_hash=None
        if evidence.server_caller or not evidence.ip
        else hash_client(salt, property_id, evidence.ip, evidence.user_agent or ""),
        prefetch=evidence.prefetch,
    )


async def redeem(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    evidence: RequestEvidence,
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
    begin(edge, token, kind, evidence, now_ms, conversion=conversion, done=done, reason=reason)
    return await answer


def begin(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    evidence: RequestEvidence,
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
    record = record_of(edge, token, kind, evidence, now_ms, conversion=conversion)
    if reason is not None:
        record.reason = reason
        if record.is_test:
            record.live_reason = reason
    token_key = token_key_of(record.token_id, kind.value)
    verdict = record.reason
    own = token_key if verdict.valid else f"{token_key}:{verdict.value}"
    payload = token.payload
    life_s = payload.click_life_s if kind is EventKind.CLICK else payload.life_s
    claimed_s = min(life_s, _MAX_CLAIMED_S) + _CLAIM_MARGIN_S
    edge.redeeming.begin(Attempt(record, payload, token_key, (own, claimed_s), done))


def settle(answer: "asyncio.Future[Redeemed]", result: Redeemed | Exception) -> None:
    """Passes *result* to the awaiter of *answer*."""
    if answer.done():  # its caller disconnected
        return
    if isinstance(result, Exception):
        answer.set_exception(result)
    else:
        answer.set_result(result)


def record_of(
    edge: EdgeContext,
    token: Verified,
    kind: EventKind | QualitySignal,
    evidence: RequestEvidence,
    now_ms: int,
    *,
    conversion: Conversion,
) -> EventRecord:
    """
    The event as it is stored, with its verdict. It holds nothing personal; for a user who may not be measured, not even
    a masked person. A server's request has no country and no device: its own are not its user's.
    """
    payload, prop = token.payload, token.property
    facts = to_stored_facts(evidence, prop.id, edge.salts.of_day(now_ms))
    address = find_address(evidence.ip)
    campaign = edge.snapshots.current().campaigns.get(token.campaign_id)
    lists = edge.lists.current
    verdict = judge(
        IvtInput(
            address=address,
            user_agent=evidence.user_agent,
            origin=facts.origin,
            prefetch=evidence.prefetch,
            server_caller=evidence.server_caller,
            is_test=payload.is_test,
            consent_limited=payload.consent_limited,
            surface=payload.surface,
            issued_ms=payload.issued_ms,
            at_ms=now_ms,
            kind=kind,
            campaign_ends_ms=None if campaign is None else campaign.end_at_ms,
            is_agent_unstated=evidence.is_agent_unstated,
        ),
        prop,
        lists,
    )
    country: str | None = None
    device: str | None = None
    if not evidence.server_caller:
        country = edge.geo.find(evidence.ip).country if evidence.ip else None
        device = None if evidence.user_agent is None else device_of(evidence.user_agent).type
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
        facts,
        verdict.reason,
        verdict.version,
        conversion.value_cents,
        conversion.currency,
        conversion.order_id,
        country,
        device,
        None if person is None else person.hex(),
        verdict.signs,
        lists.version or None,
        verdict.live_reason,
        payload.held_until_day,
    )
