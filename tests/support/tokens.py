"""Token payloads with good defaults, and the tokens they make."""

import uuid
from dataclasses import replace
from typing import Any

from common.snapshot.model import Ad
from common.tracking.token import TokenPayload, TokenTexts, TokenUse
from common.values.enums import Format, PricingModel, Source, Surface
from tests.support.builders import NOW_MS, PROPERTY_ID


def a_payload(**changes: Any) -> TokenPayload:
    """Issued at `NOW_MS`, in live, on the shared property, of ten minutes and four hours' life."""
    default = TokenPayload(
        is_test=False,
        consent_limited=False,
        preview=False,
        surface=Surface.WEB,
        source=Source.AUCTION,
        pricing_model=PricingModel.CPM,
        format=Format.BANNER,
        kid=1,
        issued_ms=NOW_MS,
        life_s=600,
        click_life_s=14_400,
        token_id=uuid.uuid4(),
        property_id=uuid.UUID(PROPERTY_ID),
        slot_id=uuid.uuid4(),
        ad_id=uuid.uuid4(),
        campaign_id=uuid.uuid4(),
        price_micros=1_000,
        snapshot_version=1,
        marks=0,
    )
    return replace(default, **changes)


def text_at(texts: TokenTexts, use: TokenUse) -> str:
    return {
        TokenUse.TRACK: texts.track,
        TokenUse.IMPRESSION: texts.impression,
        TokenUse.CLICK: texts.click,
    }[use]


def for_ad(ad: Ad) -> dict[str, uuid.UUID]:
    """The ids of a payload that was made for *ad*."""
    return {"ad_id": uuid.UUID(ad.id), "campaign_id": uuid.UUID(ad.campaign_id)}
