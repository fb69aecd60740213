"""
Renders ads as a VAST document, 4.2 or 3.0.

The elements stand in the order of the standard's schemas: version 4.2 sorts the elements of its base types before those
of the types that extend them, and `Linear` before `UniversalAdId`. Docstrings name the standards' sections by their
headings. An ad is rendered once, with marks for what differs from one response to the next.
"""

from collections.abc import Sequence
from hashlib import sha256
from mimetypes import guess_type
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from common.decision.rules.ad_limits import duration_ms
from common.service.version import VERSION
from common.snapshot.model import Ad, Property
from common.snapshot.snapshot import Snapshot
from common.tracking.token import TokenTexts
from common.values.enums import Format, QualitySignal
from edge.serving.render.issue_token import Issued, ServedAd, token_life_s
from edge.serving.render.verifications import verifications, verifications_extension
from edge.serving.render.xml import (
    XML_HEAD,
    MarkedText,
    as_bytes,
    attributes_of,
    cdata,
    clock,
    element,
    text_of,
)

VAST_3: Final = "3.0"
VAST_4: Final = "4.2"
_NAMESPACE: Final = "http://www.iab.com/VAST"
_CATEGORY_AUTHORITY: Final = "https://www.iabtechlab.com/categoryauthority"
_REGISTRY: Final = "placard"
"""``idRegistry`` of an ad that names no registered id."""
_VALID_MACRO: Final = "?code=%5BERRORCODE%5D#[ERRORCODE]"
_PLAIN_MACRO: Final = "?code=[ERRORCODE]"
"""
RFC 3986 allows no brackets in a query, so by default the macro stands there percent-encoded, and as the standard writes
it in the fragment. Players replace it only as the standard writes it, and send no fragment (ADR 77).
"""
_TRACKED: Final = (
    ("start", QualitySignal.START),
    ("firstQuartile", QualitySignal.FIRST_QUARTILE),
    ("midpoint", QualitySignal.MIDPOINT),
    ("thirdQuartile", QualitySignal.THIRD_QUARTILE),
    ("complete", QualitySignal.COMPLETE),
)
_BEGIN: Final = {
    VAST_4: f'{XML_HEAD}<VAST xmlns="{_NAMESPACE}" version="{VAST_4}">',
    VAST_3: f'{XML_HEAD}<VAST version="{VAST_3}">',
}
"""What a document of each version begins with."""
_DECISION, _IMPRESSION, _CLICK, _SEQUENCE, _MACRO = "\x00d", "\x00i", "\x00c", "\x00s", "\x00m"
_MARKS: Final = (_DECISION, _IMPRESSION, _CLICK, _SEQUENCE, _MACRO)
"""Marks in a rendered ad: decision id, tokens of impression and click, ``sequence`` attribute, macro of the error."""


def render_vast(
    snapshot: Snapshot,
    prop: Property,
    ads: Sequence[ServedAd],
    version: str = VAST_4,
    *,
    is_pod: bool = False,
    has_plain_macros: bool = False,
) -> bytes:
    """
    The document of *ads*, in the order in which they play. *is_pod*: each gets its ``sequence``, from 1 (VAST 4.2,
    "Ad Pods and Stand-Alone Ads"). *has_plain_macros*: the error's macro stands as players replace it, which some
    validators refuse. No ads give an empty document.
    """
    macro = _PLAIN_MACRO if has_plain_macros else _VALID_MACRO
    parts = [_BEGIN[version]]
    for number in range(len(ads)):
        ad = ads[number]
        issued = ad.issued
        _cached_ad(snapshot, prop, ad, version).append_to(
            parts,
            issued.decision_id,
            issued.tokens.impression,
            issued.tokens.click,
            f' sequence="{number + 1}"' if is_pod else "",
            macro,
        )
    parts.append("</VAST>")
    return as_bytes(parts)


def universal_ad_id(ad: Ad, content: dict[str, Any]) -> tuple[str, str]:
    """
    Registry and value of ``UniversalAdId``. Without a registered id the value changes with the media, because players
    and stream stitchers cache what they transcode under it.
    """
    given = content.get("universal_ad_id")
    if given:
        return given["registry"], given["value"]
    media = orjson.dumps([content.get("media"), content.get("mezzanine"), content.get("wrapper")])
    return _REGISTRY, f"{ad.id}-{sha256(media).hexdigest()[:8]}"


def _cached_ad(snapshot: Snapshot, prop: Property, served: ServedAd, version: str) -> MarkedText:
    ad = served.fill.ad
    key = ("vast", version, prop.id, ad.id)
    cached: MarkedText | None = snapshot.derived.get(key)
    if cached is None:
        marked = Issued(_DECISION, TokenTexts("", _IMPRESSION, _CLICK), served.issued.edge_url)
        cached = MarkedText(_ad(prop, ad, marked, version), _MARKS)
        snapshot.derived.put(key, cached, (prop.id, ad.id))
    return cached


