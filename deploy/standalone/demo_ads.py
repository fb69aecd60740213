"""The demo's slots, campaigns and ads: one of each format, and two more places of the demonstration newspaper."""

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

MORE_SLOTS: dict[str, dict[str, Any]] = {
    "text": {"formats": ["native"], "sizes": []},
    "house": {"formats": ["native"], "sizes": []},
}
"""Of the demo page alone; `demo.json` does not name them."""

MORE_CAMPAIGNS = {"text": "text", "text capped": "text", "house": "house"}
"""The slot of each. ``text capped`` pays more than ``text``, and has a frequency cap."""

SLOT_NAMES = {
    "banner": "Front page, top",
    "native": "Between the articles",
    "html": "Box beside the article",
    "audio": "Under the podcast",
    "video": "In the film article",
    "email": "Morning newsletter",
    "text": "Text line",
    "house": "Back page",
}
_CAMPAIGN_NAMES = {
    "banner": "Sunrise Coffee, opening",
    "native": "Linden Bicycles, spring",
    "html": "Harbour Ferries, timetable",
    "audio": "Night Radio, new season",
    "video": "Little Cinema, festival",
    "email": "Letter readers, autumn",
    "text": "Corner Bakery, every visit",
    "text capped": "Corner Bakery, three times an hour",
    "house": "The paper itself",
}
_AD_NAMES = {
    "banner": "Sun over a cup",
    "native": "Bicycle with a basket",
    "html": "Ferry on gradient",
    "audio": "Five seconds of radio",
    "video": "Five seconds of film",
    "email": "Picture for mails",
    "text": "Bread by the page",
    "text capped": "Bread by consent",
    "house": "Your ad here",
}
_CAPS = {
    "text capped": [
        {
            "scope": "campaign",
            "event": "impression",
            "limit": 3,
            "window": {"interval": 1, "unit": "hour"},
        }
    ]
}
_BIDS_CENTS = {"text capped": 400}
_BID_CENTS = 250

_CLICK_URL = "{control_url}/demo/landing?environment={environment}&campaign={campaign_id}"
_HTML = (
    '<div style="width:300px;height:250px;box-sizing:border-box;padding:28px;display:flex;'
    "flex-direction:column;justify-content:space-between;font:600 22px/1.3 system-ui;color:#fff;"
    'background:linear-gradient(160deg,#0b3954,#087e8b)">'
    "<div>Harbour Ferries</div>"
    '<div style="font-size:34px;line-height:1.1">Every twenty minutes,<br>all day.</div>'
    '<div style="font-size:14px;font-weight:400">An html ad, in a frame of its own.</div></div>'
)
_CONTENT: dict[str, dict[str, Any]] = {
    "banner": {
        "image_url": "{control_url}/static/demo-banner.svg",
        "width": 300,
        "height": 250,
        "alt": "Sunrise Coffee: open from six. A banner of the demonstration.",
    },
    "native": {
        "title": "A bicycle with room for bread, books and a small dog",
        "body": "Title, text and picture come as fields, and the page decides how they look.",
        "image": "{control_url}/static/demo-bicycle.svg",
        "cta": "See the bicycle",
        "sponsored_by": "Linden Bicycles",
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
    "text": {
        "title": "Fresh bread at the corner, from six in the morning",
        "body": "Chosen by this page alone: nothing about you was used.",
        "sponsored_by": "Corner Bakery",
    },
    "text capped": {
        "title": "Warm rolls for readers who agreed",
        "body": "Shown at most three times an hour. Your browser counts, because you allowed it.",
        "sponsored_by": "Corner Bakery",
    },
    "house": {
        "title": "This place is free. Put your own ad here.",
        "body": "No campaign wanted this slot, so the newspaper shows its own ad at no price.",
        "cta": "Create an account",
        "sponsored_by": "This newspaper",
    },
}


UPLOADS = {"audio": ("media.0", Path("control/dashboard/static/demo-audio.mp3"))}
"""By slot: the role of an uploaded file in its ad, and the file. Only uploaded sounds can be put into content."""


def campaign(name: str, property_id: str) -> dict[str, Any]:
    """The body that creates a campaign. *name*: a slot, or ``text capped``."""
    return {
        "name": _CAMPAIGN_NAMES[name],
        "property_ids": [property_id],
        "objective": "awareness",
        "pricing_model": "cpm",
        "bid_cents": _BIDS_CENTS.get(name, _BID_CENTS),
        "pacing": "asap",
        "priority": "house" if name == "house" else "auction",
        "frequency_caps": _CAPS.get(name, []),
    }


def ad(
    name: str,
    campaign_id: str,
    slot_id: str,
    control_url: str,
    assets: dict[str, str],
    *,
    environment: str = "live",
) -> dict[str, Any]:
    """The body that creates the ad of a campaign, for one slot only. *assets*: ids by role."""
    text = json.dumps(_CONTENT[name]).replace("{control_url}", control_url)
    click_url = "{control_url}/sign-up" if name == "house" else _CLICK_URL
    return {
        "campaign_id": campaign_id,
        "name": _AD_NAMES[name],
        "format": name if name in SLOTS else "native",
        "content": json.loads(text),
        "click_url": click_url.replace("{control_url}", control_url).replace(
            "{environment}", environment
        ),
        "slot_ids": [slot_id],
        "asset_ids": assets,
    }
