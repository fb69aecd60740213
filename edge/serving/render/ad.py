"""Renders a fill as the JSON of a serve response, or as an HTML document."""

from collections.abc import Mapping
from typing import Any, Final, final

import orjson

from common.decision.frequency import cap_key, cap_name
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Explanation, Fill
from common.http.answer import RawResponse, response_head
from common.http.responses import JSON
from common.privacy.consent import Consent
from common.snapshot.snapshot import Snapshot
from common.values.enums import Format
from edge.serving.render.issue_token import Issued, token_life_s
from edge.serving.render.markup import SANDBOX, ad_template, fill_template, page, split_template

_NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}
JSON_HEAD: Final = response_head({**_NO_STORE, "content-type": JSON})
_PAGE_HEAD: Final = response_head(
    {
        **_NO_STORE,
        "Content-Security-Policy": f"sandbox {SANDBOX}",
        "content-type": "text/html; charset=utf-8",
    }
)
_DISPLAY: Final[dict[str, Any]] = {"ratio": 0.5, "duration_ms": 1000}
_VIDEO: Final[dict[str, Any]] = {"ratio": 0.5, "duration_ms": 2000}

DECISION: Final = 1
PAYLOAD: Final = 2
TRACK: Final = 3
IMPRESSION: Final = 4
CLICK: Final = 5
"""Placeholders of a rendered template: the decision id, the tokens' payload, and the tag of each token."""


def viewability_of(ad_format: Format) -> dict[str, Any]:
    """When an ad counts as viewed: half of it for one second, for video two seconds (MRC)."""
    return _VIDEO if ad_format is Format.VIDEO else _DISPLAY


@final
class ResponseTemplate:
    """
    The JSON of a serve response without decision, tokens and URLs: the parts that are constant for an ad in a slot.

    The values that fill it need no escaping in JSON or HTML: ids, base64url, and the edge URL, which settings restrict
    to plain characters. ``html``: the markup, split where the click URL goes.
    """

    def __init__(self, what: str, html: tuple[str, ...], how: str) -> None:
        self.what = what
        self.html = html
        self.how = how

    def fill(self, issued: Issued) -> str:
        click_url = issued.click_url
        return (
            f'{{"decision_id":"{issued.decision_id}",{self.what},"html":"{click_url.join(self.html)}",'
            f'"track_token":"{issued.track_token}","impression_url":"{issued.impression_url}",'
            f'"click_url":"{click_url}",{self.how}}}'
        )

    def render(self, edge_url: str) -> list[bytes | int]:
        """The output of `fill` with the URLs of `edge.serving.render.issue_token`, as bytes and placeholders."""
        click: list[str | int] = [f"{edge_url}/v1/click/", PAYLOAD, ".", CLICK]
        cast: list[str | int] = ['{"decision_id":"', DECISION, f'",{self.what},"html":"']
        for number, part in enumerate(self.html):
            cast += [*click, part] if number else [part]
        cast += ['","track_token":"', PAYLOAD, ".", TRACK]
        cast += [f'","impression_url":"{edge_url}/v1/impression/', PAYLOAD, ".", IMPRESSION]
        cast += ['.gif","click_url":"', *click, f'",{self.how}}}']
        return [one if isinstance(one, int) else one.encode() for one in cast]


def as_json(
    snapshot: Snapshot,
    fill: Fill,
    opportunity: Opportunity,
    issued: Issued,
    explanation: Explanation | None,
    *,
    consent: Consent | None = None,
    page_origin: str | None = None,
) -> RawResponse:
    """*consent* and *page_origin* are for `debug` only; without *consent* both are left out."""
    text = template_for(snapshot, fill, opportunity).fill(issued)
    if explanation is not None:
        text = f'{text[:-1]},"explain":{_text(_lines_of(explanation))}}}'
    if consent is not None:
        text = f'{text[:-1]},"consent":{_text(_parts_of(consent))}'
        text += f',"page_origin":{_text(page_origin)}}}'
    return RawResponse(JSON_HEAD, text.encode())


def template_for(snapshot: Snapshot, fill: Fill, opportunity: Opportunity) -> ResponseTemplate:
    """Cached across snapshots."""
    key = ("answer", opportunity.slot.id, fill.ad.id, fill.source)
    cached: ResponseTemplate | None = snapshot.derived.get(key)
    if cached is None:
        cached = _newform_of(snapshot, fill, opportunity)
        about = (opportunity.property.id, opportunity.slot.id, fill.campaign.id, fill.ad.id)
        snapshot.derived.put(key, cached, about)
    return cached


def _newform_of(snapshot: Snapshot, fill: Fill, opportunity: Opportunity) -> ResponseTemplate:
    ad = fill.ad
    what = {
        "ad_id": ad.id,
        "campaign_id": fill.campaign.id,
        "slot_id": opportunity.slot.id,
        "property_id": opportunity.property.id,
        "format": ad.format,
        "width": ad.width,
        "height": ad.height,
        "content": orjson.Fragment(ad.content),
    }
    how: dict[str, Any] = {
        "source": fill.source,
        "is_test": opportunity.environment.is_test,
        "ttl_seconds": token_life_s(opportunity.property, ad.format),
        "viewability": viewability_of(ad.format),
    }
    if ad.click_url is None:
        how["has_destination"] = False
    if ad.impression_trackers or ad.click_trackers:
        how["tracking"] = {
            "impression_urls": ad.impression_trackers,
            "click_urls": ad.click_trackers,
        }
    if fill.campaign.frequency_caps:
        how["caps"] = _caps_of(fill)
    html = tuple(_text(part)[1:-1] for part in split_template(_template(snapshot, fill)))
    return ResponseTemplate(_text(what)[1:-1], html, _text(how)[1:-1])


def _caps_of(fill: Fill) -> list[dict[str, Any]]:
    """The caps that the web library counts itself, and sends as ``seen``."""
    keys = {cap_key(cap, fill.campaign, fill.ad): cap for cap in fill.campaign.frequency_caps}
    return [
        {"name": cap_name(key), "event": cap.event, "window_seconds": cap.window_s}
        for key, cap in keys.items()
    ]


def _lines_of(explanation: Explanation) -> list[dict[str, Any]]:
    return [
        {
            "campaign_id": line.campaign_id,
            "ad_id": line.ad_id,
            "dropped_by": line.dropped_by,
            "priority": line.priority,
            "ecpm_micros": line.ecpm_micros,
            "turn": line.turn,
            "matched": line.matched,
            "missed": line.missed,
        }
        for line in explanation.considered
    ]


def _parts_of(consent: Consent) -> dict[str, Any]:
    return {
        "personal": consent.personal,
        "storage": consent.storage,
        "measurement": consent.measurement,
        "why": consent.why,
    }


def as_page(snapshot: Snapshot, fill: Fill, issued: Issued) -> RawResponse:
    """A document for a frame; it loads its own impression pixel."""
    whole = page(
        _markup(snapshot, fill, issued), issued.impression_url, fill.ad.impression_trackers
    )
    return RawResponse(_PAGE_HEAD, whole.encode())


def _markup(snapshot: Snapshot, fill: Fill, issued: Issued) -> str:
    return fill_template(_template(snapshot, fill), issued.click_url)


def _template(snapshot: Snapshot, fill: Fill) -> str:
    key = ("markup", fill.ad.id)
    template: str | None = snapshot.derived.get(key)
    if template is None:
        template = ad_template(fill.ad)
        snapshot.derived.put(key, template, (fill.ad.id,))
    return template


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()