def _ad(prop: Property, ad: Ad, marked: Issued, version: str) -> str:
    content: dict[str, Any] = orjson.loads(ad.content)
    wrapper = content.get("wrapper")
    if wrapper is not None:
        inside = _wrapper(ad, wrapper, content, marked, version)
    elif version == VAST_4:
        inside = _inline_4(prop, ad, content, marked)
    else:
        inside = _inline_3(ad, content, marked)
    kind = "audio" if ad.format is Format.AUDIO else "video"
    kinds = attributes_of(adType=kind) if version == VAST_4 else ""
    return f'<Ad id="{ad.id}"{_SEQUENCE}{kinds}>{inside}</Ad>'


def _inline_4(prop: Property, ad: Ad, content: dict[str, Any], marked: Issued) -> str:
    """VAST 4.2, "InLine"."""
    registry, value = universal_ad_id(ad, content)
    unique = element("UniversalAdId", text_of(value), idRegistry=registry)
    creatives = element("Creative", _linear_4(content, ad, marked) + unique, id=ad.id, sequence=1)
    companions = _companions(content, ad, marked, VAST_4)
    if companions:
        creatives += element("Creative", companions + unique, id=f"{ad.id}-companions")
    return element(
        "InLine",
        _definition(ad, marked)
        + element("AdServingId", marked.decision_id)
        + element("AdTitle", text_of(ad.name))
        + verifications(content)
        + _advertiser(ad)
        + "".join(
            element("Category", text_of(one), authority=_CATEGORY_AUTHORITY)
            for one in ad.categories
        )
        + element("Creatives", creatives)
        + element("Expires", str(token_life_s(prop, ad.format))),
    )


def _inline_3(ad: Ad, content: dict[str, Any], marked: Issued) -> str:
    """VAST 3.0, "InLine"."""
    value = universal_ad_id(ad, content)[1]
    creatives = element(
        "Creative", _linear_3(content, ad, marked), id=ad.id, sequence=1, AdID=value
    )
    companions = _companions(content, ad, marked, VAST_3)
    if companions:
        creatives += element("Creative", companions, id=f"{ad.id}-companions", AdID=value)
    return element(
        "InLine",
        _system()
        + element("AdTitle", text_of(ad.name))
        + _advertiser(ad)
        + _error(marked)
        + _impressions(ad, marked)
        + element("Creatives", creatives)
        + verifications_extension(content),
    )


def _wrapper(
    ad: Ad, wrapper: dict[str, Any], content: dict[str, Any], marked: Issued, version: str
) -> str:
    """
    VAST 4.2 and 3.0, "Wrapper".

    The click's destination is the other server's, so a pixel counts the click here.
    """
    clicks = element("ClickTracking", cdata(marked.click_pixel_url)) + _click_trackers(ad)
    linear = element("Linear", _tracking(marked) + element("VideoClicks", clicks))
    creatives = element("Creatives", element("Creative", linear, id=ad.id))
    tag = element("VASTAdTagURI", cdata(wrapper["url"]))
    if version == VAST_3:
        inside = f"{_system()}{tag}{_error(marked)}{_impressions(ad, marked)}{creatives}"
        return element("Wrapper", inside + verifications_extension(content))
    return element(
        "Wrapper",
        _definition(ad, marked) + verifications(content) + creatives + tag,
        followAdditionalWrappers=wrapper.get("follow_additional_wrappers", True),
        allowMultipleAds=False,
        fallbackOnNoAd=wrapper.get("fallback_on_no_ad", True),
    )


def _definition(ad: Ad, marked: Issued) -> str:
    """What inline ads and wrappers of 4.2 begin with (`AdDefinitionBase_type` of its schema)."""
    viewable = element("Viewable", cdata(marked.signal_url(QualitySignal.VIEWABLE)))
    seen = element("ViewableImpression", viewable)
    return _system() + _error(marked) + _impressions(ad, marked) + seen


def _system() -> str:
    return element("AdSystem", "Placard", version=VERSION)


def _advertiser(ad: Ad) -> str:
    return (
        "" if ad.advertiser_domain is None else element("Advertiser", text_of(ad.advertiser_domain))
    )


def _error(marked: Issued) -> str:
    """The player replaces the macro by the standard's number of the error (VAST 4.2, "Error Reporting")."""
    return element("Error", cdata(marked.signal_url(QualitySignal.ERROR) + _MACRO))


def _impressions(ad: Ad, marked: Issued) -> str:
    urls = (marked.impression_url, *ad.impression_trackers)
    return "".join(element("Impression", cdata(url)) for url in urls)


def _linear_4(content: dict[str, Any], ad: Ad, marked: Issued) -> str:
    """VAST 4.2, "Linear"."""
    return element(
        "Linear",
        _icons(content)
        + _tracking(marked)
        + _duration(ad)
        + element("MediaFiles", _media_files(content) + _mezzanine(content))
        + _clicks(ad, marked, VAST_4),
        skipoffset=_skip_offset(content),
    )


