"""From an empty account to a first ad: each step looks for itself whether it is done."""

import hashlib
import re
from base64 import b64encode
from typing import Any

from playwright.async_api import Browser, Route, expect
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from tests.support.browser import opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.forms import attribute, next_step, the
from tests.support.resources import campaigns_of
from tests.support.visitor import Visitor, text_of, visiting

_IMPRESSION = """
insert into event_hourly (hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, is_test,
    reason, country, device, attribution, account_id, count, charged_micros, value_cents, last_at)
values (:hour, cast(:property as uuid), cast(:slot as uuid), gen_random_uuid(), gen_random_uuid(), 'impression',
    'banner', 'direct', 'web', true, :reason, '', '', '', :account, 1, 0, 0, :hour)
"""
_REQUESTS = """
insert into serve_hourly (account_id, hour, property_id, slot_id, is_test, outcome, country, device, surface, format,
    count)
values (:account, :hour, cast(:property as uuid), cast(:slot as uuid), true, 'no_candidate', '', '', 'web', 'banner', 3)
"""
_HERE = "/test/first-steps"
_AD: dict[str, Any] = {
    "decision_id": "d",
    "ad_id": "a",
    "campaign_id": "c",
    "slot_id": "s",
    "property_id": "p",
    "format": "banner",
    "width": 300,
    "height": 250,
    "content": {"alt": "A", "width": 300, "height": 250},
    "html": "",
    "click_url": "https://shop.example.com/",
    "impression_url": "https://ads.example.com/i.gif",
    "track_token": "t",
    "viewability": {"ratio": 0.5, "duration_ms": 1000},
}
"""As the edge serves it."""


async def _register(visitor: Visitor, here: str) -> None:
    await visitor.act(
        here, act="property", name="News", kind="web", domain="news.example.com", timezone="UTC"
    )


