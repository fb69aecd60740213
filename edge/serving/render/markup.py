"""
Renders an ad as HTML. All outside text is escaped; an html ad stays in a sandboxed frame, away from the page.

The markup is built once per ad and snapshot, with marks for the click URL. A request only replaces the marks.
"""

import re
from html import escape
from typing import Any

import orjson

from common.snapshot.model import Ad
from common.values.enums import Format

SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"
CLICK_MACRO = "{click_url}"
"""Placeholder of the click URL in an html ad."""

_DOCUMENT_START = (
    '<!doctype html><meta charset="utf-8"><title>Advertisement</title><style>body{margin:0}</style>'
    """<script>parent.postMessage('{"type":"service-ad"}',"*")</script>"""
)
_CLICKS = (
    """<script>{const go=u=>`${u}`.startsWith("{click_url}")&&"""
    """parent.postMessage('{"type":"service-ad","event":"click"}',"*"),was=open;"""
    "open=function(u){go(u);return was.apply(this,arguments)};"
    "const hear=e=>{const a=e.button<2&&!e.defaultPrevented&&e.composedPath().find(n=>n.href);"
    "a&&go(a.href.baseVal??a.href)};"
    """addEventListener("click",hear);addEventListener("auxclick",hear)}</script>"""
)
"""Script that reports to the page when the user opens ``{click_url}``: by a link, also in SVG, or by `window.open`."""
_CLICK_MARK = "\x00c"
_SAFE_IMAGE = re.compile(
    r"(?:https://|data:image/|http://(?:localhost|127\.0\.0\.1)[:/])[^\x00-\x20]*"
)
SAFE_MAIL_IMAGE = re.compile(r"(?:https://|http://(?:localhost|127\.0\.0\.1)[:/])[^\x00-\x20]*")
"""Mail clients show no image that is part of its address."""
_SAFE_MEDIA = re.compile(
    r"(?:https://|data:(?:audio|video)/|http://(?:localhost|127\.0\.0\.1)[:/])[^\x00-\x20]*"
)


def ad_template(ad: Ad) -> str:
    """Markup with marks for the click URL, which `fill_template` replaces."""
    content = orjson.loads(ad.content)
    match ad.format:
        case Format.BANNER:
            return _banner(ad, content)
        case Format.EMAIL:
            return _email(ad, content)
        case Format.HTML:
            return _frame(ad, str(content.get("html") or ""))
        case Format.NATIVE:
            return _native(ad, content)
        case Format.AUDIO:
            return _audio(ad, content)
        case Format.VIDEO:
            return _video(ad, content)


def fill_template(template: str, click_url: str) -> str:
    return template.replace(_CLICK_MARK, escape(click_url))


def split_template(template: str) -> list[str]:
    """Splits *template* into the parts between which the click URL goes."""
    return template.split(_CLICK_MARK)


def split_document(ad: Ad) -> list[str]:
    """
    The document of an html ad, as the parts between which the click URL goes.

    The document posts a message to its page when it loads, because a page cannot distinguish a loaded frame from a
    refused one. The message is JSON, so that pages which parse every message can parse it. If the ad contains a click
    URL, the document also reports clicks, which a page cannot see.

    It begins with a doctype, as a frame's ``srcdoc`` would: no quirks mode, however the ad begins.
    """
    html = str(orjson.loads(ad.content).get("html") or "").replace("\x00", "")
    clicks = _CLICKS if CLICK_MACRO in html else ""
    return f"{_DOCUMENT_START}{clicks}{html}".split(CLICK_MACRO)


def page(markup: str, impression_url: str, trackers: tuple[str, ...]) -> str:
    """A whole document: the ad, its impression pixel and the advertiser's pixels."""
    pixels = "".join(_pixel(url) for url in (impression_url, *trackers))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Advertisement</title>'
        f"<style>body{{margin:0}}</style>{markup}{pixels}</html>"
    )


