"""A fill's tokens: made without asking or storing anything, one MAC for the three doors."""

import uuid
from dataclasses import dataclass
from functools import lru_cache

from uuid_utils.compat import uuid7

from common.decision.opportunity import Opportunity
from common.decision.outcome import Fill
from common.tracking.token import TokenPayload, sign_token
from common.vocabulary import Source
from edge.context import EdgeContext

CLICK_LIFE_S = 4 * 3600
"""The least time in which a click counts; a property whose tokens live longer has that instead."""
_UNBILLED = frozenset({Source.PREVIEW, Source.HOUSE})


_uuid = lru_cache(maxsize=200_000)(uuid.UUID)
"""The same few objects are served again and again; parsing their ids took half of issuing."""


@dataclass(slots=True)
class Issued:
    """``decision_id`` is the token's id. ``ttl_seconds``: how long impression and track count."""

    decision_id: str
    track_token: str
    impression_url: str
    click_url: str
    ttl_seconds: int


def issue(
    edge: EdgeContext,
    fill: Fill,
    opportunity: Opportunity,
    snapshot_version: int,
    now_ms: int,
) -> Issued:
    """Never waits. Raises `Unavailable` where the property's signing secret cannot be had."""
    prop = opportunity.property
    kid, secret = edge.secrets.signing(prop)
    token_id = uuid7(nanoseconds=now_ms * 1_000_000)
    ttl_s = prop.token_ttl_seconds
    payload = TokenPayload(
        is_test=opportunity.environment.is_test,
        consent_limited=opportunity.consent_limited,
        preview=fill.source is Source.PREVIEW,
        surface=opportunity.surface,
        source=fill.source,
        pricing_model=fill.campaign.pricing_model,
        format=fill.ad.format,
        kid=kid,
        issued_ms=now_ms,
        life_s=ttl_s,
        click_life_s=max(CLICK_LIFE_S, ttl_s),
        token_id=token_id,
        property_id=_uuid(prop.id),
        slot_id=_uuid(opportunity.slot.id),
        ad_id=_uuid(fill.ad.id),
        campaign_id=_uuid(fill.campaign.id),
        price_micros=0 if fill.source in _UNBILLED else fill.price_micros,
        snapshot_version=snapshot_version,
        client_hash=0,
    )
    tokens = sign_token(payload, secret)
    base = edge.settings.edge_url.rstrip("/")
    return Issued(
        str(token_id),
        tokens.track,
        f"{base}/v1/impression/{tokens.impression}.gif",
        f"{base}/v1/click/{tokens.click}",
        ttl_s,
    )
