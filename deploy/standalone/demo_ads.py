"""The demo's slots, campaigns and ads: one of each format."""

import json
from pathlib import Path
from typing import Any

SLOTS: dict[str, dict[str, Any]] = {
    "banner": {"formats": ["banner"], "sizes": [{"width": 300, "height": 250}]},
    "native": {"formats": ["native"], "sizes": []},
    "html": {"formats": ["html"], "sizes": [{"width": 300, "height": 250}]},
    "audio": {"formats": ["audio"], "sizes": []},
    "video": {"formats": ["video"], "sizes": []},
    "email": {"formats": ["email"], "sizes": [{"width": 600, "height": 200}]},
}

_CLICK_URL = "{control_url}/demo/landing?campaign={campaign_id}"
_HTML = (
    '<div style="width:300px;height:250px;box-sizing:border-box;padding:32px;'
    'font:600 22px/1.3 system-ui;color:#fff;background:linear-gradient(135deg,#1d3557,#457b9d)">'
    "This ad was chosen<br>in memory.</div>"
)
_CONTENT: dict[str, dict[str, Any]] = {
    "banner": {
        "image_url": "{control_url}/static/demo-banner.svg",
        "width": 300,
        "height": 250,
        "alt": "Placard demo banner",
    },
    "native": {
        "title": "A native ad, drawn by your own page",
        "body": "Title, text and image come as fields; the page decides how they look.",
        "cta": "See how",
        "sponsored_by": "Placard Demo",
    },
    "html": {"html": _HTML, "width": 300, "height": 250},
    "audio": {},
    "video": {
        "media": [
            {
                "url": "{control_url}/static/demo-video.mp4",
                "mime": "video/mp4",
                "width": 320,
                "height": 180,
                "duration_ms": 5000,
            }
        ],
    },
    "email": {
        "image_url": "{control_url}/static/demo-email.png",
        "width": 600,
        "height": 200,
        "alt": "An ad in a newsletter, chosen in memory.",
        "text_fallback": "An ad in a newsletter, chosen in memory.",
    },
}


UPLOADS = {"audio": ("media.0", Path("control/dashboard/static/demo-audio.mp3"))}
"""By slot: the role of an uploaded file in its ad, and the file. Only uploaded sounds can be put into content."""


def campaign(slot: str, property_id: str) -> dict[str, Any]:
    """The body that creates the campaign of one slot."""
    return {
        "name": f"Demo {slot}",
        "property_ids": [property_id],
        "objective": "awareness",
        "pricing_model": "cpm",
        "bid_cents": 250,
        "pacing": "asap",
    }


def ad(
    slot: str, campaign_id: str, slot_id: str, control_url: str, assets: dict[str, str]
) -> dict[str, Any]:
    """The body that creates the ad of one slot, for that slot only. *assets*: ids by role."""
    text = json.dumps(_CONTENT[slot]).replace("{control_url}", control_url)
    return {
        "campaign_id": campaign_id,
        "name": f"Demo {slot}",
        "format": slot,
        "content": json.loads(text),
        "click_url": _CLICK_URL.replace("{control_url}", control_url),
        "slot_ids": [slot_id],
        "asset_ids": assets,
    }
