"""
Renders a fill for AMP pages: an AMPHTML ad document, fields for a page's own template, or targeting for another ad
server.

The document follows "AMPHTML ad creative format" (AMP4ADS): only AMP's own elements, one runtime script and the scripts
of the elements in use, one boilerplate style, and links that open another page.
"""

from html import escape
from typing import Any, Final

import orjson

from common.decision.rules.outcome import Fill
from common.http.answer import RawResponse, response_head
from common.http.responses import JSON
from common.snapshot.model import Ad
from common.values.enums import Format, QualitySignal
from edge.serving.render.ad import viewability_of
from edge.serving.render.issue_token import Issued

AMP_FORMATS: Final = frozenset({Format.BANNER, Format.NATIVE, Format.VIDEO})
"""Html ads may contain scripts, which AMP forbids; it has no ad element that plays sound alone."""
_PAGE_HEAD: Final = response_head(
    {"Cache-Control": "no-store", "content-type": "text/html; charset=utf-8"}
)
_JSON_HEAD: Final = response_head({"Cache-Control": "no-store", "content-type": JSON})
_RUNTIME: Final = '<script async src="https://cdn.ampproject.org/amp4ads-v0.js"></script>'
_BOILERPLATE: Final = "<style amp4ads-boilerplate>body{visibility:hidden}</style>"
_STYLE: Final = (
    "<style amp-custom>body{margin:0}a{color:inherit;text-decoration:none}"
    ".native{display:block;font:14px/1.4 sans-serif}.native strong,.native span,.native small"
    "{display:block}</style>"
)
_ICON_PX: Final = 48
_NATIVE_IMAGE: Final = 'layout="responsive" width="16" height="9"'


def as_amp(fill: Fill, issued: Issued) -> RawResponse:
    """The document that an AMP ad network's frame shows. It reports its impression and its viewability."""
    return RawResponse(_PAGE_HEAD, document(fill.ad, issued).encode())


def as_rtc(fill: Fill) -> RawResponse:
    """
    The response to a callout of AMP's real-time config: key-values for the page's ad server, which still decides. So
    nothing is committed, and no token is issued.
    """
    ad = fill.ad
    targeting = {
        "placard_ad": ad.id,
        "placard_campaign": fill.campaign.id,
        "placard_format": ad.format.value,
        "placard_source": fill.source.value,
    }
    if ad.width is not None and ad.height is not None:
        targeting["placard_size"] = f"{ad.width}x{ad.height}"
    return RawResponse(_JSON_HEAD, orjson.dumps({"targeting": targeting}))


def document(ad: Ad, issued: Issued) -> str:
    """An AMPHTML ad."""
    content: dict[str, Any] = orjson.loads(ad.content)
    elements = {"amp-analytics"} | ({"amp-video"} if ad.format is Format.VIDEO else set())
    scripts = "".join(
        f'<script async custom-element="{name}" src="https://cdn.ampproject.org/v0/{name}-0.1.js"></script>'
        for name in sorted(elements)
    )
    return (
        '<!doctype html><html ⚡4ads lang="en"><head><meta charset="utf-8"><title>Advertisement</title>'
        '<meta name="viewport" content="width=device-width,minimum-scale=1">'
        f"{_RUNTIME}{scripts}{_BOILERPLATE}{_STYLE}</head>"
        f"<body>{_body(ad, content, issued)}{_pixels(ad, issued)}{_viewable(ad, issued)}</body></html>"
    )


def _body(ad: Ad, content: dict[str, Any], issued: Issued) -> str:
    if ad.format is Format.BANNER:
        size = f'layout="fixed" width="{content["width"]}" height="{content["height"]}"'
        return _link(ad, issued, _image(content["image_url"], content.get("alt") or "", size))
    if ad.format is Format.NATIVE:
        return _link(ad, issued, _native(content), ' class="native"')
    label = escape(ad.advertiser_domain or "")
    return _video(content) + (_link(ad, issued, label) if label else "")


def _native(content: dict[str, Any]) -> str:
    image = content.get("image")
    icon = content.get("icon")
    parts = [_image(image, "", _NATIVE_IMAGE)] if image else []
    if icon:
        parts.append(_image(icon, "", f'layout="fixed" width="{_ICON_PX}" height="{_ICON_PX}"'))
    tags = (("title", "strong"), ("body", "span"), ("cta", "span"), ("sponsored_by", "small"))
    parts += [
        f"<{tag}>{escape(str(content[name]))}</{tag}>" for name, tag in tags if content.get(name)
    ]
    return "".join(parts)


def _video(content: dict[str, Any]) -> str:
    media = content.get("media") or ()
    if not media:
        return ""
    first = media[0]
    sources = "".join(
        f'<source src="{escape(one["url"])}" type="{escape(one["mime"])}">' for one in media
    )
    size = f'width="{first["width"]}" height="{first["height"]}"'
    poster = f' poster="{escape(content["poster"])}"' if content.get("poster") else ""
    return f'<amp-video layout="responsive" {size}{poster} controls>{sources}</amp-video>'


def _link(ad: Ad, issued: Issued, inside: str, attributes: str = "") -> str:
    if ad.click_url is None:
        return f"<div{attributes}>{inside}</div>"
    return (
        f'<a{attributes} href="{escape(issued.click_url)}" target="_blank" '
        f'rel="sponsored noopener">{inside}</a>'
    )


def _image(url: str, alt: str, size: str) -> str:
    return f'<amp-img src="{escape(url)}" alt="{escape(alt)}" {size}></amp-img>'


def _pixels(ad: Ad, issued: Issued) -> str:
    return "".join(
        f'<amp-pixel src="{escape(url)}" layout="nodisplay"></amp-pixel>'
        for url in (issued.impression_url, *ad.impression_trackers)
    )


def _viewable(ad: Ad, issued: Issued) -> str:
    """Reports that the ad was viewed, by the same rule as the client libraries."""
    rule = viewability_of(ad.format)
    visible = {
        "selector": ":root",
        "visiblePercentageMin": int(rule["ratio"] * 100),
        "continuousTimeMin": rule["duration_ms"],
    }
    config = {
        "requests": {"viewable": issued.signal_url(QualitySignal.VIEWABLE)},
        "triggers": {
            "viewable": {"on": "visible", "request": "viewable", "visibilitySpec": visible}
        },
        "transport": {"beacon": False, "xhrpost": False, "image": True},
    }
    text = orjson.dumps(config).decode().replace("<", "\\u003c")
    return f'<amp-analytics><script type="application/json">{text}</script></amp-analytics>'
