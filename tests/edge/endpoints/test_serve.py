"""``GET /v1/serve`` over a real connection."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from common.contract.edge_models import ServedAd
from common.snapshot.model import Ad, SnapshotObject
from common.tracking.token import TokenUse, parse_token, verify_tag
from common.values.enums import AdStatus, CampaignStatus, Format, Source, Surface
from common.values.environment import Environment
from common.values.ids import is_uuid
from common.values.keys import KeyKind
from tests.support.builders import (
    NOW_MS,
    PROPERTY_ID,
    SIGNING_SECRET,
    a_campaign,
    a_key,
    a_property,
    a_slot,
    a_snapshot,
    an_ad,
)
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer

FIELDS = [
    "decision_id",
    "ad_id",
    "campaign_id",
    "slot_id",
    "property_id",
    "format",
    "width",
    "height",
    "content",
    "html",
    "track_token",
    "impression_url",
    "click_url",
    "source",
    "is_test",
    "ttl_seconds",
    "viewability",
]
FOREIGN = a_property(id="01900000-0000-7000-8000-0000000000ff")


@dataclass(slots=True)
class World:
    """An edge with a banner running on slot ``top``, a draft beside it, and a slot nothing runs on."""

    edge: RunningEdge
    pk: str
    sk: str
    banner: Ad
    draft: Ad

    async def ask(self, query: str, *headers: str) -> RawAnswer:
        return await self.edge.serve(query, self.pk, *headers)

    async def ask_by_secret(self, query: str) -> RawAnswer:
        return await self.edge.get(f"/v1/serve?{query}", f"Authorization: Bearer {self.sk}")


@asynccontextmanager
async def a_world(
    environment: Environment = Environment.LIVE, *more: SnapshotObject, **settings: float
) -> AsyncIterator[World]:
    publishable, pk = a_key(KeyKind.PUBLISHABLE, environment)
    secret, sk = a_key(KeyKind.SECRET, environment)
    slots = (
        a_slot(),
        a_slot(key="nothing", formats=(Format.VIDEO,)),
        a_slot(key="foreign", property_id=FOREIGN.id, id="01900000-0000-7000-8000-0000000000fe"),
    )
    running = a_campaign(environment=environment)
    paused = a_campaign(environment=environment, status=CampaignStatus.PAUSED)
    banner, draft = an_ad(running), an_ad(paused, status=AdStatus.DRAFT)
    objects = (a_property(), FOREIGN, pk, sk, *slots, running, paused, banner, draft, *more)
    snapshot = a_snapshot(*objects, environment=environment)
    async with running_edge(snapshot, **settings) as edge:
        yield World(edge, publishable.text, secret.text, banner, draft)


async def test_a_fill_has_exactly_the_documented_fields() -> None:
    async with a_world() as world:
        answer = await world.ask("slot=top")
    assert answer.status == 200
    assert list(answer.json) == FIELDS
    assert ServedAd.model_validate_json(answer.body).ad_id == world.banner.id
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"


async def test_the_token_names_the_served_ad_and_is_valid_for_its_own_uses() -> None:
    async with a_world() as world:
        ad = (await world.ask("slot=top")).json
    payload, raw, tag = parse_token(ad["track_token"])
    assert str(payload.ad_id) == ad["ad_id"] == world.banner.id
    assert str(payload.token_id) == ad["decision_id"]
    assert (payload.issued_ms, payload.price_micros) == (NOW_MS, 1000)
    assert verify_tag(raw, tag, TokenUse.TRACK, SIGNING_SECRET)
    assert ad["impression_url"].startswith("https://edge.example/v1/impression/")
    assert ad["click_url"].startswith("https://edge.example/v1/click/")


async def test_a_slot_is_found_by_its_id_too() -> None:
    async with a_world() as world:
        by_key = (await world.ask("slot=top")).json
        by_id = (await world.ask(f"slot={by_key['slot_id']}")).json
        shouted = (await world.ask(f"slot={by_key['slot_id'].upper()}")).json
    assert by_id["slot_id"] == shouted["slot_id"] == by_key["slot_id"]


async def test_an_id_names_its_slot_even_where_another_slot_has_it_as_its_key() -> None:
    named = a_slot(key="named", id="01900000-0000-7000-8000-0000000000fc")
    like_it = a_slot(key=named.id, id="01900000-0000-7000-8000-0000000000fd")
    async with a_world(Environment.LIVE, named, like_it) as world:
        answer = await world.ask(f"slot={named.id}")
    assert answer.json["slot_id"] == named.id


@pytest.mark.parametrize(
    "slot", ["none", "foreign", "01900000-0000-7000-8000-0000000000fe", "demo-always-fill", "%00"]
)
async def test_an_unknown_or_foreign_slot_is_not_found(slot: str) -> None:
    async with a_world() as world:
        answer = await world.ask(f"slot={slot}")
    assert (answer.status, answer.code) == (404, "slot_not_found")


async def test_a_missing_slot_is_named() -> None:
    async with a_world() as world:
        answer = await world.ask("format=banner")
    assert (answer.status, answer.code) == (422, "validation_failed")
    assert answer.json["error"]["param"] == "slot"


async def test_a_missing_slot_is_reported_with_the_other_errors() -> None:
    async with a_world() as world:
        answer = await world.ask(f"slot=&format=poster&w=0&uid={'u' * 129}")
    params = [detail["param"] for detail in answer.json["error"]["details"]]
    assert (answer.status, params) == (422, ["slot", "format", "w", "uid"])


async def test_all_faults_of_a_query_are_listed() -> None:
    async with a_world() as world:
        query = f"slot=top&format=poster&w=0&h=abc&output=pdf&uid={'u' * 129}"
        answer = await world.ask(query)
    assert (answer.status, answer.code) == (422, "validation_failed")
    params = [detail["param"] for detail in answer.json["error"]["details"]]
    assert params == ["format", "w", "h", "output", "uid"]


@pytest.mark.parametrize("query", ["w=%EF%BC%91", "w=1_0", "w=-1", "w=1e3", "h=99999"])
async def test_a_width_or_height_that_is_not_a_plain_number_is_refused(query: str) -> None:
    async with a_world() as world:
        answer = await world.ask(f"slot=top&{query}")
    assert answer.status == 422


async def test_an_unknown_output_is_refused_with_the_known_ones() -> None:
    async with a_world() as world:
        answer = await world.ask("slot=top&output=vpaid")
    assert answer.status == 422
    (detail,) = answer.json["error"]["details"]
    assert (detail["param"], detail["code"]) == ("output", "unknown_value")
    assert "json, html, vast, vmap, amp, amp-rtc" in detail["message"]


async def test_unknown_parameters_are_ignored() -> None:
    async with a_world() as world:
        answer = await world.ask("slot=top&utm_source=x&cb=1&my_slot=other&kv.a=b&lgpd=1&ref=a.b")
    assert answer.status == 200


async def test_no_fill_in_live_is_a_bare_204() -> None:
    async with a_world() as world:
        answer = await world.ask("slot=nothing")
    assert (answer.status, answer.body) == (204, b"")
    assert "x-no-fill-reason" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    assert "content-type" not in answer.headers


async def test_no_fill_in_test_says_why() -> None:
    async with a_world(Environment.TEST) as world:
        answer = await world.ask("slot=nothing")
    assert (answer.status, answer.headers["x-no-fill-reason"]) == (204, "format_mismatch")


async def test_no_fill_says_why_to_a_secret_key_that_debugs() -> None:
    async with a_world() as world:
        plain = await world.ask_by_secret("slot=nothing")
        debugging = await world.ask_by_secret("slot=nothing&debug=1")
    assert "x-no-fill-reason" not in plain.headers
    assert (debugging.status, debugging.headers["x-no-fill-reason"]) == (204, "format_mismatch")


async def test_debug_explains_every_candidate() -> None:
    async with a_world() as world:
        answer = await world.ask_by_secret("slot=top&debug=1")
    lines = {line["ad_id"]: line["dropped_by"] for line in answer.json["explain"]}
    assert lines == {world.banner.id: None, world.draft.id: "campaign_not_active"}
    assert ServedAd.model_validate_json(answer.body).explain is not None


@pytest.mark.parametrize(
    "requested", ["debug=1", "preview_ad=01900000-0000-7000-8000-000000000003"]
)
async def test_a_live_publishable_key_may_not_debug(requested: str) -> None:
    async with a_world() as world:
        answer = await world.ask(f"slot=none&{requested}")
    assert (answer.status, answer.code) == (403, "insufficient_scope")


async def test_debug_returns_the_origin_of_the_page_that_url_names() -> None:
    page = "https%3A%2F%2Fnews.example%3A8443%2Fa%3Fb"
    async with a_world() as world:
        named = await world.ask_by_secret(f"slot=top&debug=1&url={page}")
        unnamed = await world.ask_by_secret("slot=top&debug=1")
        unreadable = await world.ask_by_secret("slot=top&debug=1&url=news")
        without_debug = await world.ask_by_secret(f"slot=top&url={page}")
    found = [answer.json["page_origin"] for answer in (named, unnamed, unreadable)]
    assert found == ["https://news.example:8443", None, None]
    assert "page_origin" not in without_debug.json


async def test_debug_set_to_off_returns_no_debug() -> None:
    async with a_world() as world:
        answer = await world.ask("slot=top&debug=0")
    assert "explain" not in answer.json


async def test_a_preview_shows_a_draft_unbilled() -> None:
    async with a_world() as world:
        answer = await world.ask_by_secret(f"slot=top&preview_ad={world.draft.id}")
    assert (answer.json["ad_id"], answer.json["source"]) == (world.draft.id, Source.PREVIEW)
    payload, _, _ = parse_token(answer.json["track_token"])
    assert (payload.preview, payload.price_micros) == (True, 0)


async def test_the_demo_slots_of_test_fill_always_and_never() -> None:
    async with a_world(Environment.TEST) as world:
        always = await world.ask("slot=demo-always-fill&format=native")
        never = await world.ask("slot=demo-never-fill")
    assert (always.status, always.json["format"], always.json["is_test"]) == (200, "native", True)
    assert is_uuid(always.json["campaign_id"])
    ServedAd.model_validate_json(always.body)
    assert (never.status, never.headers["x-no-fill-reason"]) == (204, "demo_never_fills")


async def test_an_html_page_contains_the_ad_and_its_pixel() -> None:
    async with a_world() as world:
        answer = await world.ask("slot=top&output=html")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert answer.headers["cache-control"] == "no-store"
    page = answer.body.decode()
    assert "https://edge.example/v1/impression/" in page
    assert 'href="https://edge.example/v1/click/' in page


async def test_the_surface_is_in_the_token() -> None:
    async with a_world() as world:
        web = (await world.ask("slot=top")).json
        server = (await world.ask_by_secret("slot=top")).json
    surfaces = [parse_token(ad["track_token"])[0].surface for ad in (web, server)]
    assert surfaces == [Surface.WEB, Surface.SERVER]


@pytest.mark.parametrize("signal", ["npa=1", "coppa=1", "gdpr=1"])
async def test_a_consent_signal_marks_the_token(signal: str) -> None:
    async with a_world() as world:
        plain = (await world.ask("slot=top")).json
        limited = (await world.ask(f"slot=top&{signal}")).json
    marks = [parse_token(ad["track_token"])[0].consent_limited for ad in (plain, limited)]
    assert marks == [False, True]


async def test_global_privacy_control_marks_the_token() -> None:
    async with a_world() as world:
        ad = (await world.ask("slot=top", "Sec-GPC: 1")).json
    assert parse_token(ad["track_token"])[0].consent_limited


async def test_each_decision_is_counted_once() -> None:
    async with a_world() as world:
        await world.ask("slot=top")
        await world.ask("slot=top")
        await world.ask("slot=nothing")
        await world.ask("slot=none")
        counted = world.edge.counted()
    assert counted == {"fill": 2, "format_mismatch": 1}


async def test_a_dead_snapshot_stops_live_and_not_test() -> None:
    async with (
        a_world(snapshot_max_age_s=60.0) as live,
        a_world(Environment.TEST, snapshot_max_age_s=60.0) as test,
    ):
        for world in (live, test):
            world.edge.clock.advance(ms=60_001)
        assert (await live.ask("slot=top")).status == 204
        assert (await test.ask("slot=top")).status == 200


async def test_without_a_snapshot_the_edge_is_unavailable() -> None:
    async with running_edge(None) as edge:
        answer = await edge.serve("slot=top", "pk_live_x")
    assert (answer.status, answer.code) == (503, "unavailable")
    assert int(answer.headers["retry-after"]) >= 1


async def test_a_new_snapshot_is_seen_by_the_next_request() -> None:
    async with a_world() as world:
        before = await world.ask("slot=top")
        snapshot = world.edge.context.snapshots.current()
        kept: list[SnapshotObject] = [*snapshot.keys_by_hash.values(), *snapshot.slots.values()]
        world.edge.adopt(a_snapshot(*kept, a_property(), FOREIGN, version=2))
        after = await world.ask("slot=top")
    assert (before.status, after.status) == (200, 204)


async def test_head_is_refused_because_it_would_count() -> None:
    async with a_world() as world:
        answer = await world.edge.get("/v1/serve?slot=top", method="HEAD")
    assert answer.status == 405


async def test_every_serve_response_names_its_property() -> None:
    async with a_world() as world:
        assert (await world.ask("slot=top")).json["property_id"] == PROPERTY_ID


@pytest.mark.parametrize("query", ["slot=top", "slot=nothing", "slot=top&slot=nothing"])
async def test_debug_reports_the_time_of_the_decision(query: str) -> None:
    async with a_world() as world:
        answer = await world.ask_by_secret(f"{query}&debug=1")
        plain = await world.ask_by_secret(query)
    timing = re.compile(r"decide;dur=[0-9]+\.[0-9]{3}, total;dur=[0-9]+\.[0-9]{3}")
    assert timing.fullmatch(answer.headers["server-timing"])
    assert "server-timing" not in plain.headers


async def test_a_debugged_page_is_timed_too() -> None:
    async with a_world(Environment.TEST) as world:
        answer = await world.ask("slot=top&debug=1&output=html")
    assert answer.headers["content-type"].startswith("text/html")
    assert "server-timing" in answer.headers
