"""An html ad's own document: sandboxed, filled in, and nothing is counted by it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad
from common.values.enums import Format
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.serving.render.markup import SANDBOX
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer

LINKED = '<!DOCTYPE html><p style="color:red">\x00<a href="{click_url}">Go</a> <a href="{click_url}">Or go</a>'
START = (
    b'<!doctype html><meta charset="utf-8"><title>Advertisement</title><style>body{margin:0}</style>'
    b"""<script>parent.postMessage('{"type":"service-ad"}',"*")</script>"""
)
DAY_S = 86_400


@dataclass
class Framing:
    edge: RunningEdge
    key: str

    async def served(self, slot: str) -> RawAnswer:
        return await self.edge.serve(f"slot={slot}", self.key)

    async def frame_of(self, answer: RawAnswer, method: str = "GET") -> RawAnswer:
        return await self.get(answer.json["click_url"].rpartition("/")[2], method)

    async def get(self, token: str, method: str = "GET") -> RawAnswer:
        return await self.edge.get(f"/v1/frame/{token}", method=method)


@pytest.fixture
async def framing() -> AsyncIterator[Framing]:
    text, row = a_key(KeyKind.PUBLISHABLE, Environment.LIVE)
    slots = {key: a_slot(key=key) for key in ("linked", "bare", "banner")}
    campaign = a_campaign()

    def html(key: str, markup: str, click_url: str | None) -> Ad:
        return an_ad(
            campaign,
            format=Format.HTML,
            content=canonical_json({"html": markup, "width": 300, "height": 250}),
            slot_ids=(slots[key].id,),
            click_url=click_url,
        )

    ads = [
        html("linked", LINKED, "https://brand.example/landing"),
        html("bare", "<p>Shoes</p>", None),
        an_ad(campaign, slot_ids=(slots["banner"].id,)),
    ]
    formats = [a_slot(key=one.key, id=one.id, formats=tuple(Format)) for one in slots.values()]
    async with running_edge(a_snapshot(row, campaign, *formats, *ads)) as edge:
        yield Framing(edge, text.text)


async def test_the_document_is_the_ads_markup_with_its_click_url(framing: Framing) -> None:
    served = await framing.served("linked")

    answer = await framing.frame_of(served)

    filled = LINKED.replace("\x00", "").replace("{click_url}", served.json["click_url"])
    assert answer.status == 200
    assert answer.body.startswith(START + b"<script>")
    assert answer.body.endswith(b"</script>" + filled.encode())
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_the_document_has_no_origin_and_sends_no_referrer(framing: Framing) -> None:
    answer = await framing.frame_of(await framing.served("linked"))

    assert answer.headers["content-security-policy"] == f"sandbox {SANDBOX}"
    assert "allow-same-origin" not in SANDBOX
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "private, max-age=300"
    assert "set-cookie" not in answer.headers
    assert "x-frame-options" not in answer.headers


async def test_a_frame_counts_nothing_and_does_not_redeem_its_token(framing: Framing) -> None:
    served = await framing.served("linked")
    for method in ("GET", "GET", "HEAD"):
        assert (await framing.frame_of(served, method)).status == 200
    assert framing.edge.context.redemptions.counts.counted == 0

    token = served.json["click_url"].rpartition("/")[2]
    click = await framing.edge.get(f"/v1/click/{token}", "User-Agent: Mozilla/5.0 Firefox/132.0")
    assert click.status == 302
    assert framing.edge.context.redemptions.counts.counted == 1


async def test_an_ad_without_a_click_url_has_a_document_too(framing: Framing) -> None:
    served = await framing.served("bare")

    assert served.json["has_destination"] is False
    assert (await framing.frame_of(served)).body == START + b"<p>Shoes</p>"


async def test_only_html_ads_have_one(framing: Framing) -> None:
    answer = await framing.frame_of(await framing.served("banner"))

    assert (answer.status, answer.code) == (404, "not_found")


async def test_tokens_for_other_uses_are_refused(framing: Framing) -> None:
    served = (await framing.served("linked")).json
    click = served["click_url"].rpartition("/")[2]
    wrong = [
        "x",
        click[:-1] + ("A" if click[-1] != "A" else "B"),
        served["track_token"],
        served["impression_url"].rpartition("/")[2].removesuffix(".gif"),
    ]
    assert {(await framing.get(token)).status for token in wrong} == {404}


async def test_a_frame_is_served_as_long_as_its_click_redirects(framing: Framing) -> None:
    served = await framing.served("linked")
    framing.edge.clock.advance(ms=399 * DAY_S * 1000)
    assert (await framing.frame_of(served)).status == 200
    framing.edge.clock.advance(ms=2 * DAY_S * 1000)
    assert (await framing.frame_of(served)).status == 404


async def test_a_removed_ad_is_shown_in_no_frame(framing: Framing) -> None:
    served = await framing.served("linked")
    framing.edge.adopt(a_snapshot())

    assert (await framing.frame_of(served)).status == 404
