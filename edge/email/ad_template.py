"""The template of an item: what the mails of one ad in one slot have in common."""

from dataclasses import dataclass

import orjson

from common.decision.rules.outcome import Fill
from common.snapshot.model import Ad
from common.snapshot.snapshot import Snapshot
from edge.email.items import ItemTemplate, item_template
from edge.serving.render.email_markup import (
    CLICK,
    IMAGE,
    MARK,
    PIXEL,
    clean,
    email_html,
    email_text,
)
from edge.serving.render.markup import SAFE_MAIL_IMAGE

DEMO_IMAGE_PATH = "/v1/email/demo.png"
"""The image of the demo ad: mail clients show none that is part of an address."""
MAX_HTML_BYTES = 10_000
"""Of one ad. Gmail cuts mails of more than 102 kB, and a mail may have ten slots."""
_MAX_URL_BYTES = 300
"""Of one of a mail's own URLs, as they take a placeholder's place."""
_ANY_SIZE = (600, 200)
_TOKEN = f"{MARK}t"
_ADVERTISEMENT = "Advertisement"


@dataclass(frozen=True, slots=True)
class MailAd:
    """The content of an ad for mails."""

    image_url: str
    alt: str
    text: str
    width: int
    height: int


def mail_ad(ad: Ad, edge_url: str) -> MailAd | None:
    """None where a mail could not show the image: it is neither at an https address nor the demo ad's."""
    content = orjson.loads(ad.content)
    image_url = str(content.get("image_url") or "")
    if image_url.startswith("data:"):
        image_url = f"{edge_url}{DEMO_IMAGE_PATH}"
    elif SAFE_MAIL_IMAGE.fullmatch(image_url) is None:
        return None
    alt = clean(str(content.get("alt") or ""))
    width, height = ad.width or _ANY_SIZE[0], ad.height or _ANY_SIZE[1]
    text = clean(str(content.get("text_fallback") or alt))
    return MailAd(clean(image_url), alt, text, width, height)


def fixed_template(
    snapshot: Snapshot, fill: Fill, edge_url: str, *, is_shared: bool
) -> ItemTemplate | None:
    """
    Of an ad that is chosen before the mail is sent; None where a mail cannot show its image, or its trackers make it
    longer than `MAX_HTML_BYTES`. Cached across snapshots.

    *is_shared*: for a mail without recipients, whose copies share their URLs and have no token.
    """
    ad = fill.ad
    key = ("mail item", ad.id, is_shared)
    cached: tuple[ItemTemplate | None] | None = snapshot.derived.get(key)
    if cached is None:
        cached = (_fixed_template(ad, fill.campaign.id, edge_url, is_shared=is_shared),)
        snapshot.derived.put(key, cached, (ad.id, fill.campaign.id))
    return cached[0]


def _fixed_template(
    ad: Ad, campaign_id: str, edge_url: str, *, is_shared: bool
) -> ItemTemplate | None:
    shown = mail_ad(ad, edge_url)
    if shown is None:
        return None
    is_linked = ad.click_url is not None
    html = email_html(
        shown.image_url,
        shown.alt,
        shown.width,
        shown.height,
        ad.impression_trackers,
        is_linked=is_linked,
    )
    if len(html.encode()) + 2 * (len(edge_url) + _MAX_URL_BYTES) > MAX_HTML_BYTES:
        return None
    return item_template(
        {
            "ad_id": ad.id,
            "campaign_id": campaign_id,
            "html": html,
            "text": email_text(shown.text, is_linked=is_linked),
            "image_url": shown.image_url,
            "click_url": CLICK if is_linked else None,
            "impression_url": PIXEL,
            "alt": shown.alt,
            "width": shown.width,
            "height": shown.height,
            "track_token": None if is_shared else _TOKEN,
        }
    )


def on_open_template(width: int, height: int) -> ItemTemplate:
    """Of an image that is chosen when the mail is opened."""
    html = email_html(IMAGE, _ADVERTISEMENT, width, height, (), has_pixel=False)
    return item_template(
        {
            "ad_id": None,
            "campaign_id": None,
            "html": html,
            "text": email_text(_ADVERTISEMENT, is_linked=True),
            "image_url": IMAGE,
            "click_url": CLICK,
            "impression_url": None,
            "alt": _ADVERTISEMENT,
            "width": width,
            "height": height,
            "track_token": None,
        }
    )