async def test_an_empty_account_shows_the_form_for_its_site(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        page = await visitor.look("/live/first-steps")

        assert "Add your site or app" in next_step(page)


async def test_in_test_no_domain_is_proven(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, _HERE)

        page = await visitor.look(_HERE)

        assert "Create an ad slot" in next_step(page)


async def test_the_overview_counts_the_steps_that_this_page_shows(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        assert "0 of 5 steps are done." in text_of(await visitor.look("/live"))
        assert "Five steps" in text_of(await visitor.look("/live/first-steps"))


async def test_the_sample_creates_what_is_missing_and_is_archived_alone(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act(_HERE, act="sample", site="https://news.example.com/today")
        (campaign,) = await campaigns_of(api, visitor.person, "test")
        assert campaign["status"] == "active"
        for path in ("/test/campaigns", f"/test/campaigns/{campaign['id']}"):
            assert campaign["external_ref"] not in text_of(await visitor.look(path))

        page = await visitor.act(_HERE, act="discard")

        assert "The sample campaign is archived." in text_of(page)
        assert "Create a campaign with an ad Next" in text_of(page)
        (campaign,) = await campaigns_of(api, visitor.person, "test")
        assert campaign["status"] == "archived"
        assert (await visitor.send(_HERE, act="discard")).status_code == 404


async def test_a_click_on_the_sample_leads_to_a_page_that_explains_its_click_id(
    api: ControlApi,
) -> None:
    click_id = "01900000-0000-7000-8000-0000000000aa.tag-1"
    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act(_HERE, act="sample", site="news.example.com")
        answer = await api.http.get(
            "/v1/ads", params={"environment": "test"}, headers=visitor.person.headers
        )
        (ad,) = answer.json()["data"]
        settings = api.control.settings
        assert ad["click_url"].startswith(settings.control_url)
        destination = ad["click_url"].removeprefix(settings.control_url)

        page = await visitor.look(f"{destination}&sa_click_id={click_id}")
        links = [str(one.attributes["href"]) for one in page.css("main a")]
        for link in links:
            await visitor.look(link)
        without = await visitor.look(destination)

    assert the(page, "main p code").text() == click_id
    pixel = f"{settings.edge_test_url}/v1/conversions/{click_id}.gif?event_name=purchase"
    assert attribute(page, "[data-pixel]", "data-pixel") == pixel
    assert links == ["/test/events", "/test/first-steps/page", "/docs/guides/conversions"]
    assert attribute(without, "main a", "href") == "/test/first-steps/page"


async def test_after_the_sample_the_own_page_and_campaign_arenext_step(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act(_HERE, act="sample", site="news.example.com")
        await _add_hours(api, visitor.person)

        page = await visitor.look(_HERE)

        assert "Add the slot to your page Next" in text_of(page)
        assert attribute(page, "#step-campaign a.button", "href") == "/test/campaigns/new"
        assert "The sample ad was shown and counted." in the(page, "#seen").text()
        assert not page.css_matches("#seen a"), "a sample is not copied to live"


async def test_the_test_page_names_the_reason_for_requests_without_an_ad(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await visitor.act(_HERE, act="sample", site="news.example.com")
        await _add_hours(api, visitor.person)
        await _add_hours(api, visitor.person, impressions=False)

        seen = the(await visitor.look("/test/first-steps/page"), "#seen").text()

        assert "We saw your first impression" in seen
        assert "Create a campaign for the property" in seen


async def test_a_sample_sent_twice_creates_one_campaign(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        for _ in range(2):
            await visitor.act(_HERE, act="sample", site="news.example.com", once="a")

        assert len(await campaigns_of(api, visitor.person, "test")) == 1


async def test_a_domain_that_the_sample_cannot_use_is_refused_at_its_field(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        for typed in ("nowhere", ""):
            answer = await visitor.send(_HERE, act="sample", site=typed)

            assert answer.status_code == 422
            page = LexborHTMLParser(answer.text)
            assert the(page, '[data-error="site"]').text()
            assert attribute(page, '[name="site"]', "value") == typed


async def test_no_sample_is_created_in_live(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        answer = await visitor.send("/live/first-steps", act="sample", site="news.example.com")

        assert answer.status_code == 404
        assert await campaigns_of(api, visitor.person, "live") == []


async def test_the_test_page_requests_an_ad_until_there_is_one(
    api: ControlApi, chromium: Browser
) -> None:
    person = await api.sign_up()
    async with visiting(api, person) as visitor:
        await _register(visitor, _HERE)
        await visitor.act(_HERE, act="slot", name="Article top", formats="banner")
        await visitor.act(_HERE, act="key", name="Website")
    base_url = str(api.http.base_url).rstrip("/")
    asked: list[str] = []

    async def answer(route: Route) -> None:
        asked.append(route.request.url)
        headers = {"Access-Control-Allow-Origin": "*"}
        if len(asked) == 1:
            await route.fulfill(status=404, json={}, headers=headers)
        else:
            content = {**_AD["content"], "image_url": f"{base_url}/static/demo-banner.svg"}
            await route.fulfill(json=_AD | {"content": content}, headers=headers)

    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.route("**/v1/serve*", answer)
        await seen.page.goto(f"{base_url}{_HERE}/page")

        await expect(seen.page.locator("service-ad[data-state=filled]")).to_be_visible()
        for _ in range(2):
            await seen.page.wait_for_event(
                "request", lambda one: one.headers.get("placard-refresh") == "1"
            )
        assert len(asked) == 2


async def test_the_test_page_frames_html_ads(api: ControlApi, chromium: Browser) -> None:
    person = await api.sign_up()
    async with visiting(api, person) as visitor:
        await _register(visitor, _HERE)
        await visitor.act(_HERE, act="slot", name="Article top", formats="html")
        await visitor.act(_HERE, act="key", name="Website")
    base_url = str(api.http.base_url).rstrip("/")
    edge_url = api.control.settings.edge_test_url
    ad = _AD | {
        "format": "html",
        "content": {"html": "<p>Without its styles</p>", "width": 300, "height": 250},
        "click_url": f"{edge_url}/v1/click/token",
    }
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        headers = {"Access-Control-Allow-Origin": "*"}
        await seen.page.route("**/v1/serve*", lambda route: route.fulfill(json=ad, headers=headers))
        await seen.page.route(
            f"{edge_url}/v1/frame/token",
            lambda route: route.fulfill(body="<p>Its own document</p>", content_type="text/html"),
        )
        await seen.page.goto(f"{base_url}{_HERE}/page")

        framed = seen.page.frame_locator("service-ad iframe")
        await expect(framed.get_by_text("Its own document")).to_be_visible()


async def test_the_test_page_explains_what_it_lacks(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        page = await visitor.look("/test/first-steps/page")

        assert "There is no slot with a key yet." in text_of(page)


async def test_live_the_domain_is_proven_first(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, "/live/first-steps")

        page = await visitor.act("/live/first-steps", act="start", method="dns")

        assert "Verify your domain" in next_step(page)
        assert "_service-ad.news.example.com" in text_of(page)


async def test_the_records_that_the_resolver_found_are_shown(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, "/live/first-steps")
        await visitor.act("/live/first-steps", act="start", method="dns")

        answer = await visitor.send("/live/first-steps", act="verify")

        assert answer.status_code == 200
        assert "What we found" in answer.text
        assert "timed out" in answer.text
        assert "127.0.0.1" in answer.text


async def test_the_lines_for_the_page_hold_the_real_slot_and_key(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, _HERE)
        await visitor.act(_HERE, act="slot", name="Article top", formats="banner", sizes="300x250")
        page = await visitor.act(_HERE, act="key", name="Website")

        shown = text_of(page)
        keys = (await api.http.get("/v1/sdk-keys", headers=visitor.person.headers)).json()["data"]
        assert f'publisher-key="{keys[0]["key"]}"' in shown
        assert 'slot-id="article-top"' in shown
        assert keys[0]["environment"] == "test"
        assert "http://127.0.0.1:8081/v1/serve?slot=article-top" in shown
        assert "No ad requests yet." in shown
        assert "Add the slot to your page Waiting for the first request" in shown


async def test_the_lines_for_the_page_pin_the_library_by_its_version_and_hash(
    api: ControlApi,
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, _HERE)
        await visitor.act(_HERE, act="slot", name="Article top", formats="banner", sizes="300x250")
        page = await visitor.act(_HERE, act="key", name="Website")

        (snippet,) = [each.text() for each in page.css("pre") if "<script" in each.text()]
        script = the(LexborHTMLParser(snippet), "script").attributes
        path = (script["src"] or "").removeprefix(api.control.settings.control_url)
        assert re.fullmatch(r"/sdk/[0-9]+\.[0-9]+\.[0-9]+/placard\.js", path)
        assert "crossorigin" in script  # without it browsers do not compare the hash
        served = await api.http.get(path)
        digest = b64encode(hashlib.sha384(served.content).digest()).decode()
        assert script["integrity"] == f"sha384-{digest}"


async def test_an_error_is_shown_at_its_field(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        answer = await visitor.send(_HERE, act="property", name="", kind="web", domain="nowhere")

        assert answer.status_code == 422
        page = LexborHTMLParser(answer.text)
        fault, typed = page.css_first('[data-error="domain"]'), page.css_first('[name="domain"]')
        assert fault is not None
        assert fault.text()
        assert typed is not None
        assert typed.attributes["value"] == "nowhere"


async def test_the_steps_are_in_portuguese(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        page = await visitor.look(_HERE, language="pt-BR")

        assert "Seu primeiro anúncio em TESTE" in text_of(page)


async def test_the_first_impression_is_shown(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, _HERE)
        await visitor.act(_HERE, act="slot", name="Article top", formats="banner")
        await visitor.act(_HERE, act="key", name="Website")
        await _add_hours(api, visitor.person)

        page = await visitor.look(_HERE)

        assert "We saw your first impression." in text_of(page)
        assert attribute(page, "#seen a.primary", "href") == "/live/first-steps"
        assert page.css_first("li.here") is not None
        live = await visitor.look("/live/first-steps")
        assert "We saw your first impression." not in text_of(live)


async def test_an_unverified_domain_is_named_as_the_reason_for_refused_live_requests(
    api: ControlApi,
) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        here = "/live/first-steps"
        await _register(visitor, here)
        await visitor.act(here, act="slot", name="Article top", formats="banner")
        page = await visitor.act(here, act="key", name="Website")

        assert "refuses live requests until the domain is verified" in the(page, "#seen").text()


async def test_while_waiting_the_page_shows_why_no_ad_was_shown(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, _HERE)
        await visitor.act(_HERE, act="slot", name="Article top", formats="banner")
        await visitor.act(_HERE, act="key", name="Website")
        await _add_hours(api, visitor.person, impressions=False)

        shown = text_of(await visitor.look(_HERE))

        assert "We saw 3 ad requests in 24 hours." in shown
        assert "Create a campaign for the property" in shown


async def test_the_page_shows_why_impressions_do_not_count(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        await _register(visitor, _HERE)
        await visitor.act(_HERE, act="slot", name="Article top", formats="banner")
        await visitor.act(_HERE, act="key", name="Website")
        await _add_hours(api, visitor.person, impressions=False)
        await _add_hours(api, visitor.person, reason="origin_mismatch")

        shown = text_of(await visitor.look(_HERE))

        assert "An impression arrived but does not count." in shown


async def _add_hours(
    api: ControlApi, person: Person, *, impressions: bool = True, reason: str = "ok_test"
) -> None:
    """What ingest adds up: three requests that got nothing, or an impression, in test."""
    listed = await api.http.get("/v1/slots", headers=person.headers)
    (slot,) = listed.json()["data"]
    values = {
        "hour": api.control.clock.now().replace(minute=0, second=0, microsecond=0),
        "account": person.account_id,
        "property": slot["property_id"],
        "slot": slot["id"],
    }
    if impressions:
        values["reason"] = reason
    async with api.control.database.service() as session:
        await session.execute(text(_IMPRESSION if impressions else _REQUESTS), values)
