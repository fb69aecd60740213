"""Ads and slots for players, and the documents that an edge answers them with."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree as ET

from common.decision.rules.ad_limits import VAST_WRAPPER
from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad, Campaign, Slot, SnapshotObject
from common.values.enums import Format
from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer

SLOT = a_slot(key="pre-roll", formats=(Format.VIDEO, Format.AUDIO))
VIDEO: dict[str, Any] = {
    "url": "https://cdn.example/a.mp4?x=1&y=2",
    "mime": "video/mp4",
    "width": 640,
    "height": 360,
    "bitrate_kbps": 800,
    "duration_ms": 15_000,
}
SOUND: dict[str, Any] = {
    "url": "https://cdn.example/a.mp3",
    "mime": "audio/mpeg",
    "bitrate_kbps": 128,
    "duration_ms": 15_000,
}
WHOLE: dict[str, Any] = {
    "media": [VIDEO, VIDEO | {"url": "https://cdn.example/b.webm", "mime": "video/webm"}],
    "skip_offset_ms": 5_500,
    "mezzanine": {
        "url": "https://cdn.example/source.mov",
        "mime": "video/quicktime",
        "width": 1920,
        "height": 1080,
    },
    "universal_ad_id": {"registry": "ad-id.org", "value": "CNPA0484000H"},
    "companions": [
        {"image_url": "https://cdn.example/c.png", "width": 300, "height": 250, "alt": "a < b"}
    ],
    "icons": [
        {
            "program": "AdChoices",
            "image_url": "https://cdn.example/i.png",
            "width": 20,
            "height": 20,
            "x_position": "left",
            "y_position": "10",
            "offset_ms": 1_000,
            "duration_ms": 5_000,
            "click_url": "https://choices.example/",
            "view_urls": ["https://choices.example/seen"],
        }
    ],
    "verifications": [
        {
            "vendor": "vendor.example-omid",
            "javascript_url": "https://vendor.example/omid.js",
            "browser_optional": False,
            "parameters": '{"k":"<v>"}',
            "not_executed_url": "https://vendor.example/failed?r=[REASON]",
        }
    ],
}
"""Content with every field that a VAST document has a place for."""
WRAPPER: dict[str, Any] = {
    "wrapper": {
        "url": "https://other.example/vast?cb=[CACHEBUSTING]",
        "duration_ms": 20_000,
        "fallback_on_no_ad": True,
        "follow_additional_wrappers": False,
    }
}


def a_video(campaign: Campaign, **changes: Any) -> Ad:
    content = changes.pop("content", {"media": [VIDEO]})
    requires = (VAST_WRAPPER,) if "wrapper" in content else ()
    plain = an_ad(
        campaign,
        format=Format.VIDEO,
        width=None,
        height=None,
        content=canonical_json(content),
        requires=requires,
    )
    return replace(plain, **changes)


def an_advertiser(
    name: str, length_ms: int = 15_000, bid_cents: int = 100, **changes: Any
) -> tuple[Campaign, Ad]:
    """A campaign with one video of that length."""
    ad_changes = {key: changes.pop(key) for key in ("categories", "content") if key in changes}
    ad_changes.setdefault("content", {"media": [VIDEO | {"duration_ms": length_ms}]})
    campaign = a_campaign(bid_cents=bid_cents, **changes)
    ad = a_video(campaign, advertiser_domain=f"{name}.example", name=name, **ad_changes)
    return campaign, ad


@dataclass(slots=True)
class Player:
    edge: RunningEdge
    key: str

    async def ask(self, query: str, *headers: str) -> RawAnswer:
        return await self.edge.serve(query, self.key, *headers)

    async def load(self, query: str = "slot=pre-roll&output=vast") -> ET.Element:
        """The document, without namespaces."""
        answer = await self.ask(query)
        assert answer.status == 200, answer.body
        return parse_document(answer.body)

    async def titles(self, query: str) -> list[str | None]:
        return [title.text for title in (await self.load(query)).iter("AdTitle")]

    async def get(self, url: str, *headers: str) -> RawAnswer:
        """*url*: one of the edge's own."""
        return await self.edge.get("/v1/" + url.partition("/v1/")[2], *headers)


def parse_document(text: bytes | str) -> ET.Element:
    root = ET.fromstring(text)  # noqa: S314 - our own edge wrote it
    for one in root.iter():
        one.tag = one.tag.rpartition("}")[2]
    return root


@asynccontextmanager
async def a_player(
    *objects: SnapshotObject,
    slots: Sequence[Slot] = (SLOT,),
    environment: Environment = Environment.LIVE,
    kind: KeyKind = KeyKind.PUBLISHABLE,
) -> AsyncIterator[Player]:
    text, row = a_key(kind, environment)
    snapshot = a_snapshot(row, *slots, *objects, environment=environment)
    async with running_edge(snapshot) as edge:
        yield Player(edge, text.text)
