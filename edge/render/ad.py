"""A fill as what a caller reads: the serve answer's JSON, or a page of its own."""

from typing import Any

import orjson
from sanic import HTTPResponse

from common.decision.opportunity import Opportunity
from common.decision.outcome import Explanation, Fill
from common.http.responses import JSON
from common.snapshot.snapshot import Snapshot
from common.vocabulary import Format
from edge.render.markup import SANDBOX, ad_template, fill_template, page
from edge.tracking.issue import Issued

_NO_STORE = {"Cache-Control": "no-store"}
_PAGE_HEADERS = {**_NO_STORE, "Content-Security-Policy": f"sandbox {SANDBOX}"}
_HTML = "text/html; charset=utf-8"
_DISPLAY = {"ratio": 0.5, "duration_ms": 1000}
_VIDEO = {"ratio": 0.5, "duration_ms": 2000}


def viewability_of(ad_format: Format) -> dict[str, Any]:
    """When an ad counts as seen: half of it for one second, two for video (MRC)."""
    return _VIDEO if ad_format is Format.VIDEO else _DISPLAY


def as_json(
    snapshot: Snapshot,
    fill: Fill,
    opportunity: Opportunity,
    issued: Issued,
    explanation: Explanation | None,
) -> HTTPResponse:
    ad = fill.ad
    body: dict[str, Any] = {
        "decision_id": issued.decision_id,
        "ad_id": ad.id,
        "campaign_id": fill.campaign.id,
        "slot_id": opportunity.slot.id,
        "property_id": opportunity.property.id,
        "format": ad.format,
        "width": ad.width,
        "height": ad.height,
        "content": orjson.Fragment(ad.content),
        "html": _markup(snapshot, fill, issued),
        "track_token": issued.track_token,
        "impression_url": issued.impression_url,
        "click_url": issued.click_url,
        "source": fill.source,
        "is_test": opportunity.environment.is_test,
        "ttl_seconds": issued.ttl_seconds,
        "viewability": viewability_of(ad.format),
    }
    if explanation is not None:
        body["explain"] = [
            {
                "campaign_id": line.campaign_id,
                "ad_id": line.ad_id,
                "dropped_by": line.dropped_by,
                "priority": line.priority,
                "ecpm_micros": line.ecpm_micros,
            }
            for line in explanation.considered
        ]
    return HTTPResponse(orjson.dumps(body), headers=_NO_STORE, content_type=JSON)


def as_page(snapshot: Snapshot, fill: Fill, issued: Issued) -> HTTPResponse:
    """A document to put into a frame; it counts its own impression."""
    whole = page(
        _markup(snapshot, fill, issued), issued.impression_url, fill.ad.impression_trackers
    )
    return HTTPResponse(whole, headers=_PAGE_HEADERS, content_type=_HTML)


def _markup(snapshot: Snapshot, fill: Fill, issued: Issued) -> str:
    key = ("markup", fill.ad.id)
    template: str | None = snapshot.derived.get(key)
    if template is None:
        template = snapshot.derived[key] = ad_template(fill.ad)
    return fill_template(template, issued.click_url)
