"""Issues the tokens of a fill without I/O: one MAC covers track, impression and click."""

from typing import Final, final
from uuid import UUID

from common.decision.rules.ad_limits import duration_ms
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Fill
from common.snapshot.model import Property
from common.snapshot.snapshot import Snapshot
from common.tracking.token import (
    NOT_MEASURED,
    TokenPayload,
    TokenTemplate,
    TokenTexts,
    token_template,
)
from common.values.enums import Format, PropertyKind, QualitySignal, Source
from edge.context import EdgeContext

CLICK_LIFE_S: Final = 4 * 3600
"""Shortest time in which a click counts; a longer token life replaces it."""
MAIL_LIFE_S: Final = 30 * 86_400
"""Mail may be read weeks later. No token lives longer: ingest and retired secrets rely on it."""
AUDIO_LIFE_S: Final = 86_400
"""A downloaded recording is played later."""
UNBILLED_SOURCES: Final = frozenset({Source.PREVIEW, Source.HOUSE})
"""Sources whose tokens carry no price."""
_NO_ID: Final = UUID(int=0)
_IMPRESSION_PATH: Final = "/v1/impression/"
_CLICK_PATH: Final = "/v1/click/"


@final
class Issued:
    """The tokens of one fill, and their URLs at the edge. ``decision_id``: the token's id."""

    def __init__(self, decision_id: str, tokens: TokenTexts, edge_url: str) -> None:
        self.decision_id = decision_id
        self.tokens = tokens
        self.edge_url = edge_url

    @property
    def track_token(self) -> str:
        return self.tokens.track

    @property
    def impression_url(self) -> str:
        return f"{self.edge_url}{_IMPRESSION_PATH}{self.tokens.impression}.gif"

    @property
    def click_url(self) -> str:
        return f"{self.edge_url}{_CLICK_PATH}{self.tokens.click}"

    def signal_url(self, signal: QualitySignal) -> str:
        """The pixel that reports *signal*: the impression's token at another path (ADR 64)."""
        return self.impression_url.replace(_IMPRESSION_PATH, f"/v1/signal/{signal}/", 1)

    @property
    def click_pixel_url(self) -> str:
        """The pixel that reports a click whose destination opens elsewhere."""
        return self.click_url.replace(_CLICK_PATH, "/v1/signal/click/", 1) + ".gif"


@final
class ServedAd:
    """A committed ad, with its tokens."""

    def __init__(self, fill: Fill, issued: Issued) -> None:
        self.fill = fill
        self.issued = issued

    @property
    def duration_ms(self) -> int | None:
        """None where its length is unknown."""
        return duration_ms(self.fill.ad)


def issue(
    edge: EdgeContext,
    snapshot: Snapshot,
    fill: Fill,
    opportunity: Opportunity,
    now_ms: int,
    *,
    person: bytes | None = None,
) -> Issued:
    """
    *person*: the user of the events, for frequency caps and for conversions that name the user.

    Never waits. Raises `Unavailable` where the property's signing secret is unavailable.
    """
    token_id = edge.new_token_id(now_ms)
    template = token_template_for(edge, snapshot, fill, opportunity)
    if person is None:
        tokens = template.sign(token_id.bytes, now_ms)
    else:
        masked = edge.frequency_caps.masked(person, token_id.bytes)
        tokens = template.sign(token_id.bytes, now_ms, masked)
    return Issued(str(token_id), tokens, edge.settings.edge_url)


def token_life_s(prop: Property, ad_format: Format) -> int:
    """How long impression and track count: the property's setting, or longer for email and audio."""
    life_s = prop.token_ttl_seconds
    if ad_format is Format.EMAIL or prop.kind == PropertyKind.EMAIL:
        return max(life_s, MAIL_LIFE_S)
    if ad_format is Format.AUDIO or prop.kind == PropertyKind.AUDIO:
        return max(life_s, AUDIO_LIFE_S)
    return life_s


def token_template_for(
    edge: EdgeContext, snapshot: Snapshot, fill: Fill, opportunity: Opportunity
) -> TokenTemplate:
    """
    Cached across snapshots, because the same few ads go into the same few slots again and again.

    Raises `Unavailable` where the property's signing secret is unavailable.
    """
    key = (
        "token template",
        opportunity.slot.id,
        fill.ad.id,
        fill.source,
        opportunity.surface_of(fill.ad.format),
        opportunity.consent_limited,
        opportunity.measured,
    )
    cached: tuple[int, TokenTemplate] | None = snapshot.derived.get(key)
    if cached is not None and cached[0] == snapshot.version:
        return cached[1]
    if cached is None:
        template = _new_template(edge, snapshot.version, fill, opportunity)
    else:
        template = cached[1].at_version(snapshot.version)
    about = (opportunity.property.id, opportunity.slot.id, fill.campaign.id, fill.ad.id)
    snapshot.derived.put(key, (snapshot.version, template), about)
    return template


def _new_template(
    edge: EdgeContext, snapshot_version: int, fill: Fill, opportunity: Opportunity
) -> TokenTemplate:
    prop = opportunity.property
    kid, secret = edge.secrets.signing(prop)
    ttl_s = token_life_s(prop, fill.ad.format)
    payload = TokenPayload(
        is_test=opportunity.environment.is_test,
        consent_limited=opportunity.consent_limited,
        preview=fill.source is Source.PREVIEW,
        surface=opportunity.surface_of(fill.ad.format),
        source=fill.source,
        pricing_model=fill.campaign.pricing_model,
        format=fill.ad.format,
        kid=kid,
        issued_ms=0,
        life_s=ttl_s,
        click_life_s=max(CLICK_LIFE_S, ttl_s),
        token_id=_NO_ID,
        property_id=UUID(prop.id),
        slot_id=UUID(opportunity.slot.id),
        ad_id=UUID(fill.ad.id),
        campaign_id=UUID(fill.campaign.id),
        price_micros=0 if fill.source in UNBILLED_SOURCES else fill.price_micros,
        snapshot_version=snapshot_version,
        marks=0 if opportunity.measured else NOT_MEASURED,
    )
    return token_template(payload, secret)
