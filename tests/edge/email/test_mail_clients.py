"""The markup of mails, by what mail clients support (caniemail.com)."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from common.snapshot.codec import canonical_json
from common.values.enums import CampaignStatus
from edge.serving.render.email_markup import ENHANCEMENTS, email_html
from tests.edge.email.mail_world import a_mail_ad, a_mail_slot, a_sender
from tests.support import npm
from tests.support.builders import a_campaign

_FOLDER = Path(__file__).parent / "clients"
_CLIENTS = ["gmail.*", "outlook.*", "apple-mail.*", "yahoo.*", "samsung-email.*"]
_ALLOWED_TAGS = {"style", "table", "tr", "td", "a", "img"}
_MAX_BYTES = 102 * 1024
"""Gmail cuts longer mails."""
_MAX_URL_CHARS = 2048


@pytest.fixture(scope="session")
def _installed() -> Path:
    return npm.install(_FOLDER)


def _unsupported(html: str) -> dict[str, list[str]]:
    """Client to the features of *html* that it does not support."""
    done = subprocess.run(
        ["node", "check.mjs"],
        cwd=_FOLDER,
        input=json.dumps({"html": html, "clients": _CLIENTS}),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[str]] = json.loads(done.stdout)["none"]
    return found


def _markup() -> str:
    trackers = ("https://tracker.example/p.gif",)
    return email_html("https://cdn.example/a.png", "Shoes & more", 600, 200, trackers)


@pytest.mark.usefixtures("_installed")
def test_every_client_supports_what_the_layout_needs() -> None:
    html = _markup()
    for enhancement in ENHANCEMENTS:
        assert enhancement in html
        html = html.replace(enhancement, "")

    assert _unsupported(html) == {}
    image = re.search(r"<a [^>]*><img ([^>]*)></a>", html)
    assert image is not None
    for part in ('width="600"', 'height="200"', 'alt="Shoes &amp; more"'):
        assert part in image[1]


@pytest.mark.usefixtures("_installed")
def test_the_check_finds_what_a_client_lacks() -> None:
    assert "outlook.windows" in _unsupported(_markup())


async def test_markup_is_safe_and_ten_ads_fit_one_mail(tmp_path: Path) -> None:
    url = "https://cdn.example/".ljust(_MAX_URL_CHARS, "a")
    shown = {
        "image_url": url,
        "width": 600,
        "height": 200,
        "alt": '"><script>&' * 10,
        "text_fallback": "x",
    }
    slots = [a_mail_slot(key=f"s{number}") for number in range(10)]
    campaigns = [a_campaign() for _ in slots]
    ads = [
        a_mail_ad(
            campaign,
            slot_ids=(slot.id,),
            content=canonical_json(shown),
            advertiser_domain=f"{slot.key}.example",
            impression_trackers=(url,) * (20 if slot.key == "s9" else 3),
        )
        for campaign, slot in zip(campaigns, slots, strict=True)
    ]
    async with a_sender(tmp_path, *slots, *campaigns, *ads, status=CampaignStatus.PAUSED) as sender:
        prepared = await sender.prepare(slot=None, slots=[slot.key for slot in slots])

    whole = "".join(item["html"] or "" for item in prepared["items"])
    assert prepared["filled"] == 9, "an ad with too many trackers would have its mail cut"
    assert 80_000 < len(whole.encode()) < _MAX_BYTES
    assert set(re.findall(r"<([a-z]+)", whole)) == _ALLOWED_TAGS
    assert set(re.findall(r'(?:src|href)="([a-z]+):', whole)) == {"https"}