def _banner(ad: Ad, content: dict[str, Any]) -> str:
    image = _image(content.get("image_url"), str(content.get("alt") or ""), _size(ad))
    return _link(ad, image)


def _link(ad: Ad, inside: str, attributes: str = "") -> str:
    """Wraps *inside* in a link. An ad without a click URL gets none: it would lead to an error."""
    if ad.click_url is None:
        return f"<span{attributes}>{inside}</span>" if attributes else inside
    return (
        f'<a{attributes} href="{_CLICK_MARK}" target="_blank" rel="sponsored noopener">{inside}</a>'
    )


def _frame(ad: Ad, html: str) -> str:
    inside = html.replace("\x00", "").replace(CLICK_MACRO, _CLICK_MARK)
    return (
        f'<iframe sandbox="{SANDBOX}" title="Advertisement" scrolling="no" frameborder="0" '
        f'marginwidth="0" marginheight="0"{_size(ad)} '
        f'srcdoc="{escape(inside)}"></iframe>'
    )


def _native(ad: Ad, content: dict[str, Any]) -> str:
    def text(name: str, tag: str) -> str:
        value = content.get(name)
        return f'<{tag} class="ad-{name.replace("_", "-")}">{_text(value)}</{tag}>' if value else ""

    image = _image(content.get("image"), "", ' class="ad-image"')
    icon = _image(content.get("icon"), "", ' class="ad-icon"')
    words = f"{text('title', 'strong')}{text('body', 'span')}{text('cta', 'span')}{text('sponsored_by', 'small')}"
    return _link(ad, f"{image}{icon}{words}", ' class="ad-native"')


def _email(ad: Ad, content: dict[str, Any]) -> str:
    """A table, because every mail program lays it out alike."""
    image = _image(content.get("image_url"), str(content.get("alt") or ""), _size(ad))
    return (
        '<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td>'
        f"{_link(ad, image)}</td></tr></table>"
    )


def _audio(ad: Ad, content: dict[str, Any]) -> str:
    """A plain player; the companion image, where there is one, is the link."""
    companion = content.get("companion") or {}
    size = "".join(
        f' {name}="{_text(companion[name])}"' for name in ("width", "height") if name in companion
    )
    image = _image(companion.get("image_url"), str(companion.get("alt") or ""), size)
    player = f'<audio controls preload="none">{_sources(content)}</audio>'
    return f"{_link(ad, image)}{player}" if image else player


def _video(ad: Ad, content: dict[str, Any]) -> str:
    """A plain player, and a link with the advertiser's domain."""
    poster = content.get("poster")
    shown = f' poster="{_text(poster)}"' if _is_safe_image(poster) else ""
    player = f'<video controls playsinline preload="metadata"{shown}>{_sources(content)}</video>'
    return (
        player if ad.advertiser_domain is None else player + _link(ad, _text(ad.advertiser_domain))
    )


def _sources(content: dict[str, Any]) -> str:
    return "".join(
        f'<source src="{_text(one["url"])}" type="{_text(one["mime"])}">'
        for one in content.get("media") or ()
        if isinstance(one.get("url"), str) and _SAFE_MEDIA.fullmatch(one["url"])
    )


def _image(url: Any, alt: str, attributes: str) -> str:
    """Empty where a page may not load *url*."""
    if not _is_safe_image(url):
        return ""
    return f'<img src="{_text(url)}" alt="{_text(alt)}"{attributes} style="border:0">'


def _is_safe_image(url: Any) -> bool:
    return isinstance(url, str) and _SAFE_IMAGE.fullmatch(url) is not None


def _pixel(url: str) -> str:
    return (
        f'<img src="{_text(url)}" alt="" width="1" height="1" style="position:absolute;border:0">'
    )


def _size(ad: Ad) -> str:
    if ad.width is None or ad.height is None:
        return ""
    return f' width="{ad.width}" height="{ad.height}"'


def _text(value: Any) -> str:
    return escape(str(value).replace("\x00", ""))