def _linear_3(content: dict[str, Any], ad: Ad, marked: Issued) -> str:
    """VAST 3.0, "Linear"."""
    return element(
        "Linear",
        _icons(content)
        + _duration(ad)
        + _tracking(marked)
        + _clicks(ad, marked, VAST_3)
        + element("MediaFiles", _media_files(content)),
        skipoffset=_skip_offset(content),
    )


def _skip_offset(content: dict[str, Any]) -> str | None:
    offset_ms = content.get("skip_offset_ms")
    return None if offset_ms is None else clock(offset_ms)


def _duration(ad: Ad) -> str:
    return element("Duration", clock(duration_ms(ad) or 0))


def _tracking(marked: Issued) -> str:
    """A skip is always listed: a player may offer it where the ad does not (VAST 4.2, "Tracking Events")."""
    events = (*_TRACKED, ("skip", QualitySignal.SKIP))
    tracked = [
        element("Tracking", cdata(marked.signal_url(signal)), event=event)
        for event, signal in events
    ]
    return element("TrackingEvents", "".join(tracked))


def _clicks(ad: Ad, marked: Issued, version: str) -> str:
    """The redirect counts the click, so only the advertiser's trackers are listed beside it."""
    trackers = _click_trackers(ad)
    through = ""
    if ad.click_url is not None:
        through = element("ClickThrough", cdata(marked.click_url))
    if not trackers and not through:
        return ""
    in_order = (trackers, through) if version == VAST_4 else (through, trackers)
    return element("VideoClicks", "".join(in_order))


def _click_trackers(ad: Ad) -> str:
    return "".join(element("ClickTracking", cdata(url)) for url in ad.click_trackers)


def _media_files(content: dict[str, Any]) -> str:
    """Sound has no picture: width and height, which are required, are 0 (VAST 4.2, "MediaFile")."""
    return "".join(
        element(
            "MediaFile",
            cdata(one["url"]),
            id=str(number),
            delivery="progressive",
            type=one["mime"],
            width=one.get("width", 0),
            height=one.get("height", 0),
            bitrate=one.get("bitrate_kbps"),
            scalable=True if "width" in one else None,
            maintainAspectRatio=True if "width" in one else None,
        )
        for number, one in enumerate(content.get("media") or (), 1)
    )


def _mezzanine(content: dict[str, Any]) -> str:
    """The source from which a stream stitcher transcodes (VAST 4.2, "Mezzanine")."""
    raw = content.get("mezzanine")
    if raw is None:
        return ""
    return element(
        "Mezzanine",
        cdata(raw["url"]),
        delivery="progressive",
        type=raw["mime"],
        width=raw["width"],
        height=raw["height"],
    )


def _icons(content: dict[str, Any]) -> str:
    """VAST 4.2 and 3.0, "Icons"."""
    icons = [_icon(icon) for icon in content.get("icons") or ()]
    return element("Icons", "".join(icons)) if icons else ""


def _icon(icon: dict[str, Any]) -> str:
    clicks = ""
    if icon.get("click_url"):
        through = element("IconClickThrough", cdata(icon["click_url"]))
        clicks = element("IconClicks", through)
    views = "".join(element("IconViewTracking", cdata(url)) for url in icon.get("view_urls") or ())
    offset_ms, length_ms = icon.get("offset_ms"), icon.get("duration_ms")
    return element(
        "Icon",
        _static_resource(icon["image_url"]) + clicks + views,
        program=icon["program"],
        width=icon["width"],
        height=icon["height"],
        xPosition=icon.get("x_position", "right"),
        yPosition=icon.get("y_position", "top"),
        duration=None if length_ms is None else clock(length_ms),
        offset=None if offset_ms is None else clock(offset_ms),
    )


def _companions(content: dict[str, Any], ad: Ad, marked: Issued, version: str) -> str:
    """VAST 4.2 and 3.0, "CompanionAds"."""
    listed = list(content.get("companions") or ())
    single = content.get("companion")
    if single:
        listed.append(single)
    through = ""
    if ad.click_url is not None:
        through = element("CompanionClickThrough", cdata(marked.click_url))
    items = []
    for number, one in enumerate(listed, 1):
        alt = element("AltText", text_of(one["alt"])) if one.get("alt") else ""
        in_order = alt + through if version == VAST_4 else through + alt
        resource = _static_resource(one["image_url"])
        size = {"width": one["width"], "height": one["height"]}
        items.append(element("Companion", resource + in_order, id=str(number), **size))
    return element("CompanionAds", "".join(items)) if items else ""


def _static_resource(url: str) -> str:
    mime = guess_type(urlsplit(url).path)[0] or "image/jpeg"
    return element("StaticResource", cdata(url), creativeType=mime)
