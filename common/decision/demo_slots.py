"""
The two slots that every property has in test: one always fills, one never does.

They are not stored: their ids are derived from the property's id, so every edge and the control plane use the same
ones.
"""

import uuid

from common.decision.demo_media import DEMO_AUDIO, DEMO_VIDEO
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill, NoFill, NoFillReason
from common.snapshot.codec import canonical_json
from common.snapshot.defaults import default_banner, default_campaign, default_slot
from common.snapshot.model import Ad, Campaign, Property, Slot
from common.values.enums import Format, Priority, Source
from common.values.environment import Environment
from common.values.ids import derived_id

DEMO_ALWAYS_FILL = "demo-always-fill"
DEMO_NEVER_FILL = "demo-never-fill"
DEMO_KEYS = (DEMO_ALWAYS_FILL, DEMO_NEVER_FILL)

_FORMATS = tuple(Format)
_WIDTH, _HEIGHT = 300, 250
DEMO_PICTURE = (
    "data:image/svg+xml,%3Csvg%20xmlns=%27http://www.w3.org/2000/svg%27%20width=%27300%27%20height=%27250%27%3E"
    "%3Crect%20width=%27300%27%20height=%27250%27%20fill=%27%23eef%27/%3E%3Ctext%20x=%27150%27%20y=%27130%27%20"
    "text-anchor=%27middle%27%20font-family=%27sans-serif%27%20font-size=%2720%27%3ETest%20ad%3C/text%3E%3C/svg%3E"
)
_CONTENT: dict[Format, dict[str, object]] = {
    Format.BANNER: {
        "image_url": DEMO_PICTURE,
        "width": _WIDTH,
        "height": _HEIGHT,
        "alt": "Test ad",
    },
    Format.HTML: {"html": "<p>Test ad</p>", "width": _WIDTH, "height": _HEIGHT},
    Format.NATIVE: {
        "title": "Test ad",
        "body": "Your integration works.",
        "cta": "Read on",
        "sponsored_by": "Placard",
        "icon": None,
        "image": None,
    },
}
_CONTENT[Format.VIDEO] = {
    "media": [
        {
            "url": DEMO_VIDEO,
            "mime": "video/mp4",
            "width": 160,
            "height": 90,
            "bitrate_kbps": None,
            "duration_ms": 5_000,
        }
    ],
    "skip_offset_ms": None,
}
_CONTENT[Format.AUDIO] = {
    "media": [
        {"url": DEMO_AUDIO, "mime": "audio/mpeg", "bitrate_kbps": None, "duration_ms": 2_160}
    ],
    "companion": None,
}
_UNSIZED = frozenset({Format.NATIVE, Format.VIDEO, Format.AUDIO})
_CONTENT[Format.EMAIL] = _CONTENT[Format.BANNER] | {"text_fallback": "Test ad"}
_DESTINATION = "https://example.com/"


def find_demo_slot(prop: Property, key: str) -> Slot | None:
    """*key*: the value of ``?slot=``, the demo slot's key or id. Call it only in test."""
    for name in DEMO_KEYS:
        if key in (name, _id(prop, name)):
            return default_slot(_id(prop, name), prop.id, name, formats=_FORMATS)
    return None


def find_demo_ad(prop: Property, ad_id: str) -> Ad | None:
    """Returns the demo ad of that id on *prop*; its click leads to example.com."""
    for ad_format in _FORMATS:
        if _id(prop, f"ad-{ad_format}") == ad_id:
            return _demo_ad(prop, ad_format)
    return None


def is_demo_slot(prop: Property, slot: Slot) -> bool:
    return slot.key in DEMO_KEYS and slot.id == _id(prop, slot.key)


def decide_demo(opportunity: Opportunity) -> Decision:
    """
    Returns no fill, or a house ad of the requested format at no price. Where none is requested, it is a banner, or a
    video for outputs that carry no banners.
    """
    if opportunity.slot.key == DEMO_NEVER_FILL:
        return NoFill(NoFillReason.DEMO_NEVER_FILLS)
    limits = opportunity.limits
    carries_banners = limits is None or limits.formats is None or Format.BANNER in limits.formats
    ad_format = opportunity.format or (Format.BANNER if carries_banners else Format.VIDEO)
    prop = opportunity.property
    return Fill(_demo_campaign(prop), _demo_ad(prop, ad_format), Source.HOUSE, 0)


def _id(prop: Property, name: str) -> str:
    return str(derived_id(0, b"demo/v1", uuid.UUID(prop.id).bytes, name.encode()))


def _demo_campaign(prop: Property) -> Campaign:
    return default_campaign(
        _id(prop, "campaign"),
        prop.account_id,
        prop.id,
        0,
        environment=Environment.TEST,
        priority=Priority.HOUSE,
        timezone=prop.timezone,
    )


def _demo_ad(prop: Property, ad_format: Format) -> Ad:
    sized = ad_format not in _UNSIZED
    return default_banner(
        _id(prop, f"ad-{ad_format}"),
        _demo_campaign(prop),
        name=f"Test ad, {ad_format}",
        format=ad_format,
        width=_WIDTH if sized else None,
        height=_HEIGHT if sized else None,
        content=canonical_json(_CONTENT[ad_format]),
        click_url=_DESTINATION,
        advertiser_domain="example.com",
    )
